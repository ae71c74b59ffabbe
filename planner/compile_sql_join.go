package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/sql/expr"
)

var joinWords = map[string]string{
	"INNER": "JOIN", "CROSS": "CROSS JOIN", "LEFT OUTER": "LEFT JOIN", "RIGHT OUTER": "RIGHT JOIN", "FULL OUTER": "FULL JOIN",
	"LEFT SEMI": "SEMI JOIN", "LEFT ANTI": "ANTI JOIN",
}

func (g *generator) join(n *Join) (string, error) {
	left, err := g.from(n.Left)
	if err != nil {
		return "", err
	}
	right, err := g.from(n.Right)
	if err != nil {
		return "", err
	}
	word, on := joinWords[n.Kind], ""
	switch {
	case n.On != nil:
		if on, err = g.expr(n.On); err != nil {
			return "", err
		}
		on = " ON " + on
	case n.Kind == "INNER":
		word = "CROSS JOIN"
	case n.Kind != "CROSS":
		on = " ON true"
	}
	if n.Lateral {
		right = "LATERAL " + right
	}
	return "SELECT * FROM " + left + " " + word + " " + right + on, nil
}

func (g *generator) setOp(n *SetOp) (string, error) {
	sides := make([]string, 2)
	for i, side := range []Node{n.Left, n.Right} {
		var items []string
		for k, c := range side.Output() {
			shown := oneZero(c)
			if n.Op == "UNION" && n.All {
				shown = columnName(c)
			}
			items = append(items, shown+" AS "+columnName(n.Cols[k]))
		}
		q, err := g.over(side, strings.Join(items, ", "))
		if err != nil {
			return "", err
		}
		sides[i] = "(" + q + ")"
	}
	word := " " + n.Op
	if n.All {
		word += " ALL"
	}
	return sides[0] + word + " " + sides[1], nil
}

// generate spells a generator as a list that is unnested beside the input's
// columns, and then taken apart.
func (g *generator) generate(n *Generate) (string, error) {
	list, err := duck.SpellGenerator(n.Call, g.mode, n.Outer, columnName, g.subquery)
	if err != nil {
		return "", err
	}
	fields, err := expr.GeneratorColumns(n.Call)
	if err != nil {
		return "", err
	}
	from, err := g.from(n.Input)
	if err != nil {
		return "", err
	}
	element := g.alias()
	items := "* EXCLUDE (" + element + ")"
	for i, c := range n.Cols {
		items += fmt.Sprintf(", struct_extract(%s, %s) AS %s", element, duck.QuoteText(fields[i].Name), columnName(c))
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT *, unnest(%s) AS %s FROM %s) AS %s", items, list, element, from, g.alias()), nil
}
