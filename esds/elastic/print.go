package elastic

import (
	"errors"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// printer writes hits as lines. Values that stand for themselves are copied from
// the answer; those of neighbouring columns, which are neighbours in most
// documents too, together with the names between them.
type printer struct {
	*rows
	lines  *row.Lines
	places []spot
	one    *row.Batch // a row that the walker gives up
	way    *straight  // nil when columns are not members of the document
	text   []byte     // a text without its escapes
	named  bool       // between two values of a line stands what does so in a document
}

// spot is a place of a line.
type spot struct {
	open   []byte
	at     *span // nil for a column without values
	decode decode
	cell   *row.Column // for a value that must be decoded
	text   bool        // a STRING
	copies bool        // JSON may stand for itself
	bare   bool        // and numbers may
	head   [8]byte     // the first bytes of open
	// named: open is a comma and the name of the value in a document, so where as many
	// bytes stand before the value they are the same.
	named bool
}

// printer returns the printer of the rows, which has the same lines every time.
func (r *rows) printer(l *row.Lines) *printer {
	if r.prints == nil {
		r.prints = r.newPrinter(l)
	}
	return r.prints
}

func (r *rows) newPrinter(l *row.Lines) *printer {
	p := &printer{rows: r, lines: l, one: r.plan.batch(), named: true}
	if r.walker != nil && r.walker.source != nil {
		p.way = &straight{}
	}
	for i, column := range l.Columns {
		c := r.plan.columns[column]
		t := c.column.Type
		name := c.path[strings.LastIndexByte(c.path, '.')+1:]
		place := spot{open: l.Open[i], decode: r.decode[column], cell: row.NewColumn(t), text: t.Kind == row.String, copies: l.Copies(i)}
		place.bare = place.copies || !l.JSON
		copy(place.head[:], l.Open[i])
		place.named = c.from == fromSource && string(place.open) == `,"`+name+`":`
		p.named = p.named && place.copies && (place.named || i == 0)
		if r.walker != nil {
			place.at = r.walker.span(column)
		}
		if place.at == nil || c.from != fromSource || name != c.path || string(row.AppendQuoted(nil, name)) != `"`+name+`"` {
			p.way = nil
		} else if p.way != nil && !p.way.add(newStep(name, r.walker.looks[r.walker.slots[column]])) {
			p.way = nil
		}
		p.places = append(p.places, place)
	}
	return p
}

// errNoLine says that a hit is no line. It stands as a row in the printer's batch.
var errNoLine = errors.New("a row that is no line")

// append appends the hit that begins at i as a line, and returns the position
// after it. With errNoLine nothing is appended.
func (p *printer) append(dst, b []byte, i int) ([]byte, int, error) {
	if p.way != nil && p.way.odd < oddHits {
		if out, end, ok := p.straight(dst, b, i); ok {
			p.way.odd = 0
			return out, end, nil
		}
		p.way.odd++
	}
	if p.walker != nil {
		if end, ok := p.walker.hit(b, i); ok {
			if out, ok := p.found(dst, b); ok {
				return out, end, nil
			}
		}
	}
	end, err := skipValue(b, i)
	if err != nil {
		return dst, end, p.broken(err)
	}
	p.one.Truncate(0)
	if err := p.appendHit(p.one, b[i:end:end]); err != nil {
		return dst, end, err
	}
	out, err := p.lines.Line(dst, p.one, 0)
	if err != nil {
		return dst, end, errNoLine
	}
	return out, end, nil
}

// alone returns the row that is no line.
func (p *printer) alone() *row.Batch {
	b := p.one
	p.one = p.plan.batch()
	return b
}

// found appends what the walker found. False when a value cannot be decoded.
func (p *printer) found(dst, b []byte) ([]byte, bool) {
	from, to := 0, 0 // of b, still to be copied
	for i := range p.places {
		here := &p.places[i]
		at := here.at
		if p.walker.holds(at) && here.copies && at.form != formAny {
			if to == 0 || at.start-to != len(here.open) || !here.named {
				dst = append(append(dst, b[from:to]...), here.open...)
				from = at.start
			}
			to = at.end
			continue
		}
		if p.lines.Omit && !p.walker.holds(at) {
			continue
		}
		if to > 0 {
			dst = append(dst, b[from:to]...)
			from, to = 0, 0
		}
		if !p.walker.holds(at) {
			dst = p.lines.AppendNull(dst, i)
			continue
		}
		var ok bool
		if dst, ok = p.value(dst, b[at.start:at.end:at.end], at.form, i); !ok {
			return dst, false
		}
	}
	dst = append(dst, b[from:to]...)
	return append(dst, p.lines.Close...), true
}

// straight is append for a hit whose document may be gone through straight. False
// when it cannot.
func (p *printer) straight(dst, b []byte, i int) ([]byte, int, bool) {
	begin, w := len(dst), p.way
	i, ok := w.frame.document(b, i)
	for k := 0; ok && k < len(w.steps); {
		first := k
		if i, k = w.run(b, i, k); k > first {
			dst, ok = p.plain(dst, b, first, k)
		} else if i, ok = w.one(b, i, k); ok {
			at := &w.spans[k]
			dst, ok = p.value(dst, b[at.start:at.end:at.end], at.form, k)
			k++
		}
	}
	if !ok || i >= len(b) || b[i] != '}' {
		return dst[:begin], i, false
	}
	i, ok = hitEnd(b, i+1)
	return append(dst, p.lines.Close...), i, ok
}

// plain appends the values of steps that were plain. False when one cannot be
// decoded.
func (p *printer) plain(dst, b []byte, first, end int) ([]byte, bool) {
	spans := p.way.spans
	if p.named {
		dst = append(dst, p.places[first].open...)
		return append(dst, b[spans[first].start:spans[end-1].end]...), true
	}
	for k := first; k < end; k++ {
		at, here := &spans[k], &p.places[k]
		from, to, bare := at.start, at.end, here.bare
		if b[from] == '"' { // no number
			from, to = from+1, to-1
			bare = !here.text && !p.lines.JSON
		}
		if bare {
			dst = here.appendShort(dst, b, from, to)
			continue
		}
		var ok bool
		if dst, ok = p.value(dst, b[at.start:at.end:at.end], at.form, k); !ok {
			return dst, false
		}
	}
	return dst, true
}

// value appends a value of which the text is not copied with its neighbours, with
// what stands before it. False when it cannot be decoded.
func (p *printer) value(dst, v []byte, f form, place int) ([]byte, bool) {
	here := &p.places[place]
	switch {
	case f == formNull:
		return p.lines.AppendNull(dst, place), true
	case here.copies && f != formAny:
		return append(append(dst, here.open...), v...), true
	case f == formEscaped && here.text && !p.lines.JSON:
		p.text = unescape(p.text[:0], v[1:len(v)-1])
		return p.lines.Text(append(dst, here.open...), p.text), true
	case f != formPlain || p.lines.JSON:
		here.cell.Truncate(0)
		if here.decode(here.cell, v) != nil {
			return dst, false
		}
		out, err := p.lines.AppendPlace(dst, place, here.cell, 0)
		return out, err == nil
	}
	dst = append(dst, here.open...)
	switch {
	case v[0] != '"':
		return append(dst, v...), true
	case here.text:
		return p.lines.Text(dst, v[1:len(v)-1]), true
	}
	return append(dst, v[1:len(v)-1]...), true
}

// appendShort appends what stands before the value and the value, which is b[from:to].
// A short one is copied with what follows it, which is overwritten by the next: that
// many bytes are a few moves, and a copy of fewer is a call.
func (s *spot) appendShort(dst, b []byte, from, to int) []byte {
	const most = 32
	at, open, n := len(dst), len(s.open), to-from
	if n > most || open > len(s.head) || from+most > len(b) || at+len(s.head)+most > cap(dst) {
		return append(append(dst, s.open...), b[from:to]...)
	}
	out := dst[at : at+len(s.head)+most]
	*(*[8]byte)(out) = s.head
	*(*[most]byte)(out[open:]) = *(*[most]byte)(b[from:])
	return dst[:at+open+n]
}
