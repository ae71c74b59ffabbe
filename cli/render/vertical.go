package render

import (
	"strconv"

	"github.com/eslake/eslake/sql/row"
)

// vertical writes a line a value, under the number of the row:
//
//	-[ row 1 ]-------
//	id   | 1
//	name | Ana
type vertical struct {
	show  *shower
	names [][]byte // padded, with the bar
	rule  int
	rows  int64
	color bool
}

func newVertical(s row.Schema, o Options) *vertical {
	v := &vertical{show: newShower(o), color: o.Color}
	longest := 0
	for _, f := range s {
		name := appendShown(nil, []byte(f.Name))
		longest = max(longest, width(name))
		v.names = append(v.names, name)
	}
	for k, name := range v.names {
		v.names[k] = append(appendSpaces(name, longest-width(name)), " | "...)
	}
	v.rule = max(longest+12, 24)
	return v
}

func (*vertical) begin(dst []byte) []byte { return dst }

func (v *vertical) row(dst []byte, b *row.Batch, i int) []byte {
	v.rows++
	start := len(dst)
	dst = append(dst, "-[ row "...)
	dst = strconv.AppendInt(dst, v.rows, 10)
	dst = append(dst, " ]"...)
	for len(dst)-start < v.rule {
		dst = append(dst, '-')
	}
	dst = append(dst, '\n')
	for k, c := range b.Columns {
		dst = append(dst, v.names[k]...)
		if v.color && c.IsNull(i) {
			dst = append(dst, dim+v.show.null+plain...)
		} else {
			dst = v.show.value(dst, c, i)
		}
		dst = append(dst, '\n')
	}
	return dst
}

func (*vertical) end(dst []byte, _ int64) []byte { return dst }
