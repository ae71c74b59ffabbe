package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// grouping is GROUP BY while its block is bound: expressions that equal a key
// become the key's column, aggregates become columns of the Aggregate.
type grouping struct {
	input Node
	keys  []Item // the keys, computed below the Aggregate
	sets  [][]int
	aggs  []Item
}

// grouped brings the select list and HAVING over the groups, where there are any.
func (k *block) grouped() error {
	g := k.sel.GroupBy
	needed := g != nil || k.sel.Having != nil
	for _, it := range k.items {
		needed = needed || findAggregate(it.X) != nil
	}
	if !needed {
		return nil
	}
	k.group = &grouping{input: k.node}
	if g != nil {
		if err := k.groupKeys(); err != nil {
			return err
		}
	}
	if err := k.sessions(); err != nil {
		return err
	}
	for i, it := range k.items {
		x, err := k.regroup(it.X)
		if err != nil {
			return err
		}
		k.items[i].X = x
	}
	return k.having()
}

func (k *block) groupKeys() error {
	g := k.sel.GroupBy
	if g.All {
		for _, it := range k.items {
			if findAggregate(it.X) == nil {
				k.keyPosition(it.X)
			}
		}
		return nil
	}
	keys, err := k.keyPositions(g.Keys)
	if err != nil {
		return err
	}
	switch strings.ToUpper(g.Kind) {
	case "ROLLUP":
		k.group.sets = rollup(keys)
	case "CUBE":
		k.group.sets = cube(keys)
	}
	for _, s := range g.Sets {
		set, err := k.keyPositions(s)
		if err != nil {
			return err
		}
		k.group.sets = append(k.group.sets, set)
	}
	return nil
}

// keyPositions binds keys and returns their positions.
func (k *block) keyPositions(es []expr.Expr) ([]int, error) {
	positions := make([]int, len(es))
	for i, e := range es {
		x, err := k.groupKey(e)
		if err != nil {
			return nil, err
		}
		positions[i] = k.keyPosition(x)
	}
	return positions, nil
}

// rollup is the grouping sets of ROLLUP: all keys, then one less at a time.
func rollup(keys []int) [][]int {
	var sets [][]int
	for n := len(keys); n >= 0; n-- {
		sets = append(sets, keys[:n])
	}
	return sets
}

