package planner

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// infixNames are the operators that print between their operands.
var infixNames = map[string]string{
	"+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "div": "div", "&": "&", "|": "|", "^": "^",
	"=": "=", "<=>": "<=>", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "and": "AND", "or": "OR",
}

func (n namer) callName(c *expr.Call) string {
	if word, ok := infixNames[c.Func]; ok && len(c.Args) == 2 {
		if name, ok := n.daysAdded(c); ok {
			return name
		}
		if (c.Func == "+" || c.Func == "-") && n.interval(c.Args[1]) && !n.interval(c.Args[0]) {
			return n.pretty(c.Args[0]) + " " + word + " " + n.pretty(c.Args[1])
		}
		if c.Func == "+" && n.interval(c.Args[0]) && !n.interval(c.Args[1]) {
			return n.pretty(c.Args[1]) + " + " + n.pretty(c.Args[0])
		}
		return "(" + n.pretty(c.Args[0]) + " " + word + " " + n.pretty(c.Args[1]) + ")"
	}
	if name, ok := n.operatorName(c); ok {
		return name
	}
	if (c.Func == "window" || c.Func == "session_window") && c.Over == nil {
		return c.Func
	}
	if castNames[c.Func] && len(c.Args) == 1 {
		return n.pretty(c.Args[0])
	}
	name := n.functionName(c)
	if len(c.Within) > 0 {
		name += " WITHIN GROUP (ORDER BY " + n.withinName(c.Within) + ")"
	}
	if c.Filter != nil {
		name += " FILTER (WHERE " + n.pretty(c.Filter) + ")"
	}
	if c.Over != nil {
		name += " OVER (" + n.windowName(c) + ")"
	}
	return name
}

// daysAdded prints date + n and date - n as the functions that Spark makes of them.
func (n namer) daysAdded(c *expr.Call) (string, bool) {
	name := map[string]string{"+": "date_add", "-": "date_sub"}[c.Func]
	x, days := c.Args[0], c.Args[1]
	if t := days.Type(); name != "" && n.kind(x) == row.Date && t.Kind == row.Interval && t.Precision == row.DayUnit && t.Scale == row.DayUnit {
		added := "extractansiintervaldays(" + n.pretty(days) + ")"
		if c.Func == "-" {
			added = "(- " + added + ")"
		}
		return "date_add(" + n.pretty(x) + ", " + added + ")", true
	}
	if c.Func == "+" && n.kind(days) == row.Date {
		x, days = days, x
	}
	if k := n.kind(days); name == "" || n.kind(x) != row.Date || k < row.TinyInt || k > row.Int {
		return "", false
	}
	return name + "(" + n.pretty(x) + ", " + n.pretty(days) + ")", true
}

// kind is the kind of an unbound expression as far as that shows: of constants,
// columns, casts, and functions that have but one. Void for others.
func (n namer) kind(e expr.Expr) row.Kind {
	switch e := e.(type) {
	case *expr.Literal:
		return e.T.Kind
	case *expr.Name:
		if bound := n.resolve(e); bound != nil {
			return bound.Type().Kind
		}
	case *expr.Cast:
		return e.T.Kind
	case *expr.Call:
		if f, ok := expr.Lookup(e.Func); ok {
			return map[string]row.Kind{"date": row.Date, "int": row.Int}[f.Result]
		}
	}
	return row.Void
}

// castNames are the functions that Spark takes for casts, and prints as what they
// cast.
var castNames = map[string]bool{
	"bigint": true, "int": true, "smallint": true, "tinyint": true, "double": true, "float": true, "decimal": true, "boolean": true,
	"string": true, "binary": true, "date": true, "timestamp": true,
}

// interval reports whether an unbound expression is an interval, as far as that
// shows: a constant, or the sum of some.
func (n namer) interval(e expr.Expr) bool {
	switch e := e.(type) {
	case *expr.Literal:
		return e.T.Kind == row.Interval
	case *expr.Name:
		bound := n.resolve(e)
		return bound != nil && bound.Type().Kind == row.Interval
	case *expr.Call:
		switch e.Func {
		case "+", "-", "*", "/", "negative", "positive", "abs":
			return n.interval(e.Args[0])
		case "make_dt_interval", "make_ym_interval", "make_interval":
			return true
		}
	}
	return false
}

