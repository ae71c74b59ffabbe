package elastic

import (
	"errors"
	"strings"

	"github.com/eslake/eslake/sql/row"
	"github.com/eslake/eslake/sql/row/textcopy"
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
	named  bool       // a line has its names and values as they stand in a document
}

// spot is a place of a line.
type spot struct {
	open   []byte
	at     *span // nil for a column without values
	decode decode
	cell   *row.Column // for a value that must be decoded
	text   bool        // a STRING
	copies bool        // JSON may stand for itself
	bare   bool        // or may without the quotes around it
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
		place.bare = !l.JSON && (!place.text || l.Plain != nil)
		place.named = c.from == fromSource && string(place.open) == `,"`+name+`":`
		p.named = p.named && place.copies && (place.named || i == 0)
		if r.walker != nil {
			place.at = r.walker.span(column)
		}
		if place.at == nil || c.from != fromSource || name != c.path || string(row.AppendQuoted(nil, name)) != `"`+name+`"` {
			p.way = nil
		} else if p.way != nil && !p.way.add(name, r.walker.looks[r.walker.slots[column]], &place) {
			p.way = nil
		}
		p.places = append(p.places, place)
	}
	if p.way != nil {
		p.way.hits = textcopy.NewHits(l, p.way.places, p.named, textBytes)
	}
	return p
}

// errNoLine says that a hit is no line. It stands as a row in the printer's batch.
var errNoLine = errors.New("a row that is no line")

// append appends the hit that begins at i as a line, and those after it while that
// is quick, and returns the position after the last and how many there were. With an
// error it was the first, and nothing is appended.
func (p *printer) append(dst, b []byte, i int) ([]byte, int, int, error) {
	if p.way != nil && p.way.odd < oddHits {
		if out, end, n := p.straight(dst, b, i); n > 0 {
			p.way.odd = 0
			return out, end, n, nil
		}
		p.way.odd++
		p.way.follow(b, i)
	}
	out, end, err := p.appendOne(dst, b, i)
	return out, end, 1, err
}

func (p *printer) appendOne(dst, b []byte, i int) ([]byte, int, error) {
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
