package duck

import (
	"slices"

	"github.com/eslake/eslake/sql/row/textcopy"
)

// oddRecords is after how many records in a row that were not for it the quick way is
// not tried any more.
const oddRecords = 20

// quick returns what makes lines of most records, nil for files that are written in a way
// of which it knows nothing.
func (r *csvReader) quick(p *csvPrinter) *textcopy.Records {
	d := r.d
	if len(d.sep) != 1 || d.sep[0] >= 0x80 || d.quote != 0 && d.quote != '"' || d.comment != 0 || d.trimLeft || d.trimRight || len(d.empty) > 0 || len(r.fields) < 2 {
		return nil
	}
	f := textcopy.Format{Sep: d.sep[0], Quote: d.quote, Escape: d.escape, Null: d.null, Fields: len(r.fields)}
	if f.Escape != 0 && f.Escape != '"' && f.Escape != '\\' {
		return nil
	}
	var places, others []textcopy.Step
	for k := range p.places {
		places = append(places, p.places[k].step(p.places[k].copies))
	}
	for k := range p.others {
		others = append(others, p.others[k].step(d.copies(p.others[k].typ)))
	}
	return textcopy.NewRecords(f, p.lines, places, others)
}

func (at *csvPlace) step(c copies) textcopy.Step {
	s := textcopy.Step{Field: at.field, Look: textcopy.LookOf(*at.typ), Open: at.open}
	switch {
	case at.use.unused:
		s.Keep = textcopy.FieldNull
	case c == copiesText, c == copiesPlain:
		s.Keep = textcopy.FieldBare
	case c == copiesQuoted:
		s.Keep = textcopy.FieldQuoted
	}
	return s
}

// printQuick prints the next record, when that can be done without reading its values, or
// by reading some. It is false when nothing was done.
func (r *csvReader) printQuick(p *csvPrinter) bool {
	f, q := r.cur, p.quick
	if f == nil || q == nil || p.odd >= oddRecords {
		return false
	}
	q.Begin(f.pos)
	f.fields, f.room = slices.Grow(f.fields[:0], len(r.fields))[:len(r.fields)], f.room[:0]
	dst := p.text
	for {
		var why textcopy.WhyRecord
		switch dst, why = q.Run(dst, f.buf); why {
		case textcopy.RecordRoom:
			dst = slices.Grow(dst, q.More(dst))
		case textcopy.RecordField:
			var err error
			if dst, err = p.appendStep(dst, r, q.Step); err != nil {
				return false // the usual way says what is wrong
			}
			q.Step++
		case textcopy.RecordDone:
			end, lines := q.End()
			f.start, f.line = f.pos, f.lines+1
			f.pos, f.lines = end, f.lines+lines
			p.text, p.odd = dst, 0
			r.track.add(f.path, f.line)
			return true
		default:
			p.odd++
			return false
		}
	}
}

// appendStep appends a value of a record that the quick way left, or reads one that has
// no place.
func (p *csvPrinter) appendStep(dst []byte, r *csvReader, step int) ([]byte, error) {
	other := step - len(p.places)
	if other < 0 {
		p.fetch(r.cur, p.places[step].field)
		return p.appendPlace(dst, r, step)
	}
	p.fetch(r.cur, p.others[other].field)
	return dst, p.others[other].read(r)
}

// fetch has a field of the record as the usual way would have it.
func (p *csvPrinter) fetch(f *csvFile, k int) {
	field := p.quick.Field(f.buf, k)
	f.fields[k] = csvField{text: f.unescape(field.Text, field.Escaped), quoted: field.Quoted}
}
