package sql

import (
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// Query is a whole query: WITH, a body, and what orders and limits it. It
// satisfies expr.Query.
type Query struct {
	At      lex.Span
	With    []CTE
	Body    Body
	OrderBy []expr.Order
	Limit   expr.Expr // nil for none, and for LIMIT ALL
	Offset  expr.Expr // nil for none
}

// CTE is name [(columns)] AS (query).
type CTE struct {
	Name    Ident
	Columns []Ident
	Query   *Query
}

// Body is a query without what orders and limits it: *Select, *SetOperation,
// *Values, *Table, or *Query for one in parentheses.
type Body interface {
	String() string
	body()
}

// Select is one query block.
type Select struct {
	At       lex.Span
	Hints    []string // names of /*+ … */ hints; they change nothing
	Distinct bool
	Items    []SelectItem
	From     []TableExpr // joined as a cross product; empty for none
	Views    []LateralView
	Where    expr.Expr
	GroupBy  *GroupBy // nil for none
	Having   expr.Expr
	Windows  []NamedWindow
	Qualify  expr.Expr
}

// SelectItem is an expression of the select list; a Star among them.
type SelectItem struct {
	X     expr.Expr
	Alias string   // "" for none
	Names []string // AS (a, b) of a generator
}

// GroupBy is GROUP BY in all its forms.
type GroupBy struct {
	All  bool // GROUP BY ALL
	Keys []expr.Expr
	Sets [][]expr.Expr // GROUPING SETS; nil without
	Kind string        // "", "ROLLUP", "CUBE" (over Keys) or "GROUPING SETS"
}

// NamedWindow is WINDOW name AS (…).
type NamedWindow struct {
	Name   string
	Window expr.Window
}

// LateralView is LATERAL VIEW [OUTER] f(…) t AS a, b.
type LateralView struct {
	Outer   bool
	Call    *expr.Call
	Table   Ident
	Columns []Ident
}

// SetOperation is left op right.
type SetOperation struct {
	At          lex.Span
	Op          SetOp
	All         bool
	Left, Right Body
}

// SetOp is a set operation; EXCEPT is MINUS too.
type SetOp string

// The set operations.
const (
	Union     SetOp = "UNION"
	Intersect SetOp = "INTERSECT"
	Except    SetOp = "EXCEPT"
)

// Values is VALUES (1, 'a'), (2, 'b'); a row of one value needs no parentheses.
type Values struct {
	At   lex.Span
	Rows [][]expr.Expr
}

// Table is TABLE t.
type Table struct {
	Name TableName
}

func (*Select) body()       {}
func (*SetOperation) body() {}
func (*Values) body()       {}
func (*Table) body()        {}
func (*Query) body()        {}

// TableExpr is something to select from: *NamedTable, *FileTable, *SubqueryTable,
// *FunctionTable, *Join, *Pivot or *Unpivot. VALUES is a SubqueryTable.
type TableExpr interface {
	Span() lex.Span
	String() string
	table()
}

// Alias is AS name [(columns)].
type Alias struct {
	Name    string // "" for none
	Columns []string
}

// Sample is TABLESAMPLE (…); the zero Sample takes everything.
type Sample struct {
	Rows    int64   // TABLESAMPLE (n ROWS)
	Percent float64 // TABLESAMPLE (n PERCENT)
	Set     bool
}

// NamedTable is a table, view or CTE.
type NamedTable struct {
	Name TableName
	Alias
	Sample Sample
}

// FileTable is csv.`path`, json.`path`, parquet.`path`.
type FileTable struct {
	Format Ident
	Path   Ident
	Alias
	Sample Sample
}

// SubqueryTable is (query) alias.
type SubqueryTable struct {
	At      lex.Span
	Lateral bool
	Query   *Query
	Alias
	Sample Sample
}

// FunctionTable is range(5), explode(…) in FROM.
type FunctionTable struct {
	At   lex.Span
	Call *expr.Call
	Alias
}

// JoinKind is the kind of a join.
type JoinKind string

// The kinds of joins.
const (
	InnerJoin JoinKind = "INNER"
	CrossJoin JoinKind = "CROSS"
	LeftJoin  JoinKind = "LEFT OUTER"
	RightJoin JoinKind = "RIGHT OUTER"
	FullJoin  JoinKind = "FULL OUTER"
	SemiJoin  JoinKind = "LEFT SEMI"
	AntiJoin  JoinKind = "LEFT ANTI"
)

// Join joins two tables.
type Join struct {
	Kind        JoinKind
	Natural     bool
	Left, Right TableExpr
	On          expr.Expr // nil with Using, Natural and without a condition
	Using       []Ident
}

// Span returns the place in the text.
func (t *NamedTable) Span() lex.Span { return t.Name.Span() }

// Span returns the place in the text.
func (t *FileTable) Span() lex.Span { return t.Format.At.To(t.Path.At) }

// Span returns the place in the text.
func (t *SubqueryTable) Span() lex.Span { return t.At }

// Span returns the place in the text.
func (t *FunctionTable) Span() lex.Span { return t.At }

// Span returns the place in the text.
func (t *Join) Span() lex.Span { return t.Left.Span().To(t.Right.Span()) }

func (*NamedTable) table()    {}
func (*FileTable) table()     {}
func (*SubqueryTable) table() {}
func (*FunctionTable) table() {}
func (*Join) table()          {}
