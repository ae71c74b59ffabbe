package row

import (
	"fmt"
	"strconv"
)

// The units of intervals, from the largest. An interval is of years and months
// or of days to seconds, never of both.
const (
	YearUnit = 1 + iota
	MonthUnit
	DayUnit
	HourUnit
	MinuteUnit
	SecondUnit
)

var unitNames = [...]string{YearUnit: "year", MonthUnit: "month", DayUnit: "day", HourUnit: "hour", MinuteUnit: "minute", SecondUnit: "second"}

// IntervalOf returns INTERVAL first TO last.
func IntervalOf(first, last int) Type {
	return Type{Kind: Interval, Precision: first, Scale: last}
}

// intervalName returns interval, interval day or interval day to second.
func (t Type) intervalName() string {
	switch t.Precision {
	case 0:
		return "interval"
	case t.Scale:
		return "interval " + unitNames[t.Precision]
	}
	return "interval " + unitNames[t.Precision] + " to " + unitNames[t.Scale]
}

// Months reports whether the type is an INTERVAL of years and months.
func (t Type) Months() bool { return t.Kind == Interval && t.Precision > 0 && t.Scale <= MonthUnit }

// AppendInterval appends an interval as Spark casts it to text: INTERVAL '1-2'
// YEAR TO MONTH, INTERVAL '1 02:03:04.5' DAY TO SECOND. One of any units, of
// type IntervalType, is written as 1 months 2 days 3 hours.
func AppendInterval(dst []byte, months, days, micros int64, t Type) []byte {
	switch {
	case t.Precision == 0:
		return appendCalendar(dst, months, days, micros)
	case t.Months():
		dst = append(dst, "INTERVAL '"...)
		dst = appendMonths(dst, months, t)
	default:
		dst = append(dst, "INTERVAL '"...)
		dst = appendClock(dst, days*86_400_000_000+micros, t)
	}
	name := unitNames[t.Precision]
	if t.Precision != t.Scale {
		name += " to " + unitNames[t.Scale]
	}
	return append(append(dst, "' "...), upper(name)...)
}

func upper(name string) []byte {
	b := []byte(name)
	for i, c := range b {
		if c >= 'a' {
			b[i] = c - 'a' + 'A'
		}
	}
	return b
}

func appendMonths(dst []byte, months int64, t Type) []byte {
	if months < 0 {
		dst, months = append(dst, '-'), -months
	}
	switch {
	case t.Precision == MonthUnit:
		return strconv.AppendInt(dst, months, 10)
	case t.Scale == YearUnit:
		return strconv.AppendInt(dst, months/12, 10)
	}
	return fmt.Appendf(dst, "%d-%d", months/12, months%12)
}

// appendClock writes days, hours, minutes and seconds, as far as the type has them.
func appendClock(dst []byte, micros int64, t Type) []byte {
	if micros < 0 {
		dst, micros = append(dst, '-'), -micros
	}
	sizes := [...]int64{DayUnit: 86_400_000_000, HourUnit: 3_600_000_000, MinuteUnit: 60_000_000, SecondUnit: 1_000_000}
	for unit := t.Precision; unit <= t.Scale; unit++ {
		switch unit {
		case t.Precision:
		case HourUnit:
			dst = append(dst, ' ')
		default:
			dst = append(dst, ':')
		}
		n := micros / sizes[unit]
		micros %= sizes[unit]
		if unit == DayUnit {
			dst = strconv.AppendInt(dst, n, 10)
		} else {
			dst = fmt.Appendf(dst, "%02d", n)
		}
	}
	if t.Scale == SecondUnit && micros != 0 {
		dst = appendMillionths(append(dst, '.'), uint64(micros))
	}
	return dst
}

// appendCalendar writes the parts that are not 0.
func appendCalendar(dst []byte, months, days, micros int64) []byte {
	start := len(dst)
	unit := func(n int64, name string) {
		if n == 0 {
			return
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		dst = append(append(strconv.AppendInt(dst, n, 10), ' '), name...)
	}
	unit(months/12, "years")
	unit(months%12, "months")
	unit(days, "days")
	unit(micros/3_600_000_000, "hours")
	unit(micros/60_000_000%60, "minutes")
	rest := micros % 60_000_000
	if rest == 0 && len(dst) > start {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	if rest < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	dst = strconv.AppendInt(dst, rest/1_000_000, 10)
	if frac := rest % 1_000_000; frac != 0 {
		dst = appendMillionths(append(dst, '.'), uint64(frac))
	}
	return append(dst, " seconds"...)
}
