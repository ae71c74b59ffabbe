package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// namer prints expressions as Spark names the columns of a select list: no
// quotes around text, operators between parentheses, defaults of arguments filled
// in. It works on what was written, since binding folds and converts; bind tells
// what a name stands for.
type namer struct {
	bind    func(*expr.Name) (expr.Expr, error)
	windows map[string]expr.Window
	outer   map[*expr.Subquery][]string // what subqueries use of the queries around
	zone    *row.Zone                   // of the session
}

// itemName is the name of an item: the alias, the column or field, else the
// expression as Spark prints it.
func (n namer) itemName(it sql.SelectItem) string {
	if it.Alias != "" {
		return it.Alias
	}
	switch x := it.X.(type) {
	case *expr.Name:
		if word := x.Parts[0]; len(x.Parts) == 1 && constantWord(word) && n.resolve(x) == nil {
			return n.pretty(&expr.Call{Func: strings.ToLower(word)})
		}
		return x.Parts[len(x.Parts)-1]
	case *expr.Cast: // of a column: still its name
		if name, ok := x.X.(*expr.Name); ok {
			if _, column := n.resolve(name).(*expr.Column); column {
				return name.Parts[len(name.Parts)-1]
			}
		}
	}
	return n.pretty(it.X)
}

// isStruct reports whether an expression names a struct.
func (n namer) isStruct(e expr.Expr) bool {
	name, ok := e.(*expr.Name)
	if !ok {
		return false
	}
	bound := n.resolve(name)
	return bound != nil && bound.Type().Kind == row.Struct
}

// resolve returns what a name stands for, nil for the parameter of a lambda.
func (n namer) resolve(name *expr.Name) expr.Expr {
	e, err := n.bind(name)
	if err != nil {
		return nil
	}
	return e
}

func (n namer) pretty(e expr.Expr) string {
	switch e := e.(type) {
	case *expr.Literal:
		return n.literal(e)
	case *expr.Name:
		if bound := n.resolve(e); bound != nil {
			return n.pretty(bound)
		}
		return "namedlambdavariable()"
	case *expr.Column:
		return e.Name
	case *expr.Field:
		return n.pretty(e.X) + "." + e.Name
	case *expr.Index:
		if key, ok := metadataName(e); ok {
			return "_metadata[" + key + "]"
		}
		if key, ok := e.Key.(*expr.Literal); ok && key.T.Kind == row.String && n.isStruct(e.X) {
			return n.pretty(e.X) + "." + literalName(key)
		}
		return n.pretty(e.X) + "[" + n.pretty(e.Key) + "]"
	case *expr.Cast:
		if e.Implicit || e.T.Nested() { // Spark names such a cast by what it casts
			return n.pretty(e.X)
		}
		word := "CAST("
		if e.Try {
			word = "TRY_CAST("
		}
		return word + n.pretty(e.X) + " AS " + e.T.SQL() + ")"
	case *expr.Case:
		return n.caseName(e)
	case *expr.Call:
		return n.callName(e)
	case *expr.Lambda:
		return "lambdafunction(" + n.pretty(e.Body) + strings.Repeat(", namedlambdavariable()", len(e.Params)) + ")"
	case *expr.Subquery:
		return n.subqueryName(e)
	}
	return e.String()
}

// literal names a constant: an instant as the session's clocks show it.
func (n namer) literal(l *expr.Literal) string {
	if v, ok := l.Value.(int64); ok && l.T.Kind == row.Timestamp && n.zone != nil {
		if l.Wall {
			v = n.zone.Instant(v)
		}
		return literalName(&expr.Literal{Node: l.Node, Value: n.zone.Wall(v)})
	}
	return literalName(l)
}

func literalName(l *expr.Literal) string {
	switch v := l.Value.(type) {
	case nil:
		return "NULL"
	case string:
		return v
	case float64:
		bits := 64
		if l.T.Kind == row.Float {
			bits = 32
		}
		return string(row.AppendFloat(nil, v, bits))
	case int64:
		switch l.T.Kind {
		case row.Date:
			return "DATE '" + string(row.AppendDate(nil, v)) + "'"
		case row.Timestamp, row.TimestampNTZ:
			return strings.ToUpper(l.T.String()) + " '" + string(row.AppendTimestamp(nil, v, ' ')) + "'"
		}
		return fmt.Sprint(v)
	case bool:
		return fmt.Sprint(v)
	case expr.Interval:
		if l.T.Precision > 0 {
			return string(row.AppendInterval(nil, int64(v.Months), int64(v.Days), v.Micros, l.T))
		}
	}
	return l.String()
}

func (n namer) caseName(e *expr.Case) string {
	var b strings.Builder
	b.WriteString("CASE")
	for _, w := range e.Whens {
		cond := n.pretty(w.Cond)
		if e.Operand != nil {
			cond = "(" + n.pretty(e.Operand) + " = " + cond + ")"
		}
		fmt.Fprintf(&b, " WHEN %s THEN %s", cond, n.pretty(w.Then))
	}
	if e.Else != nil {
		fmt.Fprintf(&b, " ELSE %s", n.pretty(e.Else))
	}
	return b.String() + " END"
}

