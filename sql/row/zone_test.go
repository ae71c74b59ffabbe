package row

import (
	"testing"
	"time"
)

// TestZone holds what Java says of times that clocks show twice or never.
func TestZone(t *testing.T) {
	for _, c := range []struct{ zone, wall, first, last string }{
		{"Europe/Berlin", "2024-03-31T02:30:00", "2024-03-31T01:30:00", "2024-03-31T01:30:00"}, // leapt over
		{"Europe/Berlin", "2024-03-31T03:00:00", "2024-03-31T01:00:00", "2024-03-31T01:00:00"},
		{"Europe/Berlin", "2024-03-31T01:59:59", "2024-03-31T00:59:59", "2024-03-31T00:59:59"},
		{"Europe/Berlin", "2024-10-27T02:30:00", "2024-10-27T00:30:00", "2024-10-27T01:30:00"}, // twice
		{"Europe/Berlin", "2024-10-27T03:00:00", "2024-10-27T02:00:00", "2024-10-27T02:00:00"},
		{"Europe/Berlin", "2024-10-27T02:00:00", "2024-10-27T00:00:00", "2024-10-27T01:00:00"},
		{"Europe/Berlin", "1850-01-01T00:00:00", "1849-12-31T23:06:32", "1849-12-31T23:06:32"}, // before there were zones
		{"America/Sao_Paulo", "2018-11-04T00:30:00", "2018-11-04T03:30:00", "2018-11-04T03:30:00"},
		{"America/Sao_Paulo", "2018-02-17T23:30:00", "2018-02-18T01:30:00", "2018-02-18T02:30:00"},
		{"+05:30", "2024-01-01T00:00:00", "2023-12-31T18:30:00", "2023-12-31T18:30:00"},
		{"GMT-3", "2024-01-01T00:00:00", "2024-01-01T03:00:00", "2024-01-01T03:00:00"},
		{"UTC", "2024-01-01T00:00:00", "2024-01-01T00:00:00", "2024-01-01T00:00:00"},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		wall := microsOf(t, c.wall)
		first, last := microsOf(t, c.first), microsOf(t, c.last)
		if got := z.Instant(wall); got != first {
			t.Errorf("%s %s is %s, want %s", c.zone, c.wall, AppendTimestamp(nil, got, 'T'), c.first)
		}
		if got := z.InstantAt(wall, last); got != last {
			t.Errorf("%s %s near %s is %s", c.zone, c.wall, c.last, AppendTimestamp(nil, got, 'T'))
		}
	}
}

// TestStartOfDay meets days that have no midnight.
func TestStartOfDay(t *testing.T) {
	for _, c := range []struct{ zone, day, want string }{
		{"America/Sao_Paulo", "2018-11-04T00:00:00", "2018-11-04T03:00:00"},
		{"America/Toronto", "1919-03-31T00:00:00", "1919-03-31T04:30:00"}, // the clocks leapt from 23:30 to 00:30
		{"Europe/Berlin", "2024-03-31T00:00:00", "2024-03-30T23:00:00"},
	} {
		z, err := ParseZone(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		got := z.StartOfDay(microsOf(t, c.day) / (24 * 3600 * microsPerSecond))
		if got != microsOf(t, c.want) {
			t.Errorf("%s of %s begins at %s, want %s", c.day, c.zone, AppendTimestamp(nil, got, 'T'), c.want)
		}
	}
}

// TestParseZone refuses what is no zone.
func TestParseZone(t *testing.T) {
	for _, name := range []string{"Europe/berlin", "Mars", "+19:00", "+01:75", "Local", "../etc/passwd", " "} {
		if z, err := ParseZone(name); err == nil {
			t.Errorf("%q is %v", name, z)
		}
	}
	for _, name := range []string{"Z", "UTC", "GMT", "+00:00", "Etc/UTC"} {
		if z, err := ParseZone(name); err != nil || z != nil {
			t.Errorf("%q is %v, %v, want UTC", name, z, err)
		}
	}
}

func microsOf(t *testing.T, text string) int64 {
	t.Helper()
	at, err := time.Parse("2006-01-02T15:04:05", text)
	if err != nil {
		t.Fatal(err)
	}
	return at.UnixMicro()
}
