package expr

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Resolve types one node whose parts are typed already, by Spark's rules: it puts in the implicit casts, and says what does not go
// together. Literals, columns, stars, lambdas and subqueries come back as they
// are. A literal that is cast implicitly becomes a literal of the new type.
func Resolve(e Expr) (Expr, error) {
	switch e := e.(type) {
	case *Field:
		return resolveField(e)
	case *Index:
		return resolveIndex(e)
	case *Cast:
		return resolveCast(e)
	case *Case:
		return resolveCase(e)
	case *Call:
		return resolveCall(e)
	}
	return e, nil
}

func resolveField(e *Field) (Expr, error) {
	t := e.X.Type()
	out := *e
	switch t.Kind {
	case row.Struct:
		k := t.Fields.Index(e.Name)
		if k < 0 {
			err := errorAt(CodeField, e.At, "%s has no field %s", e.X, row.QuoteName(e.Name))
			if near := lex.Near(e.Name, t.Fields.Names()); near != "" {
				err.Hint = "did you mean " + row.QuoteName(near) + "?"
			}
			return nil, err
		}
		out.Name, out.T = t.Fields[k].Name, t.Fields[k].Type
		return &out, nil
	case row.Array: // of structs: the field of each
		if t.Elem.Kind == row.Struct {
			if k := t.Elem.Fields.Index(e.Name); k >= 0 {
				out.Name, out.T = t.Elem.Fields[k].Name, row.ArrayType(t.Elem.Fields[k].Type)
				return &out, nil
			}
		}
	case row.Map:
		key := &Literal{Node: Node{At: e.At, T: row.StringType}, Value: e.Name}
		return resolveIndex(&Index{Node: e.Node, X: e.X, Key: key})
	}
	return nil, errorAt(CodeField, e.At, "%s is %s and has no field %s", e.X, typeName(t), row.QuoteName(e.Name))
}

func resolveIndex(e *Index) (Expr, error) {
	t := e.X.Type()
	switch t.Kind {
	case row.Struct:
		name, ok := ConstantText(e.Key)
		if !ok {
			return nil, errorAt(CodeConstant, e.Key.Span(), "a field of a STRUCT is named by a text constant")
		}
		return resolveField(&Field{Node: e.Node, X: e.X, Name: name})
	case row.Array:
		if e.Key.Type().Kind == row.Void {
			e.Key = Convert(e.Key, row.IntType)
		}
		if !e.Key.Type().Integral() {
			return nil, errorAt(CodeTypes, e.Key.Span(), "an ARRAY is indexed by a whole number, not %s", typeName(e.Key.Type()))
		}
		return &Index{Node: Node{At: e.At, T: *t.Elem}, X: e.X, Key: e.Key}, nil
	case row.Map:
		key, ok := widen(*t.Key, e.Key.Type(), noText)
		if to, fits := implicitTo(*t.Key, e.Key.Type()); !ok && fits {
			key, ok = to, true
		}
		if !ok || !key.Equal(*t.Key) {
			return nil, errorAt(CodeTypes, e.Key.Span(), "the key of %s must be %s, not %s", e.X, typeName(*t.Key), typeName(e.Key.Type()))
		}
		return &Index{Node: Node{At: e.At, T: *t.Elem}, X: e.X, Key: Convert(e.Key, key)}, nil
	}
	return nil, errorAt(CodeTypes, e.X.Span(), "%s cannot be indexed: it is %s", e.X, typeName(t))
}

func resolveCast(e *Cast) (Expr, error) {
	from := e.X.Type()
	if !CastAllowed(from, e.T, e.castMode()) {
		return nil, errorAt(CodeCast, e.At, "%s cannot be cast to %s", typeName(from), typeName(e.T))
	}
	return e, nil
}

// resolveCase types both forms: the operand is compared with each WHEN, and the
// results get their common type.
func resolveCase(e *Case) (Expr, error) {
	out := *e
	out.Whens = slices.Clone(e.Whens)
	var types []row.Type
	for _, w := range e.Whens {
		if e.Operand == nil {
			if w.Cond.Type().Kind != row.Boolean {
				return nil, errorAt(CodeTypes, w.Cond.Span(), "the condition of WHEN must be BOOLEAN, not %s", typeName(w.Cond.Type()))
			}
		}
		types = append(types, w.Then.Type())
	}
	if e.Operand != nil {
		if err := caseOperand(&out); err != nil {
			return nil, err
		}
	}
	if e.Else != nil {
		types = append(types, e.Else.Type())
	}
	t, ok := CommonType(e.ANSI, types...)
	if !ok {
		return nil, noCommon(e.At, "the results of CASE", types)
	}
	for i, w := range out.Whens {
		out.Whens[i].Then = Convert(w.Then, t)
	}
	if e.Else != nil {
		out.Else = Convert(e.Else, t)
	}
	out.T = t
	return &out, nil
}

