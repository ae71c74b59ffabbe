package planner

import (
	"fmt"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// timeWindow is the window or session_window of a query block: a column that its
// calls stand for.
type timeWindow struct {
	call *expr.Call // as written
	col  *expr.Column

	// of a session: when it begins and ends if no other row belongs to it
	at, end expr.Expr
}

// windowOf returns the column of a call of window or session_window.
func (s *scope) windowOf(c *expr.Call) (expr.Expr, error) {
	if s.window == nil {
		return nil, errorAt(c.At, codePlace, c.Func+" makes rows of a row: it stands in SELECT, GROUP BY, HAVING or ORDER BY", "filter by the time itself, or around a subquery")
	}
	return &expr.Column{Node: expr.Node{At: c.At, T: s.window.col.T}, ID: s.window.col.ID, Name: s.window.col.Name}, nil
}

// timeWindows gives every row its windows before the block is grouped, as Spark
// does: one of a tumbling window, several of a sliding one, none of a time that is
// NULL. A session waits for the keys.
func (k *block) timeWindows(orderBy []expr.Order) error {
	call, err := k.windowCall(orderBy)
	if call == nil || err != nil {
		return err
	}
	if call.Func == "session_window" {
		return k.sessionWindow(call)
	}
	args, err := windowArgs(call)
	if err != nil {
		return err
	}
	g, err := k.generate(k.binding, k.node, &expr.Call{Node: call.Node, Func: "timewindows", Args: args}, false, []string{"window"})
	if err != nil {
		return err
	}
	k.node = g
	k.putWindow(&timeWindow{call: call, col: g.Cols[0]})
	return nil
}

// putWindow has the names of the block find the window: by its call and, unless a
// column has the name, by the name that Spark gives it.
func (k *block) putWindow(w *timeWindow) {
	added := *k.scope
	added.window = w
	added.rels = append(append([]relation{}, added.rels...), relation{hidden: []*expr.Column{w.col}})
	k.scope = &added
}

// windowCall finds the one window of the block.
func (k *block) windowCall(orderBy []expr.Order) (*expr.Call, error) {
	var found []*expr.Call
	for _, e := range k.written(orderBy) {
		found = append(found, windowCalls(e)...)
	}
	for _, c := range found {
		if c.String() != found[0].String() {
			return nil, errorAt(c.At, codePlace, "a query block has one window of time at most, and this is a second one", "group in a subquery by the first")
		}
	}
	if len(found) == 0 {
		return nil, nil
	}
	return found[0], nil
}

// written are the expressions of the block that come after WHERE.
func (k *block) written(orderBy []expr.Order) []expr.Expr {
	es := []expr.Expr{k.sel.Having, k.sel.Qualify}
	for _, it := range k.sel.Items {
		es = append(es, it.X)
	}
	if g := k.sel.GroupBy; g != nil {
		es = append(es, g.Keys...)
		for _, set := range g.Sets {
			es = append(es, set...)
		}
	}
	for _, o := range orderBy {
		es = append(es, o.X)
	}
	return es
}

func windowCalls(e expr.Expr) (found []*expr.Call) {
	if e == nil {
		return nil
	}
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Call); ok && (c.Func == "window" || c.Func == "session_window") {
			found = append(found, c)
		}
		return true
	})
	return found
}

