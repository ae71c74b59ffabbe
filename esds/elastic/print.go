package elastic

import (
	"github.com/eslake/eslake/sql/row"
)

// printer writes hits as lines. Values that stand for themselves are copied from
// the answer; those of neighbouring columns, which are neighbours in most
// documents too, together with the names between them.
type printer struct {
	*rows
	lines *row.Lines
	one   *row.Batch // a row that the walker gives up
	cell  *row.Batch // single values
}

// printer returns the printer of the rows, which has the same lines every time.
func (r *rows) printer(l *row.Lines) *printer {
	if r.prints == nil {
		r.prints = &printer{rows: r, lines: l, one: r.plan.batch(), cell: r.plan.batch()}
	}
	return r.prints
}

// append appends the hit that begins at i as a line, and returns the position
// after it.
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
	return p.lines.Append(dst, p.one, 0), end, nil
}

// found appends what the walker found. False when a value cannot be decoded.
func (p *printer) found(dst, b []byte) ([]byte, bool) {
	from, to := 0, 0 // of b, still to be copied
	for place, column := range p.lines.Columns {
		open := p.lines.Open[place]
		at := p.walker.at(column)
		if at == nil {
			dst = append(append(append(dst, b[from:to]...), open...), p.lines.Null...)
			from, to = 0, 0
			continue
		}
		if at.plain && p.lines.JSON {
			if to == 0 || at.start-to != len(open) || string(b[to:at.start]) != string(open) {
				dst = append(append(dst, b[from:to]...), open...)
				from = at.start
			}
			to = at.end
			continue
		}
		dst = append(append(dst, b[from:to]...), open...)
		from, to = 0, 0
		v := b[at.start:at.end:at.end]
		switch c := p.cell.Columns[column]; {
		case !at.plain:
			c.Truncate(0)
			if p.decode[column](c, v) != nil {
				return dst, false
			}
			dst = p.lines.AppendValue(dst, c, 0)
		case v[0] != '"':
			dst = append(dst, v...)
		case c.Type.Kind == row.String:
			dst = p.lines.Text(dst, v[1:len(v)-1])
		default:
			dst = append(dst, v[1:len(v)-1]...)
		}
	}
	dst = append(dst, b[from:to]...)
	return append(dst, p.lines.Close...), true
}
