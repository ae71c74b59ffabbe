package duck

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// call writes a function or operator: by code of its own where the types or
// constants decide, else by its template.
func (s *speller) call(c *expr.Call) string {
	f, ok := expr.Lookup(c.Func)
	if !ok {
		return s.fail(c, codeUnserved, "there is no function %s", c.Func)
	}
	name := f.Name()
	switch f.Kind {
	case expr.FullTextFunction:
		return s.fail(c, codeFullText, "%s is answered by an index alone; here it would have to be answered after the rows were read", c.Func)
	case expr.AggregateFunction, expr.WindowFunction:
		return s.aggregate(name, c)
	case expr.GeneratorFunction:
		return s.fail(c, codeUnserved, "%s can only stand in a select list or LATERAL VIEW", c.Func)
	}
	if text, ok := s.special(name, c); ok {
		return s.strict(name, text, c)
	}
	template, ok := scalarSpellings[name+"/"+strconv.Itoa(len(c.Args))]
	if !ok {
		template, ok = scalarSpellings[name]
	}
	if !ok {
		return s.unserved(c, "by the local engine")
	}
	return s.strict(name, fill(template, s.exprs(c.Args), c.T), c)
}

// fill puts arguments into a template: $1 to $9, $* for all with commas between,
// $T for the result's type.
func fill(template string, args []string, t row.Type) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(template, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		switch c := rest[0]; c {
		case 'T':
			b.WriteString(TypeSQL(t))
		case '*':
			b.WriteString(strings.Join(args, ", "))
		default:
			if i := int(c - '1'); i < len(args) {
				b.WriteString(args[i])
			} else {
				b.WriteString("NULL")
			}
		}
		template = rest[1:]
	}
}

// special writes the functions whose spelling depends on types or constants.
func (s *speller) special(name string, c *expr.Call) (string, bool) {
	for _, group := range []func(string, *expr.Call) (string, bool){s.ordered, s.operator, s.rounded, s.textual, s.numbered, s.timely, s.listed, s.mapped, s.jsonic} {
		if text, ok := group(name, c); ok {
			return text, true
		}
	}
	switch name {
	case "sessionzone":
		return s.expr(c.Args[0]), true
	case "typeof":
		return QuoteText(c.Args[0].Type().String()), true
	case "bigint", "int", "smallint", "tinyint", "double", "float", "decimal", "boolean", "string", "binary", "date", "timestamp":
		return s.cast(s.expr(c.Args[0]), c.Args[0].Type(), c.T, c), true
	case "nullif":
		return s.nullIf(c), true
	case "hash", "xxhash64":
		return s.hashed(name, c), true
	case "rand", "randn":
		if len(c.Args) > 0 {
			return s.unserved(c, "with a seed"), true
		}
	}
	return "", false
}

func (s *speller) nullIf(c *expr.Call) string {
	args := s.exprs(c.Args)
	x := args[0]
	if len(args) == 3 {
		x = args[2]
	}
	return fmt.Sprintf("CASE WHEN %s = %s THEN NULL ELSE %s END", x, args[1], args[0])
}

// operator writes arithmetic, comparisons and logic.
func (s *speller) operator(name string, c *expr.Call) (string, bool) {
	switch name {
	case "+", "-", "*", "/", "%", "pmod", "div", "try_add", "try_subtract", "try_multiply", "try_divide":
		return s.arithmetic(name, c), true
	case "negative":
		return "(- " + s.expr(c.Args[0]) + ")", true
	case "abs":
		if t := c.Args[0].Type(); t.Kind == row.Interval {
			return ofAmount("abs("+amount(s.expr(c.Args[0]), t)+")", t), true
		}
	case "positive":
		return s.expr(c.Args[0]), true
	case "=", "==", "<>", "!=", "<", "<=", ">", ">=", "<=>", "&", "|", "and", "or":
		args := s.exprs(c.Args)
		sign := map[string]string{"==": "=", "!=": "<>", "<=>": "IS NOT DISTINCT FROM", "and": "AND", "or": "OR"}[name]
		if sign == "" {
			sign = name
		}
		return "(" + args[0] + " " + sign + " " + args[1] + ")", true
	case "in":
		args := s.exprs(c.Args)
		return "(" + args[0] + " IN (" + strings.Join(args[1:], ", ") + "))", true
	case "like", "ilike", "likeany", "likeall", "notlikeany", "notlikeall":
		return s.likes(name, c), true
	}
	return "", false
}

// likes writes LIKE; Spark's escape character is the backslash.
func (s *speller) likes(name string, c *expr.Call) string {
	x := s.expr(c.Args[0])
	op := "LIKE"
	if name == "ilike" {
		op = "ILIKE"
	}
	if name == "like" || name == "ilike" {
		escape := `'\'`
		if len(c.Args) == 3 {
			escape = s.expr(c.Args[2])
		}
		return like(x, op, s.expr(c.Args[1]), escape, c.Args[1])
	}
	join, not := " OR ", ""
	if strings.HasSuffix(name, "all") {
		join = " AND "
	}
	if strings.HasPrefix(name, "not") {
		not = "NOT "
	}
	parts := make([]string, len(c.Args)-1)
	for i, p := range c.Args[1:] {
		parts[i] = not + like(x, op, s.expr(p), `'\'`, p)
	}
	return "(" + strings.Join(parts, join) + ")"
}

func like(x, op, pattern, escape string, p expr.Expr) string {
	if text, ok := expr.ConstantText(p); ok && !strings.Contains(text, `\`) && escape == `'\'` {
		return fmt.Sprintf("(%s %s %s)", x, op, pattern)
	}
	return fmt.Sprintf("(%s %s %s ESCAPE %s)", x, op, pattern, escape)
}
