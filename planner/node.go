package planner

import (
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Node is an operator of a plan. A node is never changed once it is made: rules
// return new ones. String is its one line of EXPLAIN.
type Node interface {
	String() string
	Output() []*expr.Column
	Children() []Node
	withChildren(children []Node) Node
}

// Item is a computed column: X under the name and ID of Out.
type Item struct {
	Out *expr.Column
	X   expr.Expr
}

// Scan reads an index.
type Scan struct {
	Table    string // name in SQL
	Source   esds.Source
	Resource string // that Index was opened as
	Index    esds.Index
	Cols     []*expr.Column // wanted columns; the names are paths of the mapping
	Filter   []expr.Expr    // pushed to the index
	Limit    int64          // pushed to the index, 0 for none
	// Sort is pushed to the index with Limit: the rows that come first are wanted,
	// and SortTies says that further keys decide among equal ones.
	Sort     []esds.Order
	SortTies bool
	Copied   bool // the rows go into a cluster as they come, see esds.Scan
	// Presence says what to do when the mapping lacks a column that is read:
	// strict, warn or ignore, as es.read.field.validate.presence.
	Presence string
	// NoPushdown keeps every filter local, as the table's options ask.
	NoPushdown bool
}

// CountScan counts documents of an index without reading them.
type CountScan struct {
	Table  string
	Index  esds.Index
	Filter []expr.Expr
	Out    *expr.Column
}

// AggregateScan lets an index group its documents. Where the index finds, when it
// is asked, that its answer would not be exact, Fallback gives the same rows.
type AggregateScan struct {
	Table    string
	Source   esds.Source
	Index    esds.Aggregator
	Want     esds.Aggregation
	Cols     []*expr.Column // keys, then metrics
	Fallback Node           // nil: see Whole
	Whole    Node           // what gives the rows of the Aggregate above, which was divided into finer groups
}

// Rows is what a part of a plan gave that ran before the rest.
type Rows struct {
	Cols    []*expr.Column
	Len     int64
	batches []*row.Batch
}

// FileScan reads files through the local engine.
type FileScan struct {
	Format  string // csv, json or parquet
	Path    string
	Options map[string]string
	Schema  row.Schema     // all columns of the files
	Cols    []*expr.Column // wanted columns
}

// Values is rows of expressions; one row without columns stands for a SELECT
// without FROM.
type Values struct {
	Cols []*expr.Column
	Rows [][]expr.Expr
}

// Range is the table function range(start, end, step).
type Range struct {
	Start, End, Step int64
	Out              *expr.Column
}

// Project computes the columns of a select list, window functions included.
type Project struct {
	Input Node
	Items []Item
}

// Filter keeps the rows for which Cond is true.
type Filter struct {
	Input Node
	Cond  expr.Expr
}

// Aggregate groups by Keys, columns of the input that keep their IDs. Sets are
// grouping sets as positions in Keys, nil for one set of all.
type Aggregate struct {
	Input Node
	Keys  []*expr.Column
	Sets  [][]int
	Aggs  []Item
}

// Join joins two inputs. Kind is one of sql.JoinKind.
type Join struct {
	Kind        string
	Left, Right Node
	On          expr.Expr // nil for none
	Lateral     bool      // the right side may refer to the left
	Keys        []KeyPush // that may be looked up in the index of the other side
}

// Sort orders rows.
type Sort struct {
	Input Node
	Keys  []expr.Order
}

// Limit passes N rows after Offset; N is -1 for all.
type Limit struct {
	Input     Node
	N, Offset int64
}

// Distinct drops repeated rows.
type Distinct struct{ Input Node }

// SetOp is UNION, INTERSECT or EXCEPT. Cols are new columns, by position.
type SetOp struct {
	Op          string
	All         bool
	Left, Right Node
	Cols        []*expr.Column
}

// Generate adds the rows of a generator (explode and the like) to each row of
// the input.
type Generate struct {
	Input Node
	Call  *expr.Call
	Outer bool
	Cols  []*expr.Column
}

// Sample takes some rows.
type Sample struct {
	Input   Node
	Rows    int64 // 0: by Percent
	Percent float64
}

// Output returns the wanted columns.
func (n *Scan) Output() []*expr.Column { return n.Cols }

// Output returns the count's column.
func (n *CountScan) Output() []*expr.Column { return []*expr.Column{n.Out} }

// Output returns keys, then metrics.
func (n *AggregateScan) Output() []*expr.Column { return n.Cols }

// Output returns the columns of the rows.
func (n *Rows) Output() []*expr.Column { return n.Cols }

// Output returns the wanted columns.
func (n *FileScan) Output() []*expr.Column { return n.Cols }

// Output returns the columns of the rows.
func (n *Values) Output() []*expr.Column { return n.Cols }

// Output returns the column of numbers.
func (n *Range) Output() []*expr.Column { return []*expr.Column{n.Out} }

// Output returns the computed columns.
func (n *Project) Output() []*expr.Column { return outs(n.Items) }

// Output returns the input's columns.
func (n *Filter) Output() []*expr.Column { return n.Input.Output() }

// Output returns keys, then aggregates.
func (n *Aggregate) Output() []*expr.Column {
	return append(append([]*expr.Column{}, n.Keys...), outs(n.Aggs)...)
}

// Output returns the columns of the left side, and of the right but for semi and
// anti joins.
func (n *Join) Output() []*expr.Column {
	if n.semi() {
		return n.Left.Output()
	}
	return append(append([]*expr.Column{}, n.Left.Output()...), n.Right.Output()...)
}

// Output returns the input's columns.
func (n *Sort) Output() []*expr.Column { return n.Input.Output() }

// Output returns the input's columns.
func (n *Limit) Output() []*expr.Column { return n.Input.Output() }

// Output returns the input's columns.
func (n *Distinct) Output() []*expr.Column { return n.Input.Output() }

// Output returns the columns by position.
func (n *SetOp) Output() []*expr.Column { return n.Cols }

// Output returns the input's columns, then the generator's.
func (n *Generate) Output() []*expr.Column {
	return append(append([]*expr.Column{}, n.Input.Output()...), n.Cols...)
}

// Output returns the input's columns.
func (n *Sample) Output() []*expr.Column { return n.Input.Output() }

func (n *Join) semi() bool { return n.Kind == "LEFT SEMI" || n.Kind == "LEFT ANTI" }

func outs(items []Item) []*expr.Column {
	cols := make([]*expr.Column, len(items))
	for i, it := range items {
		cols[i] = it.Out
	}
	return cols
}

// schemaOf returns the columns of a node as a schema.
func schemaOf(cols []*expr.Column) row.Schema {
	s := make(row.Schema, len(cols))
	for i, c := range cols {
		s[i] = row.Field{Name: c.Name, Type: c.T}
	}
	return s
}

// Children returns the inputs, left to right; none for a leaf.
func (n *Scan) Children() []Node          { return nil }
func (n *CountScan) Children() []Node     { return nil }
func (n *AggregateScan) Children() []Node { return nil }
func (n *Rows) Children() []Node          { return nil }
func (n *FileScan) Children() []Node      { return nil }
func (n *Values) Children() []Node        { return nil }
func (n *Range) Children() []Node         { return nil }
func (n *Project) Children() []Node       { return []Node{n.Input} }
func (n *Filter) Children() []Node        { return []Node{n.Input} }
func (n *Aggregate) Children() []Node     { return []Node{n.Input} }
func (n *Join) Children() []Node          { return []Node{n.Left, n.Right} }
func (n *Sort) Children() []Node          { return []Node{n.Input} }
func (n *Limit) Children() []Node         { return []Node{n.Input} }
func (n *Distinct) Children() []Node      { return []Node{n.Input} }
func (n *SetOp) Children() []Node         { return []Node{n.Left, n.Right} }
func (n *Generate) Children() []Node      { return []Node{n.Input} }
func (n *Sample) Children() []Node        { return []Node{n.Input} }

func (n *Scan) withChildren([]Node) Node          { return n }
func (n *CountScan) withChildren([]Node) Node     { return n }
func (n *AggregateScan) withChildren([]Node) Node { return n }
func (n *Rows) withChildren([]Node) Node          { return n }
func (n *FileScan) withChildren([]Node) Node      { return n }
func (n *Values) withChildren([]Node) Node        { return n }
func (n *Range) withChildren([]Node) Node         { return n }

func (n *Project) withChildren(c []Node) Node {
	return &Project{Input: c[0], Items: n.Items}
}

func (n *Filter) withChildren(c []Node) Node {
	return &Filter{Input: c[0], Cond: n.Cond}
}

func (n *Aggregate) withChildren(c []Node) Node {
	return &Aggregate{Input: c[0], Keys: n.Keys, Sets: n.Sets, Aggs: n.Aggs}
}

func (n *Join) withChildren(c []Node) Node {
	return &Join{Kind: n.Kind, Left: c[0], Right: c[1], On: n.On, Lateral: n.Lateral, Keys: n.Keys}
}

func (n *Sort) withChildren(c []Node) Node {
	return &Sort{Input: c[0], Keys: n.Keys}
}

func (n *Limit) withChildren(c []Node) Node {
	return &Limit{Input: c[0], N: n.N, Offset: n.Offset}
}

func (n *Distinct) withChildren(c []Node) Node { return &Distinct{Input: c[0]} }

func (n *SetOp) withChildren(c []Node) Node {
	return &SetOp{Op: n.Op, All: n.All, Left: c[0], Right: c[1], Cols: n.Cols}
}

func (n *Generate) withChildren(c []Node) Node {
	return &Generate{Input: c[0], Call: n.Call, Outer: n.Outer, Cols: n.Cols}
}

func (n *Sample) withChildren(c []Node) Node {
	return &Sample{Input: c[0], Rows: n.Rows, Percent: n.Percent}
}
