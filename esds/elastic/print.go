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
}

// spot is a place of a line.
type spot struct {
	open   []byte
	at     *span // nil for a column without values
	decode decode
	cell   *row.Column // for a value that must be decoded
	text   bool        // a STRING
	copies bool        // JSON may stand for itself
	// named: open is a comma and the name of the value in a document, so where as many
	// bytes stand before the value they are the same.
	named bool
}

// printer returns the printer of the rows, which has the same lines every time.
func (r *rows) printer(l *row.Lines) *printer {
	if r.prints == nil {
		r.prints = &printer{rows: r, lines: l, one: r.plan.batch()}
		for i, column := range l.Columns {
			c := r.plan.columns[column]
			t := c.column.Type
			name := c.path[strings.LastIndexByte(c.path, '.')+1:]
			p := spot{open: l.Open[i], decode: r.decode[column], cell: row.NewColumn(t), text: t.Kind == row.String, copies: l.Copies(i)}
			p.named = c.from == fromSource && string(p.open) == `,"`+name+`":`
			if r.walker != nil {
				p.at = r.walker.span(column)
			}
			r.prints.places = append(r.prints.places, p)
		}
	}
	return r.prints
}

// errNoLine says that a hit is no line. It stands as a row in the printer's batch.
var errNoLine = errors.New("a row that is no line")

// append appends the hit that begins at i as a line, and returns the position
// after it. With errNoLine nothing is appended.
func (p *printer) append(dst, b []byte, i int) ([]byte, int, error) {
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
		if dst, ok = p.value(dst, b[at.start:at.end:at.end], i); !ok {
			return dst, false
		}
	}
	dst = append(dst, b[from:to]...)
	return append(dst, p.lines.Close...), true
}

// value appends a value that is not copied as it is, with what stands before it.
func (p *printer) value(dst, v []byte, place int) ([]byte, bool) {
	here := &p.places[place]
	if here.at.form != formPlain || p.lines.JSON {
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
