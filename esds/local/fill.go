package local

import (
	"fmt"
	"math"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// filler says where the values of a column of the table come from: a column of
// the rows, or for an object the columns whose dotted names lead into it.
type filler struct {
	typ    row.Type
	col    int // -1: see fields
	fields []filler
}

// add takes a column of the rows when its path leads to the place named name or
// into it.
func (f *filler) add(name, path string, col int) {
	if strings.EqualFold(name, path) {
		f.col = col
		return
	}
	if f.typ.Kind != row.Struct || len(path) <= len(name) || path[len(name)] != '.' || !strings.EqualFold(path[:len(name)], name) {
		return
	}
	if f.fields == nil {
		for _, inner := range f.typ.Fields {
			f.fields = append(f.fields, filler{typ: inner.Type, col: -1})
		}
	}
	for k := range f.fields {
		f.fields[k].add(f.typ.Fields[k].Name, path[len(name)+1:], col)
	}
}

func (f *filler) empty() bool {
	if f.col >= 0 {
		return false
	}
	for k := range f.fields {
		if !f.fields[k].empty() {
			return false
		}
	}
	return true
}

// column returns the values of a batch, the very column where its type is that
// of the table. A value that does not fit is a problem of its row.
func (f *filler) column(name string, in *row.Batch, problems []error) *row.Column {
	if f.col >= 0 && same(in.Columns[f.col].Type, f.typ) {
		return in.Columns[f.col]
	}
	dst := row.NewColumn(f.typ)
	for i := range in.Len {
		if err := f.append(dst, in, i); err != nil {
			dst.Truncate(i)
			dst.AppendNull()
			if problems[i] == nil {
				problems[i] = &fieldError{"document_parsing_exception", fmt.Sprintf("failed to parse field [%s] of type [%s]: %v", name, f.typ, err)}
			}
		}
	}
	return dst
}

func (f *filler) append(dst *row.Column, in *row.Batch, i int) error {
	if f.col >= 0 {
		return convert(dst, in.Columns[f.col], i)
	}
	if f.null(in, i) {
		dst.AppendNull()
		return nil
	}
	for k := range f.fields {
		if err := f.fields[k].append(dst.Children[k], in, i); err != nil {
			return err
		}
	}
	dst.EndNested()
	return nil
}

func (f *filler) null(in *row.Batch, i int) bool {
	if f.col >= 0 {
		return in.Columns[f.col].IsNull(i)
	}
	for k := range f.fields {
		if !f.fields[k].null(in, i) {
			return false
		}
	}
	return true
}

// convert appends a value of another type, as Elasticsearch takes it from the
// document: numbers from text, text from anything, a list from one value.
func convert(dst, src *row.Column, i int) error {
	if src.IsNull(i) {
		dst.AppendNull()
		return nil
	}
	to, from := dst.Type.Kind, src.Type.Kind
	switch {
	case same(dst.Type, src.Type):
		dst.AppendFrom(src, i)
	case to == row.String:
		return convertText(dst, src, i)
	case to == row.Array && from != row.Array:
		if err := convert(dst.Children[0], src, i); err != nil {
			return err
		}
		dst.EndNested()
	case dst.Type.Nested() || src.Type.Nested():
		return row.ParseJSON(dst, row.AppendJSON(nil, src, i))
	case from == row.Float || from == row.Double:
		return convertFloat(dst, src.Floats[i])
	case to == row.Timestamp || to == row.TimestampNTZ || to == row.Date:
		return convertTime(dst, src, i)
	case to == row.Binary && from == row.String:
		dst.AppendText(src.Text(i))
	case from == row.Boolean, to == row.Binary:
		return fmt.Errorf("%s is not of type %s", row.AppendJSON(nil, src, i), dst.Type)
	default:
		return row.ParseText(dst, string(row.AppendText(nil, src, i)))
	}
	return nil
}

// convertText gives the JSON form that a document has; of text, the text.
func convertText(dst, src *row.Column, i int) error {
	switch src.Type.Kind {
	case row.String, row.Interval:
		dst.AppendText(src.Text(i))
	case row.Array, row.Map, row.Struct, row.Binary:
		text := row.AppendJSON(nil, src, i)
		if src.Type.Kind == row.Binary {
			text = text[1 : len(text)-1]
		}
		dst.AppendText(text)
	default:
		dst.AppendText(row.AppendText(nil, src, i))
	}
	return nil
}

func convertFloat(dst *row.Column, v float64) error {
	switch k := dst.Type.Kind; {
	case k == row.Double || k == row.Float:
		if k == row.Float && math.Abs(v) > math.MaxFloat32 && !math.IsInf(v, 0) {
			return fmt.Errorf("%v is out of range", v)
		}
		dst.AppendFloat(v)
	case dst.Type.Integral():
		if v != math.Trunc(v) || math.Abs(v) >= 1<<63 || !row.FitsInt(k, int64(v)) {
			return fmt.Errorf("%v is not a whole number of the range", v)
		}
		dst.AppendInt(int64(v))
	case k == row.Decimal:
		return row.ParseText(dst, fmt.Sprint(v))
	default:
		return fmt.Errorf("%v is not of type %s", v, dst.Type)
	}
	return nil
}

const microsADay = 86_400_000_000

func convertTime(dst, src *row.Column, i int) error {
	to := dst.Type.Kind
	switch k := src.Type.Kind; {
	case k == row.String:
		return row.ParseText(dst, string(src.Text(i)))
	case k == row.Date && to != row.Date:
		dst.AppendInt(src.Ints[i] * microsADay)
	case (k == row.Timestamp || k == row.TimestampNTZ) && to == row.Date:
		if src.Ints[i]%microsADay != 0 {
			return fmt.Errorf("%s has a time of day", row.AppendText(nil, src, i))
		}
		dst.AppendInt(src.Ints[i] / microsADay)
	case src.Type.Integral() && to != row.Date: // milliseconds, as dates without a format are
		dst.AppendInt(src.Ints[i] * 1000)
	default:
		return fmt.Errorf("%s is not of type %s", row.AppendText(nil, src, i), dst.Type)
	}
	return nil
}
