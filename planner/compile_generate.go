package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// generated is the query of the rows that a generator makes of one input row.
func (g *generator) generated(n *Generate) (string, error) {
	args, err := g.exprs(n.Call.Args)
	if err != nil {
		return "", err
	}
	names := make([]string, len(n.Cols))
	for i, c := range n.Cols {
		names[i] = columnName(c)
	}
	switch strings.TrimSuffix(n.Call.Func, "_outer") {
	case "explode":
		return "SELECT " + unnest(n.Call.Args[0].Type(), args[0], names), nil
	case "posexplode":
		list := args[0]
		if n.Call.Args[0].Type().Kind == row.Map {
			list = "map_keys(" + list + ")"
		}
		return fmt.Sprintf("SELECT unnest(range(len(%s)))::INTEGER AS %s, %s", list, names[0], unnest(n.Call.Args[0].Type(), args[0], names[1:])), nil
	case "inline":
		return g.inlined(n, args[0], names), nil
	case "stack":
		return stacked(n.Call, args, names)
	}
	return "", &lex.Error{Code: codeLater, Span: n.Call.At, Message: fmt.Sprintf("%s is not supported yet as a generator", n.Call.Func)}
}

// unnest makes a row of each element of an array, or of each entry of a map.
func unnest(t row.Type, x string, names []string) string {
	if t.Kind == row.Map {
		return fmt.Sprintf("unnest(map_keys(%s)) AS %s, unnest(map_values(%s)) AS %s", x, names[0], x, names[1])
	}
	return fmt.Sprintf("unnest(%s) AS %s", x, names[0])
}

func (g *generator) inlined(n *Generate, x string, names []string) string {
	fields := n.Call.Args[0].Type().Elem.Fields
	items := make([]string, len(names))
	for i, f := range fields {
		items[i] = fmt.Sprintf("struct_extract(s, %s) AS %s", "'"+strings.ReplaceAll(f.Name, "'", "''")+"'", names[i])
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT unnest(%s) AS s) AS %s", strings.Join(items, ", "), x, g.alias())
}

// stacked spells stack(n, a, b, …): n rows of the arguments in order.
func stacked(c *expr.Call, args, names []string) (string, error) {
	n, ok := expr.ConstantInt(c.Args[0])
	if !ok || n < 1 {
		return "", &lex.Error{Code: codePlace, Span: c.Args[0].Span(), Message: "stack takes a number of rows first"}
	}
	width := len(names)
	rows := make([]string, n)
	for r := range rows {
		cells := make([]string, width)
		for k := range cells {
			cells[k] = "NULL"
			if at := 1 + r*width + k; at < len(args) {
				cells[k] = args[at]
			}
		}
		rows[r] = "(" + strings.Join(cells, ", ") + ")"
	}
	return fmt.Sprintf("SELECT * FROM (VALUES %s) AS v(%s)", strings.Join(rows, ", "), strings.Join(names, ", ")), nil
}
