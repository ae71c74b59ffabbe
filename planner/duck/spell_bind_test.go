package duck_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/planner/duck"
	eslakesql "github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// tables are those that Spark was asked about.
var tables = map[string]row.Schema{
	"people": {
		{Name: "id", Type: row.BigIntType},
		{Name: "name", Type: row.StringType},
		{Name: "age", Type: row.IntType},
		{Name: "city", Type: row.StringType},
		{Name: "tags", Type: row.ArrayType(row.StringType)},
		{Name: "address", Type: row.StructType(row.Field{Name: "street", Type: row.StringType},
			row.Field{Name: "geo", Type: row.StructType(row.Field{Name: "lat", Type: row.DoubleType}, row.Field{Name: "lon", Type: row.DoubleType})})},
		{Name: "joined", Type: row.TimestampType},
		{Name: "born", Type: row.DateType},
		{Name: "balance", Type: row.DecimalType(12, 2)},
		{Name: "active", Type: row.BooleanType},
		{Name: "props", Type: row.MapType(row.StringType, row.StringType)},
	},
	"orders": {
		{Name: "order_id", Type: row.BigIntType},
		{Name: "person_id", Type: row.BigIntType},
		{Name: "amount", Type: row.DoubleType},
		{Name: "status", Type: row.StringType},
		{Name: "ts", Type: row.TimestampType},
		{Name: "day", Type: row.StringType},
	},
	"cities": {{Name: "name", Type: row.StringType}, {Name: "country", Type: row.StringType}, {Name: "pop", Type: row.BigIntType}},
}

var errSkip = errors.New("skip")

// binder binds the names of one query block: a small part of what the planner
// does.
type binder struct {
	columns map[string]*expr.Column
	aliases map[string]expr.Expr
	order   []*expr.Column
	lambdas int
}

func spellName(c *expr.Column) string { return duck.QuoteName(c.Name) }

func noQuery(*expr.Subquery) (string, error) { return "", errSkip }

func spell(e expr.Expr) (string, error) { return duck.Spell(e, duck.Mode{}, spellName, noQuery) }

// spellQuery spells SELECT … [FROM one table or VALUES] [WHERE] [GROUP BY]
// [HAVING]; ORDER BY is left out, since rows are compared sorted.
func spellQuery(q *eslakesql.Query) (string, row.Schema, error) {
	s, ok := q.Body.(*eslakesql.Select)
	if !ok || len(q.With) > 0 || q.Limit != nil || q.Offset != nil || len(s.Views) > 0 || len(s.From) > 1 || s.Qualify != nil {
		return "", nil, errSkip
	}
	b := &binder{columns: map[string]*expr.Column{}, aliases: map[string]expr.Expr{}}
	from, err := b.from(s.From)
	if err != nil {
		return "", nil, err
	}
	text, schema, err := b.items(s)
	if err != nil {
		return "", nil, err
	}
	text = "SELECT " + text + from
	if s.Distinct {
		text = "SELECT DISTINCT " + text[len("SELECT "):]
	}
	tail, err := b.tail(s)
	return text + tail, schema, err
}

func (b *binder) from(from []eslakesql.TableExpr) (string, error) {
	if len(from) == 0 {
		return "", nil
	}
	switch t := from[0].(type) {
	case *eslakesql.NamedTable:
		cols, ok := tables[strings.ToLower(t.Name.Table.Name)]
		if !ok || t.Sample.Set {
			return "", errSkip
		}
		for _, f := range cols {
			b.add(f.Name, f.Type)
		}
		return " FROM " + strings.ToLower(t.Name.Table.Name), nil
	case *eslakesql.SubqueryTable:
		v, ok := t.Query.Body.(*eslakesql.Values)
		if !ok {
			return "", errSkip
		}
		return b.values(v, t.Columns)
	}
	return "", errSkip
}

func (b *binder) add(name string, t row.Type) {
	c := &expr.Column{Node: expr.Node{T: t}, ID: len(b.order) + 1, Name: name}
	b.columns[strings.ToLower(name)] = c
	b.order = append(b.order, c)
}

