package local

import (
	"fmt"
	"math"
	"slices"

	"github.com/eslake/eslake/sql/row"
)

// checkFinite refuses rows whose documents would hold NaN or an infinity: a
// document is JSON, which has no number for them.
func (l *loader) checkFinite(in *row.Batch, problems []error) {
	for _, k := range l.doc {
		if !hasFloats(in.Columns[k].Type) {
			continue
		}
		for i := range in.Len {
			if problems[i] == nil {
				problems[i] = l.notFinite(in, k, i)
			}
		}
	}
}

// notFinite is the error for a value of column k that JSON has no number for.
func (l *loader) notFinite(in *row.Batch, k, i int) error {
	if finite(in.Columns[k], i) {
		return nil
	}
	return fmt.Errorf("column %s is NaN or infinite, which JSON has no number for", l.in[k].Name)
}

// hasFloats reports whether values of the type may hold a FLOAT or DOUBLE.
func hasFloats(t row.Type) bool {
	switch t.Kind {
	case row.Float, row.Double:
		return true
	case row.Array, row.Map:
		return hasFloats(*t.Elem)
	case row.Struct:
		return slices.ContainsFunc(t.Fields, func(f row.Field) bool { return hasFloats(f.Type) })
	}
	return false
}

// finite reports whether value i holds neither NaN nor an infinity.
func finite(c *row.Column, i int) bool {
	if c.IsNull(i) {
		return true
	}
	switch c.Type.Kind {
	case row.Float, row.Double:
		return !math.IsNaN(c.Floats[i]) && !math.IsInf(c.Floats[i], 0)
	case row.Array, row.Map:
		start, end := c.Range(i)
		values := c.Children[len(c.Children)-1] // keys of a MAP are text in JSON
		for j := start; j < end; j++ {
			if !finite(values, j) {
				return false
			}
		}
	case row.Struct:
		for _, inner := range c.Children {
			if !finite(inner, i) {
				return false
			}
		}
	}
	return true
}
