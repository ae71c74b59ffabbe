package sql

import (
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
)

// String returns the query as Spark SQL.
func (q *Query) String() string {
	with := ""
	if len(q.With) > 0 {
		with = "WITH " + joined(q.With, CTE.String)
	}
	return words(with, operandText(q.Body, false), clause("ORDER BY", joined(q.OrderBy, expr.Order.String)), clause("LIMIT", optional(q.Limit)),
		clause("OFFSET", optional(q.Offset)))
}

// String returns the named query as WITH holds it.
func (c CTE) String() string {
	return words(c.Name.String(), bracketed(c.Columns, Ident.String), "AS ("+c.Query.String()+")")
}

// operandText prints an operand of a set operation; one that would be read
// another way gets parentheses.
func operandText(b Body, brackets bool) string {
	_, query := b.(*Query)
	if query || brackets {
		return "(" + b.String() + ")"
	}
	return b.String()
}

// String returns the set operation as Spark SQL.
func (s *SetOperation) String() string {
	left, isLeft := s.Left.(*SetOperation)
	_, isRight := s.Right.(*SetOperation)
	looser := isLeft && s.Op == Intersect && left.Op != Intersect
	tighter := false
	if right, ok := s.Right.(*SetOperation); ok {
		tighter = s.Op != Intersect && right.Op == Intersect
	}
	return words(operandText(s.Left, looser), string(s.Op), when(s.All, "ALL"), operandText(s.Right, isRight && !tighter))
}

// String returns the rows as VALUES holds them.
func (v *Values) String() string {
	return "VALUES " + joined(v.Rows, func(cells []expr.Expr) string { return "(" + joined(cells, showExpr) + ")" })
}

// String returns TABLE t.
func (t *Table) String() string { return "TABLE " + t.Name.String() }

// String returns the query block as Spark SQL.
func (s *Select) String() string {
	hints := ""
	if len(s.Hints) > 0 {
		hints = "/*+ " + strings.Join(s.Hints, ", ") + " */"
	}
	parts := []string{"SELECT", hints, when(s.Distinct, "DISTINCT"), joined(s.Items, SelectItem.String), clause("FROM", joined(s.From, TableExpr.String))}
	for _, v := range s.Views {
		parts = append(parts, v.String())
	}
	group := ""
	if s.GroupBy != nil {
		group = "GROUP BY " + s.GroupBy.String()
	}
	parts = append(parts, clause("WHERE", optional(s.Where)), group, clause("HAVING", optional(s.Having)),
		clause("WINDOW", joined(s.Windows, NamedWindow.String)), clause("QUALIFY", optional(s.Qualify)))
	return words(parts...)
}

// String returns the item as the select list holds it.
func (i SelectItem) String() string {
	switch {
	case i.Alias != "":
		return i.X.String() + " AS " + expr.QuoteName(i.Alias)
	case len(i.Names) > 0:
		return i.X.String() + " AS " + bracketed(i.Names, expr.QuoteName)
	default:
		return i.X.String()
	}
}

// String returns what stands behind GROUP BY.
func (g *GroupBy) String() string {
	keys := joined(g.Keys, showExpr)
	switch g.Kind {
	case "ROLLUP", "CUBE":
		return g.Kind + "(" + keys + ")"
	case "GROUPING SETS":
		sets := joined(g.Sets, func(set []expr.Expr) string { return "(" + joined(set, showExpr) + ")" })
		return words(keys, "GROUPING SETS ("+sets+")")
	}
	if g.All {
		return "ALL"
	}
	return keys
}

// String returns the window as WINDOW holds it.
func (w NamedWindow) String() string {
	text := w.Window.String()
	if text == "" {
		text = "()"
	}
	return expr.QuoteName(w.Name) + " AS " + text
}

// String returns the clause as Spark SQL.
func (v LateralView) String() string {
	return words("LATERAL VIEW", when(v.Outer, "OUTER"), v.Call.String(), v.Table.String(), clause("AS", joined(v.Columns, Ident.String)))
}

// String returns AS name (columns), "" without a name.
func (a Alias) String() string {
	if a.Name == "" {
		return ""
	}
	return words("AS", expr.QuoteName(a.Name), bracketed(a.Columns, expr.QuoteName))
}

// String returns TABLESAMPLE (…), "" for the zero Sample.
func (s Sample) String() string {
	switch {
	case !s.Set:
		return ""
	case s.Percent > 0:
		return "TABLESAMPLE (" + strconv.FormatFloat(s.Percent, 'f', -1, 64) + " PERCENT)"
	default:
		return "TABLESAMPLE (" + strconv.FormatInt(s.Rows, 10) + " ROWS)"
	}
}

// String returns the table as FROM holds it.
func (t *NamedTable) String() string {
	return words(t.Name.String(), t.Sample.String(), t.Alias.String())
}

// String returns the table as FROM holds it.
func (t *FileTable) String() string {
	path := "`" + strings.ReplaceAll(t.Path.Name, "`", "``") + "`"
	return words(expr.QuoteName(t.Format.Name)+"."+path, t.Sample.String(), t.Alias.String())
}

// String returns the table as FROM holds it.
func (t *SubqueryTable) String() string {
	return words(when(t.Lateral, "LATERAL"), "("+t.Query.String()+")", t.Sample.String(), t.Alias.String())
}

// String returns the table as FROM holds it.
func (t *FunctionTable) String() string { return words(t.Call.String(), t.Alias.String()) }

// String returns the join as FROM holds it.
func (t *Join) String() string {
	right := t.Right.String()
	switch t.Right.(type) {
	case *Join, *Pivot, *Unpivot:
		right = "(" + right + ")"
	}
	kind := string(t.Kind)
	if t.Kind == InnerJoin {
		kind = ""
	}
	return words(t.Left.String(), when(t.Natural, "NATURAL"), kind, "JOIN", right, clause("ON", optional(t.On)), clause("USING", bracketed(t.Using, Ident.String)))
}
