package duck

import (
	"fmt"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// stored converts a value for a column that it is written to: what does not fit
// is an error, where a plain cast wraps or gives NULL. Fractions are cut for a
// whole number and rounded half up for a decimal, as Spark's ANSI store
// assignment does.
func (s *speller) stored(e *expr.Cast) string {
	from, to := e.X.Type(), e.T
	x := s.expr(e.X)
	if !from.Numeric() || !to.Numeric() || TypeSQL(from) == TypeSQL(to) {
		return s.cast(x, from, to, e)
	}
	if to.Integral() && !from.Integral() {
		x = "trunc(" + x + ")"
	}
	fits := "TRY_CAST(" + x + " AS " + TypeSQL(to) + ")"
	if to.Kind == row.Decimal && (from.Kind == row.Double || from.Kind == row.Float) {
		fits = toDecimal(x, from, to) // by the digits that the number shows
	}
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL OR %s IS NULL THEN %s ELSE error(CAST(%s AS VARCHAR) || ' is out of range for %s') END", fits, x, fits, x, to.SQL())
}
