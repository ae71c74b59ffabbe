package expr

import (
	"maps"
	"reflect"
	"slices"
)

// Children returns the direct operands of an expression, in the order in which
// they are written: arguments, FILTER, WITHIN GROUP, OVER. Queries of subqueries
// are not among them.
func Children(e Expr) []Expr {
	var all []Expr
	rebuild(e, func(c Expr) Expr {
		all = append(all, c)
		return c
	})
	return all
}

// Map returns the expression with f applied to every node, operands first. The
// nodes on the way are new; the given ones stay as they are.
func Map(e Expr, f func(Expr) Expr) Expr {
	return f(rebuild(e, func(c Expr) Expr { return Map(c, f) }))
}

// MapChildren returns the expression with f applied to its direct operands.
func MapChildren(e Expr, f func(Expr) Expr) Expr { return rebuild(e, f) }

// Walk calls f for an expression and, as long as f returns true, for its
// operands.
func Walk(e Expr, f func(Expr) bool) {
	if !f(e) {
		return
	}
	for _, c := range Children(e) {
		Walk(c, f)
	}
}

// Conjuncts returns the operands of the topmost ANDs; nil for nil.
func Conjuncts(e Expr) []Expr {
	if e == nil {
		return nil
	}
	if c, ok := e.(*Call); ok && c.Func == "and" && len(c.Args) == 2 {
		return append(Conjuncts(c.Args[0]), Conjuncts(c.Args[1])...)
	}
	return []Expr{e}
}

// And joins conditions; nil for none. The result has the type of the first.
func And(es ...Expr) Expr {
	var all Expr
	for _, e := range es {
		switch {
		case e == nil:
		case all == nil:
			all = e
		default:
			node := Node{At: all.Span().To(e.Span()), T: all.Type()}
			all = &Call{Node: node, Func: "and", Args: []Expr{all, e}}
		}
	}
	return all
}

// Equal reports whether two expressions are the same but for their places in
// the text. Columns are the same when their IDs are, subqueries when they print
// alike.
func Equal(a, b Expr) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	if !same(a, b) {
		return false
	}
	return slices.EqualFunc(Children(a), Children(b), Equal)
}

// same compares two nodes without their operands.
func same(a, b Expr) bool {
	if reflect.TypeOf(a) != reflect.TypeOf(b) || !a.Type().Equal(b.Type()) {
		return false
	}
	switch x := a.(type) {
	case *Literal:
		return reflect.DeepEqual(x.Value, b.(*Literal).Value)
	case *Name:
		return slices.Equal(x.Parts, b.(*Name).Parts)
	case *Star:
		y := b.(*Star)
		return slices.Equal(x.Table, y.Table) && slices.Equal(x.Except, y.Except)
	case *Column:
		return x.ID == b.(*Column).ID
	case *Field:
		return x.Name == b.(*Field).Name
	case *Call:
		return sameCall(x, b.(*Call))
	case *Case:
		y := b.(*Case)
		return (x.Operand == nil) == (y.Operand == nil) && (x.Else == nil) == (y.Else == nil) && len(x.Whens) == len(y.Whens)
	case *Cast:
		y := b.(*Cast)
		return x.Try == y.Try && x.Implicit == y.Implicit
	case *Lambda:
		return slices.Equal(x.Params, b.(*Lambda).Params)
	case *Subquery:
		y := b.(*Subquery)
		return x.Kind == y.Kind && x.Query.String() == y.Query.String()
	default:
		return true
	}
}

func sameCall(x, y *Call) bool {
	return x.Func == y.Func && x.Distinct == y.Distinct && x.IgnoreNulls == y.IgnoreNulls && len(x.Args) == len(y.Args) &&
		(x.Filter == nil) == (y.Filter == nil) && sameOrders(x.Within, y.Within) && sameWindow(x.Over, y.Over)
}

func sameWindow(x, y *Window) bool {
	if x == nil || y == nil {
		return x == y
	}
	if x.Name != y.Name || len(x.Partition) != len(y.Partition) || !sameOrders(x.Order, y.Order) {
		return false
	}
	if x.Frame == nil || y.Frame == nil {
		return x.Frame == y.Frame
	}
	return x.Frame.Unit == y.Frame.Unit && x.Frame.From.Kind == y.Frame.From.Kind && x.Frame.To.Kind == y.Frame.To.Kind
}

func sameOrders(x, y []Order) bool {
	return slices.EqualFunc(x, y, func(a, b Order) bool {
		return a.Desc == b.Desc && maps.Equal(nulls(a), nulls(b))
	})
}

func nulls(o Order) map[bool]bool {
	if o.NullsFirst == nil {
		return nil
	}
	return map[bool]bool{*o.NullsFirst: true}
}

// rebuild returns a copy of a node with f applied to its direct operands; a
// node without operands is returned as it is.
func rebuild(e Expr, f func(Expr) Expr) Expr {
	switch e := e.(type) {
	case *Field:
		c := *e
		c.X = f(e.X)
		return &c
	case *Index:
		c := *e
		c.X, c.Key = f(e.X), f(e.Key)
		return &c
	case *Call:
		return rebuildCall(e, f)
	case *Case:
		c := *e
		c.Operand = optional(e.Operand, f)
		c.Whens = make([]When, len(e.Whens))
		for i, w := range e.Whens {
			c.Whens[i] = When{Cond: f(w.Cond), Then: f(w.Then)}
		}
		c.Else = optional(e.Else, f)
		return &c
	case *Cast:
		c := *e
		c.X = f(e.X)
		return &c
	case *Lambda:
		c := *e
		c.Body = f(e.Body)
		return &c
	case *Subquery:
		c := *e
		c.X = optional(e.X, f)
		return &c
	default:
		return e
	}
}

func rebuildCall(e *Call, f func(Expr) Expr) Expr {
	c := *e
	c.Args = each(e.Args, f)
	c.Filter = optional(e.Filter, f)
	c.Within = orders(e.Within, f)
	if e.Over == nil {
		return &c
	}
	over := *e.Over
	over.Partition = each(over.Partition, f)
	over.Order = orders(over.Order, f)
	if over.Frame != nil {
		frame := *over.Frame
		frame.From.Offset = optional(frame.From.Offset, f)
		frame.To.Offset = optional(frame.To.Offset, f)
		over.Frame = &frame
	}
	c.Over = &over
	return &c
}

func optional(e Expr, f func(Expr) Expr) Expr {
	if e == nil {
		return nil
	}
	return f(e)
}

func each(es []Expr, f func(Expr) Expr) []Expr {
	if es == nil {
		return nil
	}
	out := make([]Expr, len(es))
	for i, e := range es {
		out[i] = f(e)
	}
	return out
}

func orders(keys []Order, f func(Expr) Expr) []Order {
	if keys == nil {
		return nil
	}
	out := slices.Clone(keys)
	for i := range out {
		out[i].X = f(out[i].X)
	}
	return out
}