// cube is the grouping sets of CUBE: every subset of the keys.
func cube(keys []int) [][]int {
	var sets [][]int
	for mask := 1<<len(keys) - 1; mask >= 0; mask-- {
		set := []int{}
		for i, key := range keys {
			if mask&(1<<(len(keys)-1-i)) != 0 {
				set = append(set, key)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// groupKey binds one key: a position, an alias where no column has the name, or
// an expression.
func (k *block) groupKey(e expr.Expr) (expr.Expr, error) {
	if lit, ok := e.(*expr.Literal); ok && lit.T.Integral() {
		n, _ := lit.Value.(int64)
		if n < 1 || n > int64(len(k.items)) {
			return nil, errorAt(lit.At, codeColumn, fmt.Sprintf("position %d is not in the select list, which has %d columns", n, len(k.items)), "")
		}
		return k.keyAllowed(k.items[n-1].X)
	}
	x, err := k.aliasScope().expr(e)
	if err != nil {
		return nil, err
	}
	return k.keyAllowed(x)
}

func (k *block) keyAllowed(x expr.Expr) (expr.Expr, error) {
	if at := findAggregate(x); at != nil {
		return nil, errorAt(at.Span(), codeAggregate, fmt.Sprintf("the aggregate %s may not stand in GROUP BY", at), "")
	}
	return x, nil
}

// keyPosition returns the position of a key, which it adds when it is new.
func (k *block) keyPosition(x expr.Expr) int {
	want := fingerprint(x)
	for i, it := range k.group.keys {
		if fingerprint(it.X) == want {
			return i
		}
	}
	// A key of grouping sets becomes NULL in the sets without it, so even a plain
	// column gets an ID of its own: aggregates over the column read the values.
	out := k.newColumn(keyName(x), x.Type())
	k.group.keys = append(k.group.keys, Item{Out: out, X: x})
	return len(k.group.keys) - 1
}

func keyName(x expr.Expr) string {
	if c, ok := x.(*expr.Column); ok {
		return c.Name
	}
	return x.String()
}

// regroup rewrites a bound expression over the groups: keys and aggregates
// become columns. Without GROUP BY it is the expression itself.
func (k *block) regroup(e expr.Expr) (expr.Expr, error) {
	if k.group == nil || e == nil {
		return e, nil
	}
	if c, ok := e.(*expr.Call); ok && c.Over == nil && (expr.IsAggregate(c.Func) || c.Func == "grouping" || c.Func == "grouping_id") {
		return k.aggregate(c)
	}
	want := fingerprint(e)
	for _, it := range k.group.keys {
		if fingerprint(it.X) == want {
			c := *it.Out
			c.At = e.Span()
			return &c, nil
		}
	}
	var failed error
	out := expr.MapChildren(e, func(child expr.Expr) expr.Expr {
		x, err := k.regroup(child)
		if err != nil && failed == nil {
			failed = err
		}
		return x
	})
	return out, failed
}

// aggregate returns the column of an aggregate call.
func (k *block) aggregate(c *expr.Call) (expr.Expr, error) {
	for _, a := range c.Args {
		if inner := findAggregate(a); inner != nil {
			return nil, errorAt(inner.Span(), codeAggregate, fmt.Sprintf("the aggregate %s stands inside the aggregate %s", inner, c.Func), "compute it in a subquery")
		}
	}
	call := c
	if c.Func == "grouping" || c.Func == "grouping_id" {
		keyed, err := k.groupingCall(c)
		if err != nil {
			return nil, err
		}
		call = keyed
	}
	want := fingerprint(call)
	for _, it := range k.group.aggs {
		if fingerprint(it.X) == want {
			return it.Out, nil
		}
	}
	out := k.newColumn(c.String(), c.T)
	k.group.aggs = append(k.group.aggs, Item{Out: out, X: call})
	return out, nil
}

// groupingCall turns the arguments of grouping and grouping_id into key columns.
func (k *block) groupingCall(c *expr.Call) (*expr.Call, error) {
	args := c.Args
	if len(args) == 0 {
		for _, it := range k.group.keys {
			args = append(args, it.X)
		}
	}
	call := &expr.Call{Node: c.Node, Func: c.Func}
	for _, a := range args {
		key := -1
		for i, it := range k.group.keys {
			if fingerprint(it.X) == fingerprint(a) {
				key = i
			}
		}
		if key < 0 {
			return nil, errorAt(a.Span(), codeGrouped, fmt.Sprintf("%s is not a key of GROUP BY", a), "")
		}
		call.Args = append(call.Args, k.group.keys[key].Out)
	}
	return call, nil
}

func (k *block) having() error {
	if k.sel.Having != nil {
		bind := k.aliasScope()
		cond, err := bind.expr(k.sel.Having)
		if err != nil {
			return err
		}
		if cond.Type().Kind == row.Void {
			cond = expr.Convert(cond, row.BooleanType)
		}
		if cond, err = bind.boolean(cond, "HAVING"); err != nil {
			return err
		}
		if cond, err = k.regroup(cond); err != nil {
			return err
		}
		k.node = &Filter{Input: k.groupNode(), Cond: cond}
		return k.ungrouped(cond)
	}
	k.node = k.groupNode()
	return nil
}

// pending stands where the Aggregate will be: ORDER BY and QUALIFY may still add
// aggregates to it.
type pending struct{ Node }

func (k *block) groupNode() Node { return &pending{} }

// checkGrouped completes the Aggregate and refuses columns that are neither
// grouped nor aggregated.
func (k *block) checkGrouped() error {
	if k.group == nil {
		return nil
	}
	for _, it := range append(append([]Item{}, k.items...), k.extra...) {
		if err := k.ungrouped(it.X); err != nil {
			return err
		}
	}
	agg := k.group.node()
	if f, ok := k.node.(*Filter); ok {
		k.node = &Filter{Input: agg, Cond: f.Cond}
	} else {
		k.node = agg
	}
	return nil
}

func (g *grouping) node() Node {
	input := g.input
	if len(g.keys) > 0 {
		items := append([]Item{}, g.keys...)
		for _, c := range input.Output() {
			items = append(items, Item{Out: c, X: c})
		}
		input = &Project{Input: input, Items: items}
	}
	return &Aggregate{Input: input, Keys: outs(g.keys), Sets: g.sets, Aggs: g.aggs}
}

// ungrouped refuses a column of the block's own input that is not a key.
func (k *block) ungrouped(e expr.Expr) error {
	allowed := map[int]bool{}
	for _, it := range append(append([]Item{}, k.group.keys...), k.group.aggs...) {
		allowed[it.Out.ID] = true
	}
	own := map[int]*expr.Column{}
	for _, r := range k.scope.rels {
		for _, c := range append(append([]*expr.Column{}, r.cols...), r.hidden...) {
			own[c.ID] = c
		}
	}
	var bad *expr.Column
	expr.Walk(e, func(x expr.Expr) bool {
		if c, ok := x.(*expr.Column); ok && bad == nil && own[c.ID] != nil && !allowed[c.ID] {
			bad = c
		}
		return bad == nil
	})
	if bad == nil {
		return nil
	}
	return errorAt(bad.At, codeGrouped, fmt.Sprintf("%s is neither grouped nor aggregated", row.QuoteName(bad.Name)),
		fmt.Sprintf("add it to GROUP BY, or use first(%s)", row.QuoteName(bad.Name)))
}
