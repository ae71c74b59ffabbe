package expr

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// tuples reports whether both are tuples of equal length.
func tuples(x, y Expr) (*Call, *Call, bool) {
	a, ok := x.(*Call)
	b, ok2 := y.(*Call)
	return a, b, ok && ok2 && a.Func == "struct" && b.Func == "struct" && len(a.Args) == len(b.Args) && len(a.Args) > 0
}

func sameNames(a, b row.Type) bool {
	for i, f := range a.Fields {
		if !strings.EqualFold(f.Name, b.Fields[i].Name) {
			return false
		}
	}
	return true
}

func comparableTuples(a, b *Call, ansi bool) (Expr, Expr, error) {
	x, y := *a, *b
	x.Args, y.Args = make([]Expr, len(a.Args)), make([]Expr, len(a.Args))
	fields := make(row.Schema, len(a.Args))
	for i := range a.Args {
		var err error
		if x.Args[i], y.Args[i], err = comparable(a.Args[i], b.Args[i], ansi); err != nil {
			return nil, nil, err
		}
		fields[i] = row.Field{Name: fmt.Sprintf("col%d", i+1), Type: x.Args[i].Type()} // two may have one name
	}
	x.T = row.Type{Kind: row.Struct, Fields: fields}
	y.T = x.T
	return &x, &y, nil
}

func inTuples(c *Call) bool {
	args := append([]Expr{}, c.Args...)
	for range 2 { // the second round gives all the type that the first one found
		for i := 1; i < len(args); i++ {
			a, b, ok := tuples(args[0], args[i])
			if !ok {
				return false
			}
			x, y, err := comparableTuples(a, b, c.ANSI)
			if err != nil {
				return false
			}
			args[0], args[i] = x, y
		}
	}
	c.Args = args
	return true
}
