package esds

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// OptionType says how the value of an option is read.
type OptionType string

// The types of options.
const (
	Text     OptionType = "text"
	Bool     OptionType = "bool"
	Int      OptionType = "int"
	Duration OptionType = "duration"
	Size     OptionType = "size"
	List     OptionType = "list"
	Enum     OptionType = "enum"
	Char     OptionType = "character"
)

// check returns the value in the form that it is kept in, and a note on it.
func (opt Option) check(v string) (kept, note string, err error) {
	switch opt.Type {
	case Bool:
		b, err := parseBool(v)
		return strconv.FormatBool(b), "", err
	case Int:
		n, err := parseInt(v)
		if err == nil && (n < opt.Min || opt.Max != 0 && n > opt.Max) {
			err = outOfRange(opt)
		}
		return v, "", err
	case Duration:
		d, err := parseDuration(v)
		if n, bare := strconv.Atoi(v); err == nil && bare == nil && 0 < n && n < 1000 {
			note = fmt.Sprintf("option %s: %s means %s; write %ss for seconds", opt.Key, v, d, v)
		}
		return v, note, err
	case Size:
		n, err := parseSize(v)
		if err == nil && n < opt.Min {
			err = outOfRange(opt)
		}
		return v, "", err
	case Enum:
		v, err := opt.checkEnum(v)
		return v, "", err
	case Char:
		v = unescapeChar(v)
		if opt.Max > 0 && utf8.RuneCountInString(v) > int(opt.Max) {
			return v, "", errors.New("expects one character")
		}
	}
	return v, "", nil
}

func (opt Option) checkEnum(v string) (string, error) {
	for _, known := range opt.Values {
		if strings.EqualFold(known, v) {
			return known, nil
		}
	}
	return v, fmt.Errorf("expects one of %s", strings.Join(opt.Values, ", "))
}

func outOfRange(opt Option) error {
	if opt.Max == 0 {
		return fmt.Errorf("expects %d or more", opt.Min)
	}
	return fmt.Errorf("expects %d to %d", opt.Min, opt.Max)
}

func parseBool(v string) (bool, error) {
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, errors.New("expects true or false")
}

func parseInt(v string) (int64, error) {
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil {
		return 0, errors.New("expects a whole number")
	}
	return n, nil
}

// durations holds the units of elasticsearch-hadoop. S is milliseconds there.
var durations = map[string]time.Duration{
	"": time.Millisecond, "ms": time.Millisecond, "S": time.Millisecond, "s": time.Second, "m": time.Minute,
	"h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour,
}

func parseDuration(v string) (time.Duration, error) {
	bad := errors.New("expects a duration like 30s, 5m or 1h")
	digits := strings.TrimRight(v, "smhdwSMHDW")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	unit, ok := durations[v[len(digits):]]
	if !ok {
		unit, ok = durations[strings.ToLower(v[len(digits):])]
	}
	if err != nil || !ok || n < 0 {
		return 0, bad
	}
	if n > math.MaxInt64/int64(unit) {
		return 0, bad
	}
	return time.Duration(n) * unit, nil
}

var sizes = map[string]int64{"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}

func parseSize(v string) (int64, error) {
	bad := errors.New("expects a size like 5mb, 512kb or 1000000")
	digits := strings.TrimRight(v, "bkmgBKMG")
	n, err := strconv.ParseInt(strings.TrimSpace(digits), 10, 64)
	unit, ok := sizes[strings.ToLower(v[len(digits):])]
	if err != nil || !ok || n < 0 || n > math.MaxInt64/unit {
		return 0, bad
	}
	return n * unit, nil
}

func splitList(v string) []string {
	var parts []string
	for part := range strings.SplitSeq(v, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

var charEscapes = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n", `\r`, "\r", `\0`, "\x00")

// unescapeChar reads a separator or quote as Spark's CSV does: \t is a tab.
func unescapeChar(v string) string {
	if len(v) < 2 {
		return v
	}
	return charEscapes.Replace(v)
}
