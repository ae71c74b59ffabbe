package duck

import (
	"context"
	"errors"

	"github.com/eslake/eslake/sql/row"
	"github.com/eslake/eslake/sql/row/textcopy"
)

// csvPrinter makes lines of records. A value of which the text is what would be
// printed of it is copied.
type csvPrinter struct {
	lines  *row.Lines
	places []csvPlace
	others []csvPlace // fields that no place has; they must be readable all the same
	text   []byte
	record *row.Batch        // a record that is no line; of one row, or of none
	quick  *textcopy.Records // nil when records are not for it
	odd    int               // records in a row that were not
}

// csvPlace is a place of a line.
type csvPlace struct {
	field  int // in a record
	use    *fieldUse
	kind   row.Kind
	typ    *row.Type
	open   []byte
	cell   *row.Column // for a value that must be read
	copies copies
}

// copies says which texts of a column are copied.
type copies uint8

const (
	copiesNone   copies = iota
	copiesText          // all of a STRING
	copiesPlain         // those that spell themselves
	copiesQuoted        // those too, as JSON strings
)

const (
	printedBytes = 256 << 10 // of text that is given out at once, about
	printedRows  = row.BatchSize
)

// errNoLine says that a record is to be read as values.
var errNoLine = errors.New("a record that is no line")

// Print is Next for the lines of a row.Printer. A record that cannot be read, or
// that the lines do not take, comes as a batch, or not at all, as Next has it.
func (r *csvReader) Print(ctx context.Context, l *row.Lines) (row.Printed, error) {
	if r.bad >= 0 || !l.JSON {
		b, err := r.Next(ctx)
		return row.Printed{Batch: b}, err
	}
	if r.prints == nil {
		r.prints = r.printer(l)
	}
	p := r.prints
	rows := 0
	if p.record.Len == 0 && r.err == nil {
		rows = r.printRows(p)
	}
	r.pace.tell(ctx)
	r.track.tell(ctx)
	r.d.tell(ctx)
	switch {
	case rows > 0:
		return row.Printed{Text: p.text, Rows: rows}, ctx.Err()
	case p.record.Len > 0:
		b := p.record
		p.record = row.NewBatch(r.schema)
		return row.Printed{Batch: b}, ctx.Err()
	}
	return row.Printed{}, r.err
}

// printRows prints records until there are enough of them, one is no line, or one
// is an error, and returns how many there are.
func (r *csvReader) printRows(p *csvPrinter) (rows int) {
	p.text = p.text[:0]
	for rows < printedRows && len(p.text) < printedBytes {
		if r.printQuick(p) {
			rows++
			continue
		}
		r.err = r.readRow(func() error {
			text, err := p.append(p.text, r)
			if err != nil { // as values it says what is wrong
				return r.appendRow(p.record)
			}
			p.text = text
			return nil
		})
		if r.err != nil || p.record.Len > 0 {
			break
		}
		rows++
	}
	return rows
}

// printer returns what makes lines.
func (r *csvReader) printer(l *row.Lines) *csvPrinter {
	p := &csvPrinter{lines: l, record: row.NewBatch(r.schema)}
	field := make([]int, len(r.schema))
	placed := make([]bool, len(r.schema))
	for k, use := range r.fields {
		field[use.column] = k
	}
	for place, column := range l.Columns {
		placed[column] = true
		at := r.place(field[column])
		at.open = l.Open[place]
		if l.Copies(place) && !at.use.unused {
			at.copies = r.d.copies(at.typ)
		}
		p.places = append(p.places, at)
	}
	for k, use := range r.fields {
		if !placed[use.column] && !use.unused {
			p.others = append(p.others, r.place(k))
		}
	}
	p.quick = r.quick(p)
	return p
}

func (r *csvReader) place(field int) csvPlace {
	use := &r.fields[field]
	typ := &r.schema[use.column].Type
	return csvPlace{field: field, use: use, kind: use.kind, typ: typ, cell: row.NewColumn(*typ)}
}

// copies says which texts of a type may be copied.
func (d *dialect) copies(t *row.Type) copies {
	switch t.Kind {
	case row.String:
		return copiesText
	case row.TinyInt, row.SmallInt, row.Int, row.BigInt, row.Decimal, row.Boolean:
		return copiesPlain
	case row.Double:
		for _, text := range []string{d.nan, d.inf, d.low} {
			if _, plain := shortDouble([]byte(text)); plain {
				return copiesNone
			}
		}
		return copiesPlain
	case row.Date:
		if d.date == nil {
			return copiesQuoted
		}
	case row.Timestamp:
		if d.ts == nil {
			return copiesQuoted
		}
	}
	return copiesNone
}

// append appends the current record as a line. With an error the record is not one.
func (p *csvPrinter) append(dst []byte, r *csvReader) ([]byte, error) {
	fields := r.cur.fields
	if len(fields) != len(r.fields) && r.d.mode != permissive {
		return dst, errNoLine
	}
	for k := range p.others {
		at := &p.others[k]
		if err := at.read(r); err != nil {
			return dst, err
		}
	}
	for place := range p.places {
		var err error
		if dst, err = p.appendPlace(dst, r, place); err != nil {
			return dst, err
		}
	}
	return append(dst, p.lines.Close...), nil
}

// appendPlace appends a value of the current record with what stands before it.
func (p *csvPrinter) appendPlace(dst []byte, r *csvReader, place int) ([]byte, error) {
	at := &p.places[place]
	if at.copies != copiesNone && at.field < len(r.cur.fields) {
		text, null := r.d.value(&r.cur.fields[at.field], at.kind)
		if null {
			return p.lines.AppendNull(dst, place), nil
		}
		if out, ok := at.copied(dst, text); ok {
			return out, nil
		}
	}
	if err := at.read(r); err != nil {
		return dst, err
	}
	return p.lines.AppendPlace(dst, place, at.cell, 0)
}

// copied appends a value that need not be read, with what stands before it.
func (at *csvPlace) copied(dst, text []byte) ([]byte, bool) {
	if at.copies == copiesText {
		return row.AppendQuoted(append(dst, at.open...), text), true
	}
	if !at.typ.SpellsItself(text) {
		return dst, false
	}
	dst = append(dst, at.open...)
	if at.copies == copiesPlain {
		return append(dst, text...), true
	}
	return append(append(append(dst, '"'), text...), '"'), true
}

// read reads a value of the current record into the cell: NULL where none can be
// read and none need be.
func (at *csvPlace) read(r *csvReader) error {
	at.cell.Truncate(0)
	if at.use.unused || at.field >= len(r.cur.fields) {
		at.cell.AppendNull()
		return nil
	}
	text, null := r.d.value(&r.cur.fields[at.field], at.kind)
	if null {
		at.cell.AppendNull()
		return nil
	}
	err := at.use.parse(at.cell, text)
	if err != nil && r.d.mode == permissive {
		at.cell.AppendNull()
		err = nil
	}
	return err
}
