package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// builder binds one statement. It opens the indices that the statement names,
// and gives every column of the plan an ID of its own.
type builder struct {
	ctx    context.Context
	env    *Env
	ids    *int
	lambda *int            // IDs of lambda parameters count down from -1
	ctes   *cteScope       // the WITH clauses around
	views  map[string]bool // views being expanded, to refuse a cycle

	outer map[*expr.Subquery][]string // the columns of queries around that a subquery uses

	defaults map[*expr.Name]expr.Expr // what DEFAULT stands for, by its place in an INSERT

	overwrites bool // the statement replaces the documents of its target
}

func newBuilder(ctx context.Context, env *Env) *builder {
	return &builder{ctx: ctx, env: env, ids: new(int), lambda: new(int), views: map[string]bool{}, outer: map[*expr.Subquery][]string{}}
}

func (b *builder) newColumn(name string, t row.Type) *expr.Column {
	*b.ids++
	return &expr.Column{Node: expr.Node{T: t}, ID: *b.ids, Name: name}
}

// binding is how an expression is bound: in which scope, and with what around.
type binding struct {
	*builder
	scope   *scope
	windows map[string]expr.Window // WINDOW w AS (…)
}

// expr binds an expression: names to columns, then types from the leaves up.
func (b *binding) expr(e expr.Expr) (expr.Expr, error) {
	switch e := e.(type) {
	case nil:
		return nil, nil
	case *expr.Name:
		return b.name(e)
	case *expr.Literal, *expr.Column, *expr.Star:
		return e, nil
	case *expr.Call:
		return b.call(e)
	case *expr.Subquery:
		return b.subquery(e)
	case *expr.Field:
		x, err := b.expr(e.X)
		if err != nil {
			return nil, err
		}
		return expr.Resolve(&expr.Field{Node: b.node(e.Node), X: x, Name: e.Name})
	case *expr.Index:
		return b.index(e)
	case *expr.Case:
		return b.caseWhen(e)
	case *expr.Cast:
		x, err := b.expr(e.X)
		if err != nil {
			return nil, err
		}
		return expr.Resolve(&expr.Cast{Node: b.node(e.Node), X: x, Try: e.Try, Implicit: e.Implicit, Strict: e.Strict})
	case *expr.Lambda:
		return nil, errorAt(e.At, codePlace, "a lambda stands only as an argument of a function such as transform", "")
	default:
		return nil, errorAt(e.Span(), codePlace, fmt.Sprintf("%s may not stand here", e), "")
	}
}

// node is the place and type of an unbound expression, for its bound one.
func (b *builder) node(n expr.Node) expr.Node {
	n.ANSI = b.env.ANSI()
	return n
}

func (b *binding) exprs(es []expr.Expr) ([]expr.Expr, error) {
	out := make([]expr.Expr, len(es))
	for i, e := range es {
		bound, err := b.expr(e)
		if err != nil {
			return nil, err
		}
		out[i] = bound
	}
	return out, nil
}

// name binds a column; words that Spark takes as functions without parentheses
// are those when no column has the name.
func (b *binding) name(n *expr.Name) (expr.Expr, error) {
	e, err := b.scope.resolve(n)
	if err == nil || len(n.Parts) != 1 {
		return e, err
	}
	if constantWord(n.Parts[0]) {
		return b.call(&expr.Call{Node: n.Node, Func: strings.ToLower(n.Parts[0])})
	}
	if x, ok := b.defaults[n]; ok {
		return x, nil
	}
	if isDefault(n) {
		return nil, errorAt(n.At, codePlace, "DEFAULT may not stand here", "it is a whole value without a name: in VALUES or the SELECT list of an INSERT by position, or SET column = DEFAULT")
	}
	return nil, err
}

// constantWord reports whether a word is a function without parentheses.
func constantWord(word string) bool {
	switch strings.ToLower(word) {
	case "current_date", "current_timestamp", "current_user", "user", "localtimestamp":
		return true
	}
	return false
}