// windowArgs are the arguments of timewindows: the time, then microseconds.
func windowArgs(c *expr.Call) ([]expr.Expr, error) {
	if len(c.Args) < 2 || len(c.Args) > 4 {
		return nil, errorAt(c.At, expr.CodeArguments, fmt.Sprintf("window takes 2 to 4 arguments, not %d", len(c.Args)), "window(time, '10 minutes' [, slide [, start]])")
	}
	var micros [3]int64
	for i, a := range c.Args[1:] {
		n, err := durationOf(a)
		if err != nil {
			return nil, err
		}
		micros[i] = n
	}
	if len(c.Args) == 2 {
		micros[1] = micros[0]
	}
	size, slide, start := micros[0], micros[1], micros[2]
	switch {
	case size <= 0 || slide <= 0:
		return nil, errorAt(c.At, codePlace, "the length and the slide of a window are more than 0", "")
	case slide > size:
		return nil, errorAt(c.At, codePlace, "the slide of a window is at most its length", "")
	case start >= slide || -start >= slide:
		return nil, errorAt(c.At, codePlace, "the start of a window is less than its slide", "")
	case (size+slide-1)/slide > 10_000:
		return nil, errorAt(c.At, codePlace, "a row would be in more than 10000 windows", "let the window slide by more")
	}
	args := []expr.Expr{c.Args[0]}
	for _, n := range []int64{size, slide, start} {
		args = append(args, &expr.Literal{Node: expr.Node{At: c.At, T: row.BigIntType}, Value: n})
	}
	return args, nil
}

// durationOf is the microseconds of a length of time.
func durationOf(e expr.Expr) (int64, error) {
	v, err := lengthOf(e)
	return int64(v.Days)*day + v.Micros, err
}

// lengthOf reads '10 minutes', or a number of microseconds.
func lengthOf(e expr.Expr) (expr.Interval, error) {
	if n, ok := expr.ConstantInt(e); ok {
		return expr.Interval{Micros: n}, nil
	}
	none, refuse := expr.Interval{}, errorAt(e.Span(), codePlace, "a length of time is a constant such as '10 minutes', without months", "")
	l, ok := e.(*expr.Literal)
	if !ok {
		return none, refuse
	}
	text, ok := l.Value.(string)
	if !ok {
		return none, refuse
	}
	t, err := lex.One("", "INTERVAL "+lex.QuoteString(text))
	if err != nil {
		return none, refuse
	}
	x, err := sql.ParseExpr(t)
	if err != nil {
		return none, refuse
	}
	v, ok := x.(*expr.Literal)
	if !ok {
		return none, refuse
	}
	interval, ok := v.Value.(expr.Interval)
	if !ok || interval.Months != 0 {
		return none, refuse
	}
	return interval, nil
}

// sessionWindow makes room for the column of sessions, and leaves out rows without
// a time.
func (k *block) sessionWindow(c *expr.Call) error {
	if len(c.Args) != 2 {
		return errorAt(c.At, expr.CodeArguments, fmt.Sprintf("session_window takes 2 arguments, not %d", len(c.Args)), "session_window(time, '10 minutes')")
	}
	if g := k.sel.GroupBy; g == nil || g.Sets != nil || g.Kind != "" || g.All {
		return errorAt(c.At, codePlace, "session_window needs a plain GROUP BY that has it as a key", "")
	}
	gap, err := lengthOf(c.Args[1])
	if err != nil {
		return err
	}
	if int64(gap.Days)*day+gap.Micros <= 0 {
		return errorAt(c.At, codePlace, "the gap of a session is more than 0", "")
	}
	at, err := k.expr(c.Args[0])
	if err != nil {
		return err
	}
	if at.Type().Kind == row.TimestampNTZ {
		return errorAt(c.Args[0].Span(), codePlace, "session_window over TIMESTAMP_NTZ is not supported yet", "cast it to TIMESTAMP")
	}
	micros, err := expr.Resolve(&expr.Call{Node: k.builder.node(c.Node), Func: "unix_micros", Args: []expr.Expr{expr.Convert(at, row.TimestampType)}})
	if err != nil {
		return errorAt(c.Args[0].Span(), expr.CodeTypes, "session_window needs a time", "")
	}
	end, err := k.later(expr.Convert(at, row.TimestampType), gap, c)
	if err != nil {
		return err
	}
	there, err := expr.Resolve(&expr.Call{Func: "isnotnull", Args: []expr.Expr{micros}})
	if err != nil {
		return err
	}
	k.node = &Filter{Input: k.node, Cond: there}
	fields := row.Schema{{Name: "start", Type: row.TimestampType}, {Name: "end", Type: row.TimestampType}}
	k.putWindow(&timeWindow{call: c, col: k.newColumn("session_window", row.StructType(fields...)), at: micros, end: end})
	return nil
}