func (n namer) notName(x expr.Expr) string {
	if c, ok := x.(*expr.Call); ok && c.Func == "isunknown" {
		return "(" + n.pretty(c.Args[0]) + " IS NOT NULL)"
	}
	return "(NOT " + n.pretty(x) + ")"
}

func (n namer) operatorName(c *expr.Call) (string, bool) {
	arg := func(i int) string { return n.pretty(c.Args[i]) }
	switch c.Func {
	case "<>":
		return "(NOT (" + arg(0) + " = " + arg(1) + "))", true
	case "not":
		return n.notName(c.Args[0]), true
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
	case "istrue", "isfalse":
		return "(" + arg(0) + " <=> " + strings.TrimPrefix(c.Func, "is") + ")", true
	case "isnull", "isunknown":
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
	case "extract", "datepart":
		return c.Func + "(" + arg(0) + " FROM " + arg(1) + ")", true
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
	"atan2": "ATAN2", "power": "POWER", "asinh": "ASINH", "acosh": "ACOSH", "atanh": "ATANH", "cot": "COT", "csc": "CSC", "sec": "SEC",
	"e": "E", "pi": "PI", "signum": "SIGNUM", "regexp": "REGEXP", "regexp_like": "REGEXP_LIKE", "log": "LOG",
}

// upperArgs are the numbers of arguments with which those print in capitals.
var upperArgs = map[string]int{"atan2": 2, "hypot": 2, "power": 2, "e": 0, "pi": 0, "regexp": 2, "regexp_like": 2, "log": 2}

// otherNames are the functions that Spark prints by another name.
var otherNames = map[string]string{
	"array_agg": "collect_list", "curdate": "current_date", "current_schema": "current_database", "user": "current_user", "random": "rand",
	"dateadd": "date_add", "to_varchar": "to_char",
}

// defaultArgs are the arguments that Spark fills in, by the number that is given.
var defaultArgs = map[string][]string{
	"round": {1: "0"}, "bround": {1: "0"}, "substring": {2: "2147483647"}, "substr": {2: "2147483647"}, "split": {2: "-1"},
	"regexp_replace": {3: "1"}, "regexp_instr": {2: "0"}, "overlay": {3: "-1"}, "replace": {2: ""}, "regexp_extract": {2: "1"},
	"lag": {1: "1, NULL", 2: "NULL"}, "lead": {1: "1, NULL", 2: "NULL"}, "percentile": {2: "1"}, "locate": {2: "1"}, "position": {2: "1"},
	"lpad": {2: " "}, "rpad": {2: " "}, "months_between": {2: "true"}, "percentile_approx": {2: "10000"}, "approx_percentile": {2: "10000"}, "sort_array": {1: "true"}, "str_to_map": {1: ",, :", 2: ":"},
	"make_dt_interval": {1: "0, 0, 0.000000", 2: "0, 0.000000", 3: "0.000000"}, "make_ym_interval": {1: "0"},
	"make_interval": {
		1: "0, 0, 0, 0, 0, 0.000000", 2: "0, 0, 0, 0, 0.000000", 3: "0, 0, 0, 0.000000", 4: "0, 0, 0.000000", 5: "0, 0.000000", 6: "0.000000",
	},
	"mask":           {1: "X, x, n, NULL", 2: "x, n, NULL", 3: "n, NULL", 4: "NULL"},
	"unix_timestamp": {1: "yyyy-MM-dd HH:mm:ss"}, "to_unix_timestamp": {1: "yyyy-MM-dd HH:mm:ss"}, "from_unixtime": {1: "yyyy-MM-dd HH:mm:ss"},
}

// firstAlone are the functions of which Spark shows the first argument only.
var firstAlone = map[string]bool{
	"from_json": true, "from_csv": true, "to_csv": true, "schema_of_csv": true, "likeany": true, "likeall": true, "notlikeany": true, "notlikeall": true,
}