func (b *binding) index(e *expr.Index) (expr.Expr, error) {
	if meta, ok := metadataName(e); ok {
		if bound, err := b.scope.resolve(&expr.Name{Node: e.Node, Parts: []string{meta}}); err == nil {
			return bound, nil
		}
	}
	x, err := b.expr(e.X)
	if err != nil {
		return nil, err
	}
	key, err := b.expr(e.Key)
	if err != nil {
		return nil, err
	}
	return expr.Resolve(&expr.Index{Node: b.node(e.Node), X: x, Key: key})
}

// metadataName is the column that _metadata['_id'] stands for.
func metadataName(e *expr.Index) (string, bool) {
	base, ok := e.X.(*expr.Name)
	if !ok || len(base.Parts) != 1 || !strings.EqualFold(base.Parts[0], "_metadata") {
		return "", false
	}
	key, ok := e.Key.(*expr.Literal)
	if !ok {
		return "", false
	}
	name, ok := key.Value.(string)
	return name, ok
}

func (b *binding) caseWhen(e *expr.Case) (expr.Expr, error) {
	bound := &expr.Case{Node: b.node(e.Node)}
	var err error
	if bound.Operand, err = b.expr(e.Operand); err != nil {
		return nil, err
	}
	for _, w := range e.Whens {
		cond, err := b.expr(w.Cond)
		if err != nil {
			return nil, err
		}
		then, err := b.expr(w.Then)
		if err != nil {
			return nil, err
		}
		bound.Whens = append(bound.Whens, expr.When{Cond: cond, Then: then})
	}
	if bound.Else, err = b.expr(e.Else); err != nil {
		return nil, err
	}
	return expr.Resolve(bound)
}

func (b *binding) call(c *expr.Call) (expr.Expr, error) {
	if e, ok := b.constant(c); ok {
		return e, nil
	}
	if c.Func == "convert_timezone" && len(c.Args) == 2 { // from the session's zone
		from := &expr.Literal{Node: expr.Node{At: c.At, T: row.StringType}, Value: b.env.zoneName()}
		long := *c
		long.Args = []expr.Expr{from, c.Args[0], c.Args[1]}
		c = &long
	}
	switch c.Func {
	case "score":
		return b.score(c)
	case "window", "session_window":
		return b.scope.windowOf(c)
	}
	bound := &expr.Call{Node: b.node(c.Node), Func: c.Func, Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls}
	bound.Args = make([]expr.Expr, len(c.Args))
	for i, a := range c.Args {
		if _, ok := a.(*expr.Lambda); ok {
			bound.Args[i] = a // its parameters have the types that the others tell
			continue
		}
		arg, err := b.expr(a)
		if err != nil {
			return nil, err
		}
		bound.Args[i] = arg
	}
	for i, a := range c.Args {
		l, ok := a.(*expr.Lambda)
		if !ok {
			continue
		}
		arg, err := b.lambdaArg(bound, i, l)
		if err != nil {
			return nil, err
		}
		bound.Args[i] = arg
	}
	if err := b.callClauses(c, bound); err != nil {
		return nil, err
	}
	return expr.Resolve(bound)
}

func (b *binding) callClauses(c, bound *expr.Call) (err error) {
	if bound.Filter, err = b.expr(c.Filter); err != nil {
		return err
	}
	if bound.Within, err = b.orders(c.Within); err != nil {
		return err
	}
	if c.Over == nil {
		return nil
	}
	w := *c.Over
	if w.Name != "" {
		named, ok := b.windows[strings.ToLower(w.Name)]
		if !ok {
			return errorAt(c.At, codeColumn, fmt.Sprintf("window %q is not defined", w.Name), "add WINDOW "+w.Name+" AS (…)")
		}
		w = named
	}
	bound.Over, err = b.window(w)
	return err
}

func (b *binding) window(w expr.Window) (*expr.Window, error) {
	partition, err := b.exprs(w.Partition)
	if err != nil {
		return nil, err
	}
	order, err := b.orders(w.Order)
	if err != nil {
		return nil, err
	}
	out := &expr.Window{Partition: partition, Order: order}
	if w.Frame != nil {
		frame := *w.Frame
		if frame.From.Offset, err = b.expr(frame.From.Offset); err != nil {
			return nil, err
		}
		if frame.To.Offset, err = b.expr(frame.To.Offset); err != nil {
			return nil, err
		}
		out.Frame = &frame
	}
	return out, nil
}