// later is a time moved by days of the session's clocks and what is left of them, in
// microseconds.
func (k *block) later(at expr.Expr, gap expr.Interval, c *expr.Call) (expr.Expr, error) {
	moved, err := expr.Resolve(&expr.Call{Node: k.builder.node(c.Node), Func: "+", Args: []expr.Expr{at, &expr.Literal{Node: expr.Node{At: c.At, T: row.IntervalType}, Value: gap}}})
	if err != nil {
		return nil, err
	}
	return expr.Resolve(&expr.Call{Node: k.builder.node(c.Node), Func: "unix_micros", Args: []expr.Expr{moved}})
}

// sessions computes the session of each row once the other keys are known: a row
// begins one when it comes after all rows before it have ended.
func (k *block) sessions() error {
	w := k.scope.window
	if w == nil || w.at == nil {
		return nil
	}
	var partition []expr.Expr
	for _, it := range k.group.keys {
		if c, ok := it.X.(*expr.Column); !ok || c.ID != w.col.ID {
			partition = append(partition, it.X)
		}
	}
	s := &sessioning{block: k, partition: partition, order: []expr.Order{{X: w.at}}}
	before := expr.Bound{Kind: expr.Preceding, Offset: s.whole(1)}
	last := s.column("before", s.over("max", w.end, &expr.Frame{Unit: "ROWS", From: expr.Bound{Kind: expr.UnboundedPreceding}, To: before}))
	follows := s.call("coalesce", s.call("if", s.call(">=", last, w.at), s.whole(0), s.whole(1)), s.whole(1))
	first := s.column("first", follows)
	number := s.column("session", s.over("sum", first, &expr.Frame{Unit: "ROWS", From: expr.Bound{Kind: expr.UnboundedPreceding}, To: expr.Bound{Kind: expr.CurrentRow}}))
	s.partition, s.order = append(append([]expr.Expr{}, partition...), number), nil
	start, end := s.call("timestamp_micros", s.over("min", w.at, nil)), s.call("timestamp_micros", s.over("max", w.end, nil))
	name := func(text string) expr.Expr { return &expr.Literal{Node: expr.Node{T: row.StringType}, Value: text} }
	s.put(w.col, s.call("named_struct", name("start"), start, name("end"), end))
	return s.err
}

// sessioning adds columns to what a block reads, each in a projection of its own.
type sessioning struct {
	*block
	partition []expr.Expr
	order     []expr.Order
	err       error
}

func (s *sessioning) whole(n int64) expr.Expr {
	return &expr.Literal{Node: expr.Node{T: row.BigIntType}, Value: n}
}

func (s *sessioning) call(f string, args ...expr.Expr) expr.Expr {
	return s.resolve(&expr.Call{Func: f, Args: args})
}

func (s *sessioning) over(f string, x expr.Expr, frame *expr.Frame) expr.Expr {
	return s.resolve(&expr.Call{Func: f, Args: []expr.Expr{x}, Over: &expr.Window{Partition: s.partition, Order: s.order, Frame: frame}})
}

func (s *sessioning) resolve(c *expr.Call) expr.Expr {
	x, err := expr.Resolve(c)
	if err != nil {
		if s.err == nil {
			s.err = err
		}
		return s.whole(0)
	}
	return x
}

func (s *sessioning) column(name string, x expr.Expr) expr.Expr {
	c := s.newColumn(name, x.Type())
	s.put(c, x)
	return c
}

func (s *sessioning) put(c *expr.Column, x expr.Expr) {
	var items []Item
	for _, in := range s.group.input.Output() {
		items = append(items, Item{Out: in, X: in})
	}
	s.group.input = &Project{Input: s.group.input, Items: append(items, Item{Out: c, X: x})}
}
