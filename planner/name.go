package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// namer prints expressions as Spark names the columns of a select list: no
// quotes around text, operators between parentheses, defaults of arguments filled
// in. It works on what was written, since binding folds and converts; bind tells
// what a name stands for.
type namer struct {
	bind    func(*expr.Name) (expr.Expr, error)
	windows map[string]expr.Window
}

// itemName is the name of an item: the alias, the column or field, else the
// expression as Spark prints it.
func (n namer) itemName(it sql.SelectItem) string {
	if it.Alias != "" {
		return it.Alias
	}
	switch x := it.X.(type) {
	case *expr.Name:
		return x.Parts[len(x.Parts)-1]
	case *expr.Cast: // of a column: still its name
		if name, ok := x.X.(*expr.Name); ok {
			return name.Parts[len(name.Parts)-1]
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
		return literalName(e)
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
		if key, ok := e.Key.(*expr.Literal); ok && key.T.Kind == row.String && n.isStruct(e.X) {
			return n.pretty(e.X) + "." + literalName(key)
		}
		return n.pretty(e.X) + "[" + n.pretty(e.Key) + "]"
	case *expr.Cast:
		if e.Implicit {
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
	switch e.Kind {
	case expr.Exists:
		return "exists()"
	case expr.In:
		return "(" + n.pretty(e.X) + " IN (listquery()))"
	}
	return "scalarsubquery()"
}

func (n namer) prettyAll(es []expr.Expr) string {
	parts := make([]string, len(es))
	for i, e := range es {
		parts[i] = n.pretty(e)
	}
	return strings.Join(parts, ", ")
}

// infixNames are the operators that print between their operands.
var infixNames = map[string]string{
	"+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "div": "div", "&": "&", "|": "|", "^": "^",
	"=": "=", "<=>": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "and": "AND", "or": "OR",
}

func (n namer) callName(c *expr.Call) string {
	if word, ok := infixNames[c.Func]; ok && len(c.Args) == 2 {
		return "(" + n.pretty(c.Args[0]) + " " + word + " " + n.pretty(c.Args[1]) + ")"
	}
	if name, ok := n.operatorName(c); ok {
		return name
	}
	name := n.functionName(c)
	if c.Filter != nil {
		name += " FILTER (WHERE " + n.pretty(c.Filter) + ")"
	}
	if c.Over != nil {
		name += " OVER (" + n.windowName(c) + ")"
	}
	return name
}

func (n namer) operatorName(c *expr.Call) (string, bool) {
	arg := func(i int) string { return n.pretty(c.Args[i]) }
	switch c.Func {
	case "<>":
		return "(NOT (" + arg(0) + " = " + arg(1) + "))", true
	case "not":
		return "(NOT " + arg(0) + ")", true
	case "negative":
		if lit, ok := c.Args[0].(*expr.Literal); ok && lit.T.Numeric() {
			return "-" + literalName(lit), true
		}
		return "(- " + arg(0) + ")", true
	case "positive":
		return "(+ " + arg(0) + ")", true
	case "~":
		return "~" + arg(0), true
	case "in":
		return "(" + arg(0) + " IN (" + n.prettyAll(c.Args[1:]) + "))", true
	case "between":
		return "((" + arg(0) + " >= " + arg(1) + ") AND (" + arg(0) + " <= " + arg(2) + "))", true
	case "isnull":
		return "(" + arg(0) + " IS NULL)", true
	case "isnotnull":
		return "(" + arg(0) + " IS NOT NULL)", true
	case "like":
		return arg(0) + " LIKE " + arg(1), true
	case "rlike":
		return "RLIKE(" + n.prettyAll(c.Args) + ")", true
	case "trim", "ltrim", "rtrim":
		if len(c.Args) == 2 {
			return trimWords[c.Func] + " " + arg(0) + " FROM " + arg(1) + ")", true
		}
	case "position":
		if len(c.Args) == 2 {
			return "locate(" + n.prettyAll(c.Args) + ", 1)", true
		}
	case "extract":
		return "extract(" + arg(0) + " FROM " + arg(1) + ")", true
	case "||":
		return "concat(" + n.prettyAll(c.Args) + ")", true
	case "if":
		return "(IF(" + n.prettyAll(c.Args) + "))", true
	}
	return "", false
}

// trimWords begin the long form of trim, which Spark prints for two arguments.
var trimWords = map[string]string{"trim": "TRIM(BOTH", "ltrim": "TRIM(LEADING", "rtrim": "TRIM(TRAILING"}

// upperNames are the functions that Spark prints in capitals.
var upperNames = map[string]string{
	"ceil": "CEIL", "floor": "FLOOR", "cbrt": "CBRT", "hypot": "HYPOT", "log1p": "LOG1P", "expm1": "EXPM1",
	"sqrt": "SQRT", "exp": "EXP", "sin": "SIN", "cos": "COS", "tan": "TAN", "degrees": "DEGREES", "radians": "RADIANS",
	"log10": "LOG10", "log2": "LOG2", "sinh": "SINH", "cosh": "COSH", "tanh": "TANH", "asin": "ASIN", "acos": "ACOS", "atan": "ATAN",
	"atan2": "ATAN2", "power": "POWER", "asinh": "ASINH", "acosh": "ACOSH", "atanh": "ATANH", "rint": "rint",
}

// defaultArgs are the arguments that Spark fills in, by the number that is given.
var defaultArgs = map[string][]string{
	"round": {1: "0"}, "bround": {1: "0"}, "substring": {2: "2147483647"}, "substr": {2: "2147483647"}, "split": {2: "-1"},
	"regexp_replace": {3: "1"}, "regexp_instr": {2: "0"}, "overlay": {3: "-1"}, "replace": {2: ""}, "regexp_extract": {2: "1"},
	"lag": {1: "1, NULL", 2: "NULL"}, "lead": {1: "1, NULL", 2: "NULL"}, "percentile": {2: "1"}, "locate": {2: "1"},
	"lpad": {2: " "}, "rpad": {2: " "}, "months_between": {2: "true"}, "percentile_approx": {2: "10000"}, "approx_percentile": {2: "10000"}, "sort_array": {1: "true"}, "str_to_map": {1: ",, :", 2: ":"},
	"unix_timestamp": {1: "yyyy-MM-dd HH:mm:ss"}, "to_unix_timestamp": {1: "yyyy-MM-dd HH:mm:ss"}, "from_unixtime": {1: "yyyy-MM-dd HH:mm:ss"},
}

func (n namer) functionName(c *expr.Call) string {
	name, args := c.Func, n.prettyAll(c.Args)
	switch {
	case c.Over != nil && strings.HasSuffix(name, "rank"):
		name = strings.ToUpper(name)
	case name == "first" || name == "last" || name == "first_value" || name == "last_value" || name == "any_value":
		args = n.pretty(c.Args[0])
	}
	if upper, ok := upperNames[name]; ok && (len(c.Args) == 1 || name == "atan2" || name == "hypot" || name == "power") {
		name = upper
	}
	if name == "log" && len(c.Args) == 2 {
		name = "LOG"
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

func (n namer) windowName(c *expr.Call) string {
	if named, ok := n.windows[strings.ToLower(c.Over.Name)]; ok {
		same := *c
		same.Over = &named
		c = &same
	}
	var parts []string
	if len(c.Over.Partition) > 0 {
		parts = append(parts, "PARTITION BY "+n.prettyAll(c.Over.Partition))
	}
	var keys []string
	for _, k := range c.Over.Order {
		keys = append(keys, n.pretty(k.X)+orderWords(k))
	}
	if len(keys) > 0 {
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	return strings.Join(append(parts, n.frameName(c)), " ")
}

// frameName is the frame of a window, the default written out: rows up to the
// current one for functions of rank, the range up to it for others with ORDER BY.
func (n namer) frameName(c *expr.Call) string {
	f := c.Over.Frame
	switch {
	case f != nil:
		return f.Unit + " BETWEEN " + n.boundName(f.From) + " AND " + n.boundName(f.To)
	case c.Func == "lag", c.Func == "lead":
		offset := "1"
		if len(c.Args) > 1 {
			offset = n.pretty(c.Args[1])
		}
		if c.Func == "lag" {
			offset = "-" + offset
		}
		return "ROWS BETWEEN " + offset + " FOLLOWING AND " + offset + " FOLLOWING"
	case expr.IsWindow(c.Func) && c.Func != "cume_dist" && c.Func != "nth_value":
		return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
	case len(c.Over.Order) > 0:
		return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
	}
	return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
}

func (n namer) boundName(b expr.Bound) string {
	switch b.Kind {
	case expr.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case expr.Preceding:
		return n.pretty(b.Offset) + " PRECEDING"
	case expr.Following:
		return n.pretty(b.Offset) + " FOLLOWING"
	case expr.UnboundedFollowing:
		return "UNBOUNDED FOLLOWING"
	}
	return "CURRENT ROW"
}