func (b *binder) values(v *eslakesql.Values, names []string) (string, error) {
	bound := make([][]expr.Expr, len(v.Rows))
	for i, r := range v.Rows {
		for _, x := range r {
			e, err := b.bind(x)
			if err != nil {
				return "", err
			}
			bound[i] = append(bound[i], e)
		}
	}
	for k := range bound[0] {
		var types []row.Type
		for _, r := range bound {
			types = append(types, r[k].Type())
		}
		t, ok := expr.CommonType(false, types...)
		if !ok {
			return "", fmt.Errorf("no common type")
		}
		name := fmt.Sprintf("col%d", k+1)
		if k < len(names) {
			name = names[k]
		}
		b.add(name, t)
	}
	var rows, heads []string
	for _, r := range bound {
		var cells []string
		for k, x := range r {
			text, err := spell(expr.Convert(x, b.order[k].T))
			if err != nil {
				return "", err
			}
			cells = append(cells, text)
		}
		rows = append(rows, "("+strings.Join(cells, ", ")+")")
	}
	for _, c := range b.order {
		heads = append(heads, duck.QuoteName(c.Name))
	}
	return " FROM (VALUES " + strings.Join(rows, ", ") + ") AS t(" + strings.Join(heads, ", ") + ")", nil
}

func (b *binder) items(s *eslakesql.Select) (string, row.Schema, error) {
	var parts []string
	var schema row.Schema
	for _, item := range s.Items {
		if _, star := item.X.(*expr.Star); star {
			for _, c := range b.order {
				parts, schema = append(parts, spellName(c)), append(schema, row.Field{Type: c.T})
			}
			continue
		}
		if c, ok := item.X.(*expr.Call); ok && expr.IsGenerator(c.Func) {
			text, cols, err := b.generator(c)
			if err != nil {
				return "", nil, err
			}
			parts, schema = append(parts, text...), append(schema, cols...)
			continue
		}
		e, err := b.bind(item.X)
		if err != nil {
			return "", nil, err
		}
		if item.Alias != "" {
			b.aliases[strings.ToLower(item.Alias)] = e
		}
		text, err := spell(e)
		if err != nil {
			return "", nil, err
		}
		parts, schema = append(parts, text), append(schema, row.Field{Type: e.Type()})
	}
	return strings.Join(parts, ", "), schema, nil
}

func (b *binder) generator(c *expr.Call) ([]string, row.Schema, error) {
	e, err := b.bind(c)
	if err != nil {
		return nil, nil, err
	}
	cols, err := expr.GeneratorColumns(e.(*expr.Call))
	if err != nil {
		return nil, nil, err
	}
	list, err := duck.SpellGenerator(e.(*expr.Call), duck.Mode{}, false, spellName, noQuery)
	var parts []string
	for _, f := range cols {
		parts = append(parts, fmt.Sprintf("struct_extract(unnest(%s), '%s')", list, f.Name))
	}
	return parts, cols, err
}

func (b *binder) tail(s *eslakesql.Select) (string, error) {
	text := ""
	clause := func(word string, e expr.Expr) error {
		if e == nil {
			return nil
		}
		bound, err := b.bind(e)
		if err != nil {
			return err
		}
		spelled, err := spell(bound)
		text += " " + word + " " + spelled
		return err
	}
	if err := clause("WHERE", s.Where); err != nil {
		return "", err
	}
	if g := s.GroupBy; g != nil {
		if g.All || g.Kind != "" || len(g.Sets) > 0 {
			return "", errSkip
		}
		for i, k := range g.Keys {
			if l, ok := k.(*expr.Literal); ok && l.Value != nil {
				return "", errSkip
			}
			if err := clause([]string{"GROUP BY", ","}[min(i, 1)], k); err != nil {
				return "", err
			}
		}
	}
	return text, clause("HAVING", s.Having)
}