func (n namer) subqueryName(e *expr.Subquery) string {
	outer := strings.Join(n.outer[e], ", ")
	switch e.Kind {
	case expr.Exists:
		return "exists(" + outer + ")"
	case expr.In:
		return "(" + n.pretty(e.X) + " IN (listquery(" + outer + ")))"
	}
	return "scalarsubquery(" + outer + ")"
}

func (n namer) prettyAll(es []expr.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = n.pretty(e)
	}
	return strings.Join(parts, ", ")
}

// special returns the name and the arguments of a function, which some show in a
// way of their own.
func (n namer) special(c *expr.Call) (name, args string) {
	name, args = c.Func, n.prettyAll(c.Args)
	switch {
	case c.Over != nil && strings.HasSuffix(name, "rank"):
		name, args = strings.ToUpper(name), ""
	case name == "log" && len(c.Args) == 1:
		name, args = "LOG", "E(), "+args
	case name == "convert_timezone" && len(c.Args) == 2:
		args = "current_timezone(), " + args
	case name == "unix_timestamp" && len(c.Args) == 0:
		args = "current_timestamp(), yyyy-MM-dd HH:mm:ss"
	case name == "assert_true" && len(c.Args) == 1:
		args += ", '" + args + "' is not true!"
	case name == "named_struct":
		if fields, ok := n.aliasedStruct(c); ok {
			return "struct", fields
		}
	case name == "ilike":
		args = n.prettyAll(c.Args[:2])
	case name == "first" || name == "last" || name == "first_value" || name == "last_value" || name == "any_value":
		args = n.pretty(c.Args[0])
		if c.IgnoreNulls {
			name = strings.TrimSuffix(name, "_value")
		}
	case (name == "aggregate" || name == "reduce") && len(c.Args) == 3:
		args += ", lambdafunction(namedlambdavariable(), namedlambdavariable())"
	case name == "array_sort" && len(c.Args) == 1:
		args += ", " + defaultComparator
	case firstAlone[name] && len(c.Args) > 0:
		args = n.pretty(c.Args[0])
	case (name == "datediff" || name == "date_diff") && len(c.Args) == 3:
		name = "timestampdiff"
	case (name == "dateadd" || name == "date_add") && len(c.Args) == 3:
		name = "timestampadd"
	}
	return name, args
}

func (n namer) withinName(keys []expr.Order) string {
	parts := make([]string, len(keys))
	for i, k := range keys {
		if parts[i] = n.pretty(k.X); k.Desc {
			parts[i] += " DESC"
		}
	}
	return strings.Join(parts, ", ")
}

// aliasedStruct are the arguments of a struct that was written with names, as
// struct(1 AS a, b).
func (n namer) aliasedStruct(c *expr.Call) (string, bool) {
	var parts []string
	for i := 0; i+1 < len(c.Args); i += 2 {
		key, ok := c.Args[i].(*expr.Literal)
		if !ok || key.At != c.Args[i+1].Span() || key.At == (lex.Span{}) {
			return "", false
		}
		text, _ := key.Value.(string)
		value := n.pretty(c.Args[i+1])
		if name, plain := c.Args[i+1].(*expr.Name); text != fmt.Sprintf("col%d", i/2+1) && (!plain || name.Parts[len(name.Parts)-1] != text) {
			value += " AS " + text
		}
		parts = append(parts, value)
	}
	return strings.Join(parts, ", "), len(parts) > 0
}

func (n namer) functionName(c *expr.Call) string {
	name, args := n.special(c)
	if upper, ok := upperNames[name]; ok {
		if want, special := upperArgs[name]; len(c.Args) == want || !special && len(c.Args) == 1 {
			name = upper
		}
	}
	if other, ok := otherNames[name]; ok {
		name = other
	}
	if len(c.Args) == 1 {
		if _, ok := c.Args[0].(*expr.Star); ok && name == "count" {
			args = "1"
		}
	}
	if fill := defaultArgs[c.Func]; len(c.Args) < len(fill) && len(c.Args) > 0 && (fill[len(c.Args)] != "" || c.Func == "replace") {
		args += ", " + fill[len(c.Args)]
	}
	if c.Distinct {
		args = "DISTINCT " + args
	}
	return name + "(" + args + ")"
}

// defaultComparator is what array_sort compares by when nothing is given.
const defaultComparator = "lambdafunction((IF(((namedlambdavariable() IS NULL) AND (namedlambdavariable() IS NULL)), 0, " +
	"(IF((namedlambdavariable() IS NULL), 1, (IF((namedlambdavariable() IS NULL), -1, (IF((namedlambdavariable() < namedlambdavariable()), -1, " +
	"(IF((namedlambdavariable() > namedlambdavariable()), 1, 0)))))))))), namedlambdavariable(), namedlambdavariable())"
