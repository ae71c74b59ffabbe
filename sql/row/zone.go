package row

import (
	"fmt"
	"regexp"
	"strconv"
	"time"
	_ "time/tzdata" // the zones are those of the binary, whatever the machine has
)

// Zone is the time zone of a session: where an instant has a date and a time of
// day. A nil *Zone is UTC.
type Zone struct {
	name string
	loc  *time.Location
}

// shortZones are the three-letter names that Java keeps for old programs.
//
//nolint:misspell // names
var shortZones = map[string]string{
	"EST": "-05:00", "HST": "-10:00", "MST": "-07:00", "ACT": "Australia/Darwin", "AET": "Australia/Sydney",
	"AGT": "America/Argentina/Buenos_Aires", "ART": "Africa/Cairo", "AST": "America/Anchorage", "BET": "America/Sao_Paulo", "BST": "Asia/Dhaka",
	"CAT": "Africa/Harare", "CNT": "America/St_Johns", "CST": "America/Chicago", "CTT": "Asia/Shanghai", "EAT": "Africa/Addis_Ababa",
	"ECT": "Europe/Paris", "IET": "America/Indiana/Indianapolis", "IST": "Asia/Kolkata", "JST": "Asia/Tokyo", "MIT": "Pacific/Apia",
	"NET": "Asia/Yerevan", "NST": "Pacific/Auckland", "PLT": "Asia/Karachi", "PNT": "America/Phoenix", "PRT": "America/Puerto_Rico",
	"PST": "America/Los_Angeles", "SST": "Pacific/Guadalcanal", "VST": "Asia/Ho_Chi_Minh",
}

var (
	zoneOffset = regexp.MustCompile(`^(?:UTC|GMT|UT)?([+-])(\d{1,2})(?::?(\d{2})(?::?(\d{2}))?)?$`)
	regionName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9~/._+-]+$`)
)

// ParseZone returns the zone of a name as Java has it: Europe/Berlin, UTC, Z,
// +02:00, GMT-3. It is nil for UTC.
func ParseZone(name string) (*Zone, error) {
	switch name {
	case "", "Z", "UTC", "GMT", "UT", "Etc/UTC":
		return nil, nil
	}
	id := name
	if long, ok := shortZones[name]; ok {
		id = long
	}
	if m := zoneOffset.FindStringSubmatch(id); m != nil {
		return offsetZone(name, m)
	}
	if !regionName.MatchString(id) || id == "Local" {
		return nil, noZone(name)
	}
	loc, err := time.LoadLocation(id)
	if err != nil {
		return nil, noZone(name)
	}
	return &Zone{name: name, loc: loc}, nil
}

func noZone(name string) error {
	return fmt.Errorf("there is no time zone %q: write a region such as Europe/Berlin, or an offset such as +02:00", name)
}

func offsetZone(name string, m []string) (*Zone, error) {
	seconds, unit := 0, 3600
	for _, digits := range m[2:] {
		n, _ := strconv.Atoi("0" + digits) // digits
		if unit < 3600 && n > 59 {
			return nil, noZone(name)
		}
		seconds += n * unit
		unit /= 60
	}
	if seconds > 18*3600 {
		return nil, noZone(name)
	}
	if m[1] == "-" {
		seconds = -seconds
	}
	if seconds == 0 {
		return nil, nil
	}
	return &Zone{name: name, loc: time.FixedZone(name, seconds)}, nil
}

// Name returns the name that the zone was given by, UTC for nil.
func (z *Zone) Name() string {
	if z == nil {
		return "UTC"
	}
	return z.name
}

// Location returns the zone for package time.
func (z *Zone) Location() *time.Location {
	if z == nil {
		return time.UTC
	}
	return z.loc
}

// offset returns the seconds by which the zone's clocks are ahead of UTC at an
// instant.
func (z *Zone) offset(unix int64) int64 {
	_, seconds := time.Unix(unix, 0).In(z.loc).Zone()
	return int64(seconds)
}

// Wall returns what the zone's clocks show at an instant, both in microseconds:
// of the epoch, and of 1970-01-01 00:00 on that clock.
func (z *Zone) Wall(micros int64) int64 {
	if z == nil {
		return micros
	}
	seconds, _ := floorDiv(micros, microsPerSecond)
	return micros + z.offset(seconds)*microsPerSecond
}

// Instant is the reverse of Wall, with Java's rules: of a time that the clocks
// show twice, the first; a time that they leap over is as much later as they leap.
func (z *Zone) Instant(wall int64) int64 {
	first, _, _ := z.instants(wall)
	return first
}

// InstantAt is Instant, but prefers the offset that the clocks had at another
// instant where they show the time twice.
func (z *Zone) InstantAt(wall, near int64) int64 {
	first, last, _ := z.instants(wall)
	if first == last || z == nil {
		return first
	}
	seconds, _ := floorDiv(near, microsPerSecond)
	if wall-z.offset(seconds)*microsPerSecond == last {
		return last
	}
	return first
}

// StartOfDay returns the first instant of a day, which is later than midnight
// where the clocks leap over it.
func (z *Zone) StartOfDay(days int64) int64 {
	wall := days * 24 * 3600 * microsPerSecond
	first, last, leap := z.instants(wall)
	if !leap {
		return first
	}
	return last
}

// instants returns the first and the last instant at which the clocks show a time.
// With leap they never do: first is as much later as they leap, and last is the
// moment of the leap.
func (z *Zone) instants(wall int64) (first, last int64, leap bool) {
	if z == nil {
		return wall, wall, false
	}
	t, _ := floorDiv(wall, microsPerSecond)
	a := z.offset(t)
	b := z.offset(t - a)
	if b != a && z.offset(t-b) != b { // each offset leads to the other
		before := min(a, b)
		_, end := time.Unix(t-max(a, b), 0).In(z.loc).ZoneBounds()
		return wall - before*microsPerSecond, end.Unix() * microsPerSecond, true
	}
	first = wall - b*microsPerSecond
	last = first
	from, to := time.Unix(t-b, 0).In(z.loc).ZoneBounds()
	if !from.IsZero() {
		if c := z.offset(from.Unix() - 1); t-c < from.Unix() {
			first = wall - c*microsPerSecond
		}
	}
	if !to.IsZero() {
		if c := z.offset(to.Unix()); t-c >= to.Unix() {
			last = wall - c*microsPerSecond
		}
	}
	return min(first, last), max(first, last), false
}

// AppendInstant appends an instant in RFC 3339 with as many digits as there are:
// with Z in UTC, else with the zone's offset.
func (z *Zone) AppendInstant(dst []byte, micros int64) []byte {
	if z == nil {
		return append(AppendTimestamp(dst, micros, 'T'), 'Z')
	}
	wall := z.Wall(micros)
	return AppendOffset(AppendTimestamp(dst, wall, 'T'), (wall-micros)/microsPerSecond)
}

// AppendOffset appends +02:00, and the seconds where there are some.
func AppendOffset(dst []byte, seconds int64) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = append(dst, sign)
	dst = fmt.Appendf(dst, "%02d:%02d", seconds/3600, seconds/60%60)
	if rest := seconds % 60; rest != 0 {
		dst = fmt.Appendf(dst, ":%02d", rest)
	}
	return dst
}