func (b *binding) orders(keys []expr.Order) ([]expr.Order, error) {
	var out []expr.Order
	for _, k := range keys {
		x, err := b.expr(k.X)
		if err != nil {
			return nil, err
		}
		out = append(out, expr.Order{X: x, Desc: k.Desc, NullsFirst: k.NullsFirst})
	}
	return out, nil
}

func (b *binding) lambdaArg(call *expr.Call, arg int, l *expr.Lambda) (expr.Expr, error) {
	types, err := expr.LambdaParams(call, arg)
	if err != nil {
		return nil, err
	}
	if len(l.Params) > len(types) {
		return nil, errorAt(l.At, codeArity, fmt.Sprintf("%s takes a lambda of at most %d parameters here", call.Func, len(types)), "")
	}
	params := relation{}
	for i, name := range l.Params {
		*b.lambda--
		params.cols = append(params.cols, &expr.Column{Node: expr.Node{T: types[i]}, ID: *b.lambda, Name: name})
	}
	inner := &binding{builder: b.builder, windows: b.windows, scope: &scope{rels: []relation{params}, outer: b.scope}}
	body, err := inner.expr(l.Body)
	if err != nil {
		return nil, err
	}
	return &expr.Lambda{Node: expr.Node{At: l.At, T: body.Type()}, Params: l.Params, Body: body, Bound: params.cols}, nil
}

// score is the column _score of the one index that the query block searches.
func (b *binding) score(c *expr.Call) (expr.Expr, error) {
	var found []*expr.Column
	for _, r := range b.scope.rels {
		found = append(found, r.column("_score", true)...)
	}
	switch {
	case len(c.Args) > 0:
		return nil, errorAt(c.At, expr.CodeArguments, "score takes no arguments", "")
	case len(found) == 0:
		return nil, errorAt(c.At, codeSearch, "score() is answered by an index alone, and no table of this query block is one", "select it in a subquery over the index")
	case len(found) > 1:
		return nil, errorAt(c.At, codeAmbiguous, "score() could be of several indices", "write t._score of the one that you mean")
	case !b.scope.search:
		return nil, errorAt(c.At, codeSearch, "score() needs a full-text condition in WHERE", "for example WHERE match(column, 'text')")
	}
	return &expr.Column{Node: expr.Node{At: c.At, T: found[0].T}, ID: found[0].ID, Name: found[0].Name}, nil
}

// searches reports whether a condition has a full-text function.
func searches(e expr.Expr) bool {
	found := false
	if e == nil {
		return false
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Call); ok {
			f, known := expr.Lookup(c.Func)
			found = found || known && f.Kind == expr.FullTextFunction
		}
		return !found
	})
	return found
}

const day = 86_400_000_000 // microseconds

// constant answers the functions whose value belongs to the statement.
func (b *binding) constant(c *expr.Call) (expr.Expr, bool) {
	if len(c.Args) > 0 {
		return nil, false
	}
	micros := b.env.Now.UTC().UnixMicro()
	wall := b.zone().Wall(micros)
	literal := func(v any, t row.Type) (expr.Expr, bool) {
		return &expr.Literal{Node: expr.Node{At: c.At, T: t}, Value: v}, true
	}
	switch c.Func {
	case "now", "current_timestamp":
		return literal(micros, row.TimestampType)
	case "localtimestamp":
		return literal(wall, row.TimestampNTZType)
	case "current_date", "curdate":
		return literal((wall-((wall%day)+day)%day)/day, row.DateType)
	case "current_database", "current_schema":
		return literal(b.env.Database, row.StringType)
	case "current_catalog":
		return literal("spark_catalog", row.StringType)
	case "current_timezone":
		return literal(b.env.zoneName(), row.StringType)
	}
	return nil, false
}
