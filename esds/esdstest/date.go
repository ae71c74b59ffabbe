package esdstest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const isoFormat = "strict_date_optional_time"

// format returns the date formats of a field.
func (f *field) format() string {
	if s := str(f.params, "format"); s != "" {
		return s
	}
	if f.typ == "date_nanos" {
		return "strict_date_optional_time_nanos||epoch_millis"
	}
	return isoFormat + "||epoch_millis"
}

// date reads a date in the unit of the type: milliseconds, or nanoseconds of
// date_nanos. Up fills the parts that are missing with their greatest value.
func (f *field) date(s string, up bool) (int64, bool) {
	return f.dateIn(s, f.format(), up)
}

func (f *field) dateIn(s, format string, up bool) (int64, bool) {
	t, ok := parseDate(s, format, up)
	if !ok {
		return 0, false
	}
	if f.typ == "date_nanos" {
		if t.Year() > 2261 || t.Year() < 1970 {
			return 0, false
		}
		return t.UnixNano(), true
	}
	return t.UnixMilli(), true
}

// parseDate reads a date in one of the formats, which stand between ||.
func parseDate(s, formats string, up bool) (time.Time, bool) {
	for format := range strings.SplitSeq(formats, "||") {
		if t, ok := parseOne(s, format, up); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

// isoLayouts are the forms of strict_date_optional_time, and how much a
// greatest time adds to each.
var isoLayouts = []struct {
	layout string
	zone   bool // the layout ends in a zone
	rest   time.Duration
}{
	{"2006-01-02T15:04:05.999999999Z07:00", true, 0},
	{"2006-01-02T15:04:05.999999999Z0700", true, 0},
	{"2006-01-02T15:04:05.999999999", false, 0},
	{"2006-01-02T15:04Z07:00", true, time.Minute - 1},
	{"2006-01-02T15:04", false, time.Minute - 1},
	{"2006-01-02T15", false, time.Hour - 1},
	{"2006-01-02", false, 24*time.Hour - 1},
	{"2006-01", false, 24*time.Hour - 1},
	{"2006", false, 24*time.Hour - 1},
}

func parseOne(s, format string, up bool) (time.Time, bool) {
	switch format {
	case "epoch_millis":
		return parseEpoch(s, time.Millisecond)
	case "epoch_second":
		return parseEpoch(s, time.Second)
	case isoFormat, "date_optional_time", "strict_date_optional_time_nanos", "iso8601", "strict_date_time", "date_time", "strict_date_time_no_millis":
		for _, iso := range isoLayouts {
			t, err := time.Parse(iso.layout, s)
			if err != nil {
				continue
			}
			if up {
				t = t.Add(greatest(s, iso.rest))
			}
			return t, true
		}
		return time.Time{}, false
	}
	layout := goLayout(format)
	t, err := time.Parse(layout, s)
	if err == nil && up && !strings.Contains(layout, "15") {
		t = t.Add(24*time.Hour - 1)
	}
	return t, err == nil
}

// greatest returns what is missing to the greatest instant that the text can
// mean. Digits of a second that are written are kept.
func greatest(s string, rest time.Duration) time.Duration {
	if rest != 0 {
		return rest
	}
	_, frac, dot := strings.Cut(s, ".")
	digits := 0
	for dot && digits < len(frac) && frac[digits] >= '0' && frac[digits] <= '9' {
		digits++
	}
	return time.Duration(math.Pow10(9-digits)) - 1
}

func parseEpoch(s string, unit time.Duration) (time.Time, bool) {
	whole, frac, _ := strings.Cut(s, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	var t time.Time
	if unit == time.Second {
		t = time.Unix(n, 0)
	} else {
		t = time.UnixMilli(n)
	}
	if frac != "" {
		part, err := strconv.ParseFloat("0."+frac, 64)
		if err != nil {
			return time.Time{}, false
		}
		t = t.Add(time.Duration(part * float64(unit)))
	}
	return t.UTC(), true
}

var javaLayouts = strings.NewReplacer(
	"yyyy", "2006", "uuuu", "2006", "MMM", "Jan", "MM", "01", "dd", "02", "d", "2", "HH", "15", "mm", "04", "ss", "05", ".SSSSSSSSS", ".000000000", ".SSSSSS", ".000000", ".SSS", ".000",
	"'T'", "T", "'Z'", "Z", "XXX", "Z07:00", "XX", "Z0700", "X", "Z07",
)

var namedLayouts = map[string]string{
	"date": "2006-01-02", "strict_date": "2006-01-02", "basic_date": "20060102", "year": "2006", "strict_year": "2006",
	"basic_date_time": "20060102T150405.000Z0700", "basic_date_time_no_millis": "20060102T150405Z0700", "year_month": "2006-01", "strict_year_month": "2006-01",
}

func goLayout(format string) string {
	if layout, ok := namedLayouts[format]; ok {
		return layout
	}
	return javaLayouts.Replace(format)
}

// formatDate prints a date of the field in the first of the formats.
func (f *field) formatDate(n int64, formats string) string {
	t := time.UnixMilli(n).UTC()
	if f.typ == "date_nanos" {
		t = time.Unix(0, n).UTC()
	}
	format, _, _ := strings.Cut(formats, "||")
	switch format {
	case "epoch_millis":
		if rest := t.Nanosecond() % 1e6; rest != 0 {
			return strings.TrimRight(fmt.Sprintf("%d.%06d", t.UnixMilli(), rest), "0")
		}
		return strconv.FormatInt(t.UnixMilli(), 10)
	case "epoch_second":
		if t.Nanosecond() != 0 {
			return strings.TrimRight(fmt.Sprintf("%d.%09d", t.Unix(), t.Nanosecond()), "0")
		}
		return strconv.FormatInt(t.Unix(), 10)
	case isoFormat, "date_optional_time", "strict_date_time", "date_time", "iso8601":
		return t.Format("2006-01-02T15:04:05.000Z")
	case "strict_date_optional_time_nanos":
		s := strings.TrimRight(t.Format(".000000000"), "0")
		for len(s) < 4 {
			s = (s + "000")[:4]
		}
		return t.Format("2006-01-02T15:04:05") + s + "Z"
	}
	return t.Format(goLayout(format))
}