// bind resolves names and types from the leaves up.
func (b *binder) bind(e expr.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case *expr.Name:
		return b.name(e)
	case *expr.Subquery, *expr.Lambda:
		return nil, errSkip
	case *expr.Call:
		return b.call(e)
	case *expr.Literal, *expr.Star, *expr.Column:
		return e, nil
	case *expr.Field:
		out := *e
		return b.with(&out, &out.X)
	case *expr.Index:
		out := *e
		return b.with(&out, &out.X, &out.Key)
	case *expr.Cast:
		out := *e
		return b.with(&out, &out.X)
	case *expr.Case:
		out := *e
		out.Whens = append([]expr.When{}, e.Whens...)
		parts := []*expr.Expr{&out.Operand, &out.Else}
		for i := range out.Whens {
			parts = append(parts, &out.Whens[i].Cond, &out.Whens[i].Then)
		}
		return b.with(&out, parts...)
	}
	return nil, fmt.Errorf("%T", e)
}

func (b *binder) with(e expr.Expr, parts ...*expr.Expr) (expr.Expr, error) {
	if err := b.all(parts...); err != nil {
		return nil, err
	}
	return expr.Resolve(e)
}

func (b *binder) all(parts ...*expr.Expr) error {
	for _, p := range parts {
		if *p == nil {
			continue
		}
		bound, err := b.bind(*p)
		if err != nil {
			return err
		}
		*p = bound
	}
	return nil
}

func (b *binder) name(n *expr.Name) (expr.Expr, error) {
	parts := n.Parts
	if _, ok := b.columns[strings.ToLower(parts[0])]; !ok && len(parts) > 1 {
		parts = parts[1:]
	}
	var e expr.Expr
	if c, ok := b.columns[strings.ToLower(parts[0])]; ok {
		e = c
	} else if a, ok := b.aliases[strings.ToLower(parts[0])]; ok {
		e = a
	} else {
		return nil, errSkip
	}
	for _, p := range parts[1:] {
		next, err := expr.Resolve(&expr.Field{X: e, Name: p})
		if err != nil {
			return nil, err
		}
		e = next
	}
	return e, nil
}

func (b *binder) call(c *expr.Call) (expr.Expr, error) {
	out := *c
	out.Args = append([]expr.Expr{}, c.Args...)
	out.Within = append([]expr.Order{}, c.Within...)
	parts := []*expr.Expr{&out.Filter}
	for i, x := range out.Args {
		if _, ok := x.(*expr.Lambda); !ok {
			parts = append(parts, &out.Args[i])
		}
	}
	for i := range out.Within {
		parts = append(parts, &out.Within[i].X)
	}
	if c.Over != nil {
		if c.Over.Name != "" {
			return nil, errSkip
		}
		w := *c.Over
		w.Partition = append([]expr.Expr{}, w.Partition...)
		w.Order = append([]expr.Order{}, w.Order...)
		for i := range w.Partition {
			parts = append(parts, &w.Partition[i])
		}
		for i := range w.Order {
			parts = append(parts, &w.Order[i].X)
		}
		out.Over = &w
	}
	if err := b.all(parts...); err != nil {
		return nil, err
	}
	for i, x := range out.Args {
		if l, ok := x.(*expr.Lambda); ok {
			bound, err := b.lambda(&out, i, l)
			if err != nil {
				return nil, err
			}
			out.Args[i] = bound
		}
	}
	if out.Func == "convert_timezone" && len(out.Args) == 2 {
		out.Args = append([]expr.Expr{&expr.Literal{Node: expr.Node{T: row.StringType}, Value: "UTC"}}, out.Args...)
	}
	return expr.Resolve(&out)
}

func (b *binder) lambda(c *expr.Call, arg int, l *expr.Lambda) (expr.Expr, error) {
	types, err := expr.LambdaParams(c, arg)
	if err != nil {
		return nil, err
	}
	if len(l.Params) > len(types) {
		return nil, fmt.Errorf("too many parameters")
	}
	inner := *b
	inner.columns = map[string]*expr.Column{}
	for k, v := range b.columns {
		inner.columns[k] = v
	}
	out := *l
	for i, p := range l.Params {
		b.lambdas++
		col := &expr.Column{Node: expr.Node{T: types[i]}, ID: -b.lambdas, Name: p}
		inner.columns[strings.ToLower(p)] = col
		out.Bound = append(out.Bound, col)
	}
	inner.lambdas = b.lambdas
	out.Body, err = inner.bind(l.Body)
	b.lambdas = inner.lambdas
	return &out, err
}
