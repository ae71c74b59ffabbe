package textcopy

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

const gatheredEnd = `},"sort":[1]}`

// drawHit draws a document with members of places, in an order, and returns its line.
func drawHit(t *rapid.T, order []int, places []Place) (hit, line string) {
	values := make([]string, len(order))
	var members []string
	for _, place := range order {
		v := rapid.SampledFrom([]string{"", "", `"a"`, `"\\\""`, `""`, "null", `"\u0041"`, `"` + strings.Repeat("long ", 30) + `"`, `"` + strings.Repeat(`\"`, 20) + `"`}).Draw(t, "value")
		if v != "" {
			members = append(members, fmt.Sprintf(`"m%d":%s`, place, v))
		}
		if v != "null" {
			values[place] = taken(v)
		}
	}
	for place, v := range values {
		if v == "" {
			v = "null"
		}
		line += string(places[place].Open) + v
	}
	return `{"_id":"1","_source":{` + strings.Join(members, ",") + gatheredEnd, line + ">"
}

// taken is how a value stands in a line.
func taken(value string) string {
	if value == `"\u0041"` { // which the caller takes: it may make more of it than it was
		return strings.Repeat("A", 300)
	}
	return value
}

// Lines have the order of the places, be that of documents or not, and nothing is written
// beyond the storage that there is for them.
func TestKeepsToItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		named := rapid.Bool().Draw(t, "named")
		n := rapid.IntRange(2, 12).Draw(t, "places")
		places, order := make([]Place, n), make([]int, n)
		for i := range places {
			places[i] = Place{Key: fmt.Sprintf(`"m%d":`, i), Look: LookOf(row.StringType), Open: fmt.Appendf(nil, `,"m%d":`, i), Keep: KeepWhole}
			order[i] = i
		}
		places[0].Open = []byte(rapid.SampledFrom([]string{"", `{"m0":`, "<m0>=", strings.Repeat("long", 20)}).Draw(t, "open"))
		if !named {
			order = rapid.Permutation(order).Draw(t, "order")
		}
		l := &row.Lines{JSON: true, Text: row.AppendQuoted[[]byte], Null: []byte("null"), Close: []byte(">")}
		h := NewHits(l, places, named, 1<<20)
		h.Follow(order)
		var hits []string
		want := ""
		for range rapid.IntRange(1, 8).Draw(t, "documents") {
			hit, line := drawHit(t, order, places)
			hits, want = append(hits, hit), want+line
		}
		text := []byte(strings.Join(hits, ",") + strings.Repeat(" ", Reach))
		f := &Frame{Text: []byte(`{"_id":"` + `","_source":{`), Head: len(`{"_id":"`)}
		s := store(nil, rapid.IntRange(0, 3000).Draw(t, "room"))
		at := Begin(s.dst, 0)
		for why := Room; why != Stop; {
			s.dst, why = h.Run(&at, s.dst, text, f)
			s.check(t)
			switch why {
			case Room:
				s = store(s.dst, cap(s.dst)+h.More(s.dst))
			case Value:
				s.add(takeValue(h, &at, text, places))
			case Tail: // no room for the end, which the caller finds then
				if !bytes.HasPrefix(text[at.At:], []byte(gatheredEnd)) {
					t.Fatalf("the document ends at %s", text[at.At:])
				}
				s.add(l.Close)
				at = Position{At: at.At + len(gatheredEnd) + 1, Step: -1, Line: len(s.dst), Hits: at.Hits + 1}
				if at.At >= len(text)-Reach {
					why = Stop
				}
			case Head:
				t.Fatalf("a hit begins with %s", text[at.At:])
			}
		}
		if got := string(s.dst[:at.Line]); got != want || at.Hits != len(hits) {
			t.Fatalf("%d hits in order %v\nprinted %s\nwant    %s", at.Hits, order, got, want)
		}
	})
}

// stored is storage of so many bytes, and some behind them that nobody should write.
type stored struct{ all, dst []byte }

func store(dst []byte, room int) stored {
	all := append(dst[:len(dst):len(dst)], bytes.Repeat([]byte("#"), room-len(dst)+512)...)
	return stored{all, all[:len(dst):room]}
}

func (s *stored) check(t *rapid.T) {
	if room := cap(s.dst); strings.Trim(string(s.all[room:]), "#") != "" {
		t.Fatalf("%d bytes of room were not kept to", room)
	}
}

// add appends what the caller has taken itself.
func (s *stored) add(text []byte) {
	*s = store(append(s.dst[:len(s.dst):len(s.dst)], text...), max(cap(s.dst), len(s.dst)+len(text)))
}

var aValue = regexp.MustCompile(`^(null|"([^"\\]|\\.)*")`)

// takeValue takes the value of a step as a caller does, and returns what goes behind the
// lines.
func takeValue(h *Hits, at *Position, text []byte, places []Place) (line []byte) {
	place := h.Order()[at.Step]
	value := at.At + len(places[place].Key)
	end := value + len(aValue.Find(text[value:]))
	line = slices.Concat(places[place].Open, []byte(taken(string(text[value:end]))))
	if h.Gathers() {
		own := line
		if line = nil; string(text[value:end]) == "null" {
			own = nil
		}
		h.Aside(place, func(dst []byte) ([]byte, bool) { return append(dst, own...), true })
	}
	if at.Step, at.At = at.Step+1, end; text[end] == ',' {
		at.At++
	}
	return line
}

// What is left to the caller is nothing when the caller makes nothing of it.
func TestGatherForgetsWhatTheCallerTakes(t *testing.T) {
	l := &row.Lines{JSON: true, Text: row.AppendQuoted[[]byte], Null: []byte("null"), Close: []byte(">")}
	var places []Place
	for i, keep := range []Keep{KeepWhole, KeepNot} {
		places = append(places, Place{Key: fmt.Sprintf(`"m%d":`, i), Look: LookOf(row.StringType), Open: fmt.Appendf(nil, ",m%d=", i), Keep: keep})
	}
	h := NewHits(l, places, false, 1<<20)
	h.Follow([]int{1, 0})
	const key = `{"_id":"","_source":{`
	text := []byte(`{"_id":"1","_source":{"m1":"b","m0":"a"` + gatheredEnd + strings.Repeat(" ", Reach))
	dst, f := make([]byte, 0, 4096), &Frame{Text: []byte(key), Head: len(`{"_id":"`)}
	at := Begin(dst, 0)
	dst, why := h.Run(&at, dst, text, f)
	if why != Value || at.Step != 0 {
		t.Fatalf("why %d at %+v", why, at)
	}
	h.Aside(1, func(dst []byte) ([]byte, bool) { return dst, true })
	at.Step, at.At = 1, bytes.Index(text, []byte(`"m0"`))
	if dst, why = h.Run(&at, dst, text, f); why != Stop || string(dst) != `,m0="a",m1=null>` {
		t.Errorf("why %d, printed %s", why, dst)
	}
}
