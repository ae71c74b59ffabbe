package elastic

import (
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// like translates patterns to wildcards.
func (x *index) like(args []expr.Expr, not bool) (object, esds.Pushdown) {
	pattern, ok := constant(args[1])
	escape := `\`
	if ok && len(args) > 2 {
		var lit *expr.Literal
		if lit, ok = constant(args[2]); ok {
			escape, ok = lit.Value.(string)
		}
	}
	if !ok {
		return nil, esds.No
	}
	text, isText := pattern.Value.(string)
	switch {
	case pattern.Value == nil:
		return matchNone(), esds.Exact
	case !isText || len(escape) != 1:
		return nil, esds.No
	}
	parts, ok := likeParts(text, escape[0])
	if !ok {
		return nil, esds.No
	}
	return x.matching(args[0], parts, not)
}

// likePart is literal text, or % or _ where sign is set.
type likePart struct {
	text string
	sign byte
}

func likeParts(pattern string, escape byte) ([]likePart, bool) {
	var parts []likePart
	var text strings.Builder
	flush := func() {
		if text.Len() > 0 {
			parts = append(parts, likePart{text: text.String()})
			text.Reset()
		}
	}
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case escape:
			i++
			if i == len(pattern) || pattern[i] != '%' && pattern[i] != '_' && pattern[i] != escape {
				return nil, false // an error of the statement
			}
			text.WriteByte(pattern[i])
		case '%', '_':
			flush()
			parts = append(parts, likePart{sign: c})
		default:
			text.WriteByte(c)
		}
	}
	flush()
	return parts, true
}

// affix is startswith(column, text) and its like.
func (x *index) affix(c *expr.Call, not bool) (object, esds.Pushdown) {
	lit, ok := constant(c.Args[1])
	if !ok {
		return nil, esds.No
	}
	text, ok := lit.Value.(string)
	if !ok {
		return nil, esds.No
	}
	parts := []likePart{{text: text}}
	if c.Func != "startswith" {
		parts = append([]likePart{{sign: '%'}}, parts...)
	}
	if c.Func != "endswith" {
		parts = append(parts, likePart{sign: '%'})
	}
	return x.matching(c.Args[0], parts, not)
}

func (x *index) matching(column expr.Expr, parts []likePart, not bool) (object, esds.Pushdown) {
	t, ok := x.target(column)
	if !ok || t.meta != "" || !t.isText() || t.field.Normalizer != "" {
		return nil, esds.No
	}
	var q object
	switch {
	case len(parts) == 0:
		return x.compare("=", column, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: ""}, not)
	case len(parts) == 1 && parts[0].sign == 0:
		return x.compare("=", column, &expr.Literal{Node: expr.Node{T: row.StringType}, Value: parts[0].text}, not)
	case len(parts) == 1 && parts[0].sign == '%' && not:
		return matchNone(), esds.Exact
	case len(parts) == 1 && parts[0].sign == '%':
		return x.null(column, false)
	case len(parts) == 2 && parts[0].sign == 0 && parts[1].sign == '%':
		q = object{"prefix": object{t.path: object{"value": parts[0].text}}}
	default:
		q = object{"wildcard": object{t.path: object{"value": wildcard(parts)}}}
	}
	q, how := t.orIgnored(q, t.quality())
	if !not {
		return q, how
	}
	return t.negate(q, how, true)
}

func wildcard(parts []likePart) string {
	var w strings.Builder
	for _, p := range parts {
		switch p.sign {
		case '%':
			w.WriteByte('*')
		case '_':
			w.WriteByte('?')
		default:
			w.WriteString(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`).Replace(p.text))
		}
	}
	return w.String()
}

// arrayContains is array_contains(column, literal): any value is what the index
// looks for by itself.
func (x *index) arrayContains(args []expr.Expr, not bool) (object, esds.Pushdown) {
	lit, ok := constant(args[1])
	if !ok || not || lit.Value == nil {
		return nil, esds.No
	}
	t, ok := x.find(args[0])
	if !ok || t.declared.Kind != row.Array || t.declared.Elem.Nested() {
		return nil, esds.No
	}
	t.declared = *t.declared.Elem
	return t.compare("=", lit)
}
