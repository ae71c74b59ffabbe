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

// gathered is a document of random members in an order of its own, and its line.
func gathered(t *rapid.T, order []int) (hit, line string) {
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
		line += fmt.Sprintf(",m%d=%s", place, v)
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

// Lines of documents with an order of their own have the order of the places, and nothing
// is written beyond the storage that there is for them.
func TestGatherKeepsToItsRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "places")
		places, order := make([]Place, n), make([]int, n)
		for i := range places {
			places[i] = Place{Key: fmt.Sprintf(`"m%d":`, i), Look: LookOf(row.StringType), Open: fmt.Appendf(nil, ",m%d=", i), Keep: KeepWhole}
			order[i] = i
		}
		if order = rapid.Permutation(order).Draw(t, "order"); slices.IsSorted(order) {
			order[0], order[1] = order[1], order[0]
		}
		l := &row.Lines{JSON: true, Text: row.AppendQuoted[[]byte], Null: []byte("null"), Close: []byte(">")}
		h := NewHits(l, places, false, 1<<20)
		h.Follow(order)
		var hits []string
		want := ""
		for range rapid.IntRange(1, 8).Draw(t, "documents") {
			hit, line := gathered(t, order)
			hits, want = append(hits, hit), want+line
		}
		text := []byte(strings.Join(hits, ",") + strings.Repeat(" ", Reach))
		f := &Frame{Text: []byte(`{"_id":"` + `","_source":{`), Head: len(`{"_id":"`)}
		room := rapid.IntRange(0, 3000).Draw(t, "room")
		all := storage(room)
		dst := all[:0:room]
		at := Begin(dst, 0)
		for why := Room; why != Stop; {
			dst, why = h.Run(&at, dst, text, f)
			if strings.Trim(string(all[room:]), "#") != "" {
				t.Fatalf("%d bytes of room were not kept to", room)
			}
			switch why {
			case Room:
				room += h.More(dst)
				all = storage(room)
				dst = append(all[:0:room], dst...)
			case Value:
				takeValue(t, h, &at, text, places)
			case Tail: // no room for the end, which the caller finds then
				if !bytes.HasPrefix(text[at.At:], []byte(gatheredEnd)) {
					t.Fatalf("the document ends at %s", text[at.At:])
				}
				dst = append(dst, l.Close...)
				if at.At += len(gatheredEnd) + 1; at.At < len(text)-Reach {
					at = Position{At: at.At, Step: -1, Line: len(dst), Hits: at.Hits + 1}
					all = append(storage(cap(dst))[:0], dst...) // append may have taken other storage
					room, dst = cap(dst), all[:len(dst):cap(dst)]
					all = all[:cap(all)]
					break
				}
				at.Line, at.Hits, why = len(dst), at.Hits+1, Stop
			case Head:
				t.Fatalf("a hit begins with %s", text[at.At:])
			}
		}
		if got := string(dst[:at.Line]); got != want || at.Hits != len(hits) {
			t.Fatalf("%d hits in order %v\nprinted %s\nwant    %s", at.Hits, order, got, want)
		}
	})
}

// storage returns n bytes, and some behind them that nobody should write.
func storage(n int) []byte { return bytes.Repeat([]byte("#"), n+512) }

var aValue = regexp.MustCompile(`^(null|"([^"\\]|\\.)*")`)

// takeValue takes the value of a step as a caller does.
func takeValue(t *rapid.T, h *Hits, at *Position, text []byte, places []Place) {
	place := h.Order()[at.Step]
	value := at.At + len(places[place].Key)
	end := value + len(aValue.Find(text[value:]))
	h.Aside(place, func(dst []byte) ([]byte, bool) {
		if string(text[value:end]) == "null" {
			return dst, true
		}
		return slices.Concat(dst, places[place].Open, []byte(taken(string(text[value:end])))), true
	})
	if at.Step, at.At = at.Step+1, end; text[end] == ',' {
		at.At++
	}
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
