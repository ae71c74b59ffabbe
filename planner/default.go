package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// CheckDefault refuses an expression that cannot be the DEFAULT of a column, as
// Spark 3.5 does: it is constant, and its value fits the type of the column.
func CheckDefault(ctx context.Context, env *Env, f row.Field, e expr.Expr) error {
	b := newBuilder(ctx, env)
	x, err := b.constantOf(f, e)
	if err != nil {
		return err
	}
	from := x.Type()
	if expr.StoreAssignment(from, f.Type, expr.StoreStrict) {
		return nil
	}
	unfit := errorAt(e.Span(), codeStore, fmt.Sprintf("DEFAULT %s of type %s does not fit column %s of type %s", e, from.SQL(), row.QuoteName(f.Name), f.Type.SQL()),
		fmt.Sprintf("write a value of type %s, or CAST(… AS %s)", f.Type.SQL(), f.Type.SQL()))
	if !narrows(from) || !narrows(f.Type) {
		return unfit
	}
	cast, err := expr.Resolve(&expr.Cast{Node: b.node(expr.Node{At: e.Span(), T: f.Type}), X: x, Try: true})
	if err != nil {
		return unfit
	}
	node := &Project{Input: &Values{Rows: [][]expr.Expr{{}}}, Items: []Item{{Out: b.newColumn(f.Name, f.Type), X: cast}}}
	rows, err := row.ReadAll(ctx, env.Run(node))
	if err != nil {
		return err
	}
	if len(rows) != 1 || rows[0][0] == nil {
		return unfit
	}
	return nil
}

// narrows reports whether a default of the type may be of a wider type, or of
// text, when its value fits. Spark leaves out what would surprise.
func narrows(t row.Type) bool {
	return !t.Nested() && t.Kind != row.Boolean && t.Kind != row.Timestamp
}

// constantOf binds the expression of a default.
func (b *builder) constantOf(f row.Field, e expr.Expr) (expr.Expr, error) {
	refuse := func(at lex.Span, why string) error {
		return errorAt(at, codePlace, fmt.Sprintf("DEFAULT of column %s %s", row.QuoteName(f.Name), why), "a default is a constant, or a function of constants such as current_timestamp()")
	}
	var err error
	expr.Walk(e, func(x expr.Expr) bool {
		switch x := x.(type) {
		case *expr.Subquery:
			err = refuse(x.At, "may not be a subquery")
		case *expr.Name:
			if len(x.Parts) > 1 || !constantWord(x.Parts[0]) {
				err = refuse(x.At, fmt.Sprintf("may not read a column (%s)", x))
			}
		case *expr.Lambda:
			return false
		}
		return err == nil
	})
	if err != nil {
		return nil, err
	}
	x, err := (&binding{builder: b, scope: &scope{}}).expr(e)
	switch {
	case err != nil:
		return nil, err
	case findAggregate(x) != nil || findWindow(x) != nil:
		return nil, refuse(e.Span(), "may not be an aggregate or a window function")
	case !expr.Deterministic(x):
		return nil, refuse(e.Span(), "has another value each time")
	}
	if c, ok := x.(*expr.Call); ok && expr.IsGenerator(c.Func) {
		return nil, refuse(e.Span(), "may not be a function that makes rows")
	}
	return x, nil
}

// defaultOf is the value of DEFAULT for a column: NULL where it declares none.
func (b *builder) defaultOf(f row.Field, at lex.Span) (expr.Expr, error) {
	if f.Default == "" {
		return &expr.Literal{Node: expr.Node{At: at, T: f.Type}}, nil
	}
	text, err := lex.One("", f.Default)
	if err != nil {
		return nil, badDefault(f, at, err)
	}
	e, err := sql.ParseExpr(text)
	if err != nil {
		return nil, badDefault(f, at, err)
	}
	x, err := b.constantOf(f, e)
	if err != nil {
		return nil, badDefault(f, at, err)
	}
	x = expr.Convert(x, f.Type)
	expr.Walk(x, func(x expr.Expr) bool { // errors of values are told of the statement, not of the text of the default
		switch x := x.(type) {
		case *expr.Literal:
			x.At = at
		case *expr.Call:
			x.At = at
		case *expr.Cast:
			x.At = at
		}
		return true
	})
	return x, nil
}

// badDefault is the error for a default that the catalog keeps and that is none
// (any more).
func badDefault(f row.Field, at lex.Span, err error) error {
	return errorAt(at, codeStore, fmt.Sprintf("the DEFAULT of column %s, %s, cannot be evaluated: %s", row.QuoteName(f.Name), f.Default, err), "make the table again with another one")
}

// isDefault reports whether an expression is the keyword DEFAULT.
func isDefault(e expr.Expr) bool {
	n, ok := e.(*expr.Name)
	return ok && len(n.Parts) == 1 && strings.EqualFold(n.Parts[0], "DEFAULT")
}

// knows reports whether there is a column of that name.
func (b *binding) knows(e expr.Expr) bool {
	n, ok := e.(*expr.Name)
	if !ok {
		return false
	}
	_, err := b.scope.resolve(n)
	return err == nil
}

// setDefaults notes what DEFAULT stands for where it is a whole value of an
// INSERT. A column of that name goes first.
func (b *builder) setDefaults(st *sql.Insert, to *target) error {
	b.defaults = map[*expr.Name]expr.Expr{}
	for _, r := range valueLists(st.Query.Body) {
		for i, e := range r {
			if !isDefault(e) {
				continue
			}
			f, ok := to.columnAt(st, i)
			if !ok {
				continue // too many values, or BY NAME, where DEFAULT says no name
			}
			x, err := b.defaultOf(f, e.Span())
			if err != nil {
				return err
			}
			b.defaults[e.(*expr.Name)] = x
		}
	}
	return nil
}

// valueLists are the lists of values that a query writes as they stand there.
func valueLists(body any) [][]expr.Expr {
	switch body := body.(type) {
	case *sql.Values:
		return body.Rows
	case *sql.Select:
		var list []expr.Expr
		for _, item := range body.Items {
			if _, star := item.X.(*expr.Star); star {
				break // it is not known how many columns it stands for
			}
			if list = append(list, item.X); item.Alias != "" {
				list[len(list)-1] = nil
			}
		}
		return [][]expr.Expr{list}
	}
	return nil
}

// columnAt is the column that the i-th value of an INSERT goes to.
func (to *target) columnAt(st *sql.Insert, i int) (row.Field, bool) {
	switch {
	case st.ByName:
		return row.Field{}, false
	case st.Columns == nil:
		if i < len(to.columns) {
			return to.columns[i], true
		}
	case i < len(st.Columns):
		if k := to.columns.Index(st.Columns[i].Name); k >= 0 {
			return to.columns[k], true
		}
	}
	return row.Field{}, false
}

// missing are the values of columns with a default that an INSERT leaves out.
func (b *builder) missing(to *target, named row.Schema, at lex.Span) ([]Item, error) {
	var items []Item
	for _, f := range to.columns {
		if f.Default == "" || named.Index(f.Name) >= 0 {
			continue
		}
		x, err := b.defaultOf(f, at)
		if err != nil {
			return nil, err
		}
		items = append(items, Item{Out: b.newColumn(f.Name, f.Type), X: x})
	}
	return items, nil
}