// caseOperand brings the operand and what it is compared with to one type. Where
// they do not share one, the branches become comparisons of their own.
func caseOperand(e *Case) error {
	common, same := e.Operand.Type(), true
	for _, w := range e.Whens {
		t, ok := comparisonType(e.Operand.Type(), w.Cond.Type(), e.ANSI)
		if !ok {
			return pairError(w.Cond.Span(), "compared", e.Operand.Type(), w.Cond.Type())
		}
		same = same && (t.Equal(common) || common.Kind == row.Void)
		common = t
	}
	if same {
		for i, w := range e.Whens {
			e.Whens[i].Cond = Convert(w.Cond, common)
		}
		e.Operand = Convert(e.Operand, common)
		return nil
	}
	for i, w := range e.Whens {
		eq, err := comparison(&Call{Node: Node{At: w.Cond.Span(), ANSI: e.ANSI}, Func: "=", Args: []Expr{e.Operand, w.Cond}})
		if err != nil {
			return err
		}
		e.Whens[i].Cond = eq
	}
	e.Operand = nil
	return nil
}

func noCommon(at lex.Span, what string, types []row.Type) error {
	for i := range types {
		for j := range i {
			if _, ok := widen(types[j], types[i], textWins); !ok {
				return errorAt(CodeTypes, at, "%s have types that do not go together: %s and %s", what, typeName(types[j]), typeName(types[i]))
			}
		}
	}
	return errorAt(CodeTypes, at, "%s have types that do not go together", what)
}

// resolveCall types a function or operator by its row in the table.
func resolveCall(c *Call) (Expr, error) {
	f, ok := Lookup(c.Func)
	if !ok {
		return nil, unknownFunction(c)
	}
	out := *c
	out.Args = slices.Clone(c.Args)
	if err := checkPlace(f, &out); err != nil {
		return nil, err
	}
	typed, err := typeCall(f, &out)
	if err != nil {
		return nil, err
	}
	return typed, nil
}

func typeCall(f *Function, c *Call) (*Call, error) {
	if len(c.Args) == 1 {
		if _, isStar := c.Args[0].(*Star); isStar && f.Name() != "count" {
			return nil, errorAt(CodeArguments, c.At, "%s(*) is not possible, only count(*) is", c.Func)
		}
	}
	c, err := applySignature(f, c)
	if err != nil || f.rule == nil {
		return c, err
	}
	return f.rule(c)
}

// checkPlace looks at what surrounds the arguments: FILTER, DISTINCT and OVER.
func checkPlace(f *Function, c *Call) error {
	switch {
	case c.Over != nil && f.Kind != AggregateFunction && f.Kind != WindowFunction:
		return errorAt(CodeWindow, c.At, "%s is no aggregate or window function: it cannot have OVER", c.Func)
	case c.Over == nil && f.Kind == WindowFunction:
		return errorAt(CodeWindow, c.At, "%s is a window function: it needs OVER (…)", c.Func)
	case c.Filter != nil && f.Kind != AggregateFunction:
		return errorAt(CodeWindow, c.At, "%s is no aggregate: it cannot have FILTER", c.Func)
	case c.Distinct && f.Kind != AggregateFunction:
		return errorAt(CodeWindow, c.At, "%s is no aggregate: it cannot have DISTINCT", c.Func)
	case c.Distinct && c.Over != nil:
		return errorAt(CodeWindow, c.At, "DISTINCT is not possible in a window function")
	}
	if c.Filter != nil {
		if c.Filter.Type().Kind != row.Boolean {
			return errorAt(CodeTypes, c.Filter.Span(), "the condition of FILTER must be BOOLEAN, not %s", typeName(c.Filter.Type()))
		}
	}
	if c.Over != nil && f.Kind == WindowFunction && len(c.Over.Order) == 0 && c.Over.Name == "" {
		return errorAt(CodeWindow, c.At, "%s needs ORDER BY in its OVER clause", c.Func)
	}
	if c.Over != nil && f.Kind == WindowFunction && c.Over.Frame != nil && !takesFrame(strings.ToLower(c.Func), c.Over.Frame) {
		return errorAt(CodeWindow, c.At, "%s has rows of its own that it looks at: leave %s BETWEEN … out of its OVER clause", c.Func, c.Over.Frame.Unit)
	}
	return nil
}

// takesFrame reports whether a window function has that frame, as Spark has it: one
// that ranks only the one that it looks at anyway.
func takesFrame(function string, f *Frame) bool {
	unit := "ROWS"
	switch function {
	case "nth_value":
		return true
	case "lag", "lead":
		return false
	case "cume_dist":
		unit = "RANGE"
	}
	return f.Unit == unit && f.From.Kind == UnboundedPreceding && f.To.Kind == CurrentRow
}
