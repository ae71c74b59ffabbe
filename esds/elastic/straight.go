package elastic

import (
	"bytes"
	"slices"

	"github.com/eslake/eslake/sql/row/textcopy"
)

// straight is the way through hits whose documents have the columns of a line as
// members, in an order that all have, and nothing else between them. Nothing is looked
// for on it, and little is noted.
type straight struct {
	places []textcopy.Place
	looks  []glance
	hits   *textcopy.Hits
	frame  textcopy.Frame
	odd    int // hits in a row that it was not for
	orders int // that were learnt
	vain   int // hits that taught none
}

// oddHits is after how many hits in a row that it was not for a way is not tried any
// more.
const oddHits = 20

// add adds a step. It is false for a member that is due already.
func (s *straight) add(name string, look glance, here *spot) bool {
	place := textcopy.Place{Key: `"` + name + `":`, Look: look.Look, Open: here.open}
	if slices.ContainsFunc(s.places, func(p textcopy.Place) bool { return p.Key == place.Key }) {
		return false
	}
	switch {
	case here.copies:
		place.Keep = textcopy.KeepWhole
	case here.bare:
		place.Keep = textcopy.KeepInner
	}
	s.places, s.looks = append(s.places, place), append(s.looks, look)
	return true
}

// straight appends the hit that begins at i, and those after it, while their documents
// may be gone through straight. It returns the position after the last, and how many
// there were.
func (p *printer) straight(dst, b []byte, i int) ([]byte, int, int) {
	s, at := p.way, textcopy.Begin(dst, i)
	for ok := true; ok; {
		var why textcopy.Why
		dst, why = s.hits.Run(&at, dst, b, &s.frame)
		switch why {
		case textcopy.Room:
			dst = slices.Grow(dst, s.hits.More(dst))
		case textcopy.Head:
			at.At, ok = learn(&s.frame, b, at.At)
			at.Step = 0
		case textcopy.Value:
			dst, ok = p.step(dst, b, &at)
		case textcopy.Tail:
			if i, ok = hitEnd(b, at.At); ok {
				return append(dst, p.lines.Close...), i, at.Hits + 1
			}
		default:
			ok = false
		}
	}
	return dst[:at.Line], at.End, at.Hits
}

// step takes the value of the next step whatever it is; false when that is for the
// walker.
func (p *printer) step(dst, b []byte, at *textcopy.Position) ([]byte, bool) {
	place := p.way.hits.Order()[at.Step]
	v, ok := p.way.one(b, at, place)
	switch {
	case !ok:
		return dst, false
	case p.way.hits.Gathers():
		return dst, p.way.hits.Aside(place, func(dst []byte) ([]byte, bool) { return p.value(dst, b[v.start:v.end:v.end], v.form, place) })
	}
	return p.value(dst, b[v.start:v.end:v.end], v.form, place)
}

// one returns where the value of the next step stands, and goes behind it; false when
// that is for the walker. A member that is not there is NULL.
func (s *straight) one(b []byte, at *textcopy.Position, place int) (v span, ok bool) {
	v.form = formNull
	key, look := s.places[place].Key, &s.looks[place]
	at.Step++
	if !bytes.HasPrefix(b[at.At:], []byte(key)) {
		return v, true
	}
	var err error
	if v.start = at.At + len(key); v.start < len(b) && b[v.start] == 'n' {
		v.end, err = skipValue(b, v.start)
	} else {
		v.end, v.form, err = look.scan(b, v.start)
	}
	if err != nil || v.end >= len(b) {
		return v, false
	}
	if at.At = v.end; b[at.At] == ',' {
		at.At++
	}
	return v, true
}

// mostOrders is how many orders of members are learnt at most, and how many hits are
// looked at that teach none.
const mostOrders = 100

// follow learns the order of the members from the hit at i, which did not go straight. It
// is the one that documents had before, with those that they did not have; another one,
// when that does not go together.
func (s *straight) follow(b []byte, i int) {
	if s.orders == mostOrders || s.vain == mostOrders {
		return
	}
	s.vain++
	i, ok := learn(&textcopy.Frame{}, b, i)
	if !ok {
		return
	}
	var found []int
	for i < len(b) && b[i] == '"' {
		_, value, err := memberName(b, i)
		if err != nil {
			return
		}
		key := string(b[i:value])
		place := slices.IndexFunc(s.places, func(p textcopy.Place) bool { return p.Key == key })
		end, ok := skipMember(b, i)
		if place < 0 || slices.Contains(found, place) || !ok || end >= len(b) {
			return
		}
		if found, i = append(found, place), end; b[i] == ',' {
			i++
		}
	}
	if order := inserted(s.hits.Order(), found); !slices.Equal(order, s.hits.Order()) {
		s.orders++
		s.vain--
		s.hits.Follow(order)
	}
}

// inserted returns order with those of found that it lacks, or found when they do not go
// together.
func inserted(order, found []int) []int {
	out := slices.Clone(order)
	behind := 0 // the one before in found
	for _, place := range found {
		switch at := slices.Index(out, place); {
		case at < 0:
			out = slices.Insert(out, behind, place)
			behind++
		case at < behind:
			return found
		default:
			behind = at + 1
		}
	}
	return out
}

const (
	frameID     = `"_id":"`
	frameSource = `"_source":{`
)

// learn returns the position after the brace that opens the document of the hit at i,
// and notes what stands around it.
func learn(f *textcopy.Frame, b []byte, i int) (int, bool) {
	begin, id, idEnd := i, 0, 0
	if i >= len(b) || b[i] != '{' {
		return i, false
	}
	for i++; i < len(b) && b[i] == '"'; i++ {
		if bytes.HasPrefix(b[i:], []byte(frameSource)) {
			i += len(frameSource)
			if id > 0 {
				f.Text, f.Head = append(append(f.Text[:0], b[begin:id]...), b[idEnd:i]...), id-begin
			}
			return i, true
		}
		end, ok := skipMember(b, i)
		if !ok || end >= len(b) || b[end] != ',' {
			return end, false
		}
		if bytes.HasPrefix(b[i:], []byte(frameID)) {
			id, idEnd = i+len(frameID), end-1
		}
		i = end
	}
	return i, false
}

// hitEnd returns the position after the hit of which the document ends at i.
func hitEnd(b []byte, i int) (int, bool) {
	if i >= len(b) || b[i] != '}' {
		return i, false
	}
	for i++; i < len(b) && b[i] == ','; {
		end, ok := skipMember(b, i+1)
		if !ok {
			return end, false
		}
		i = end
	}
	return i + 1, i < len(b) && b[i] == '}'
}

// skipMember returns the position after the member that begins at i.
func skipMember(b []byte, i int) (int, bool) {
	if i >= len(b) {
		return i, false
	}
	_, value, err := memberName(b, i)
	if err != nil {
		return i, false
	}
	end, err := skipValue(b, value)
	return end, err == nil
}
