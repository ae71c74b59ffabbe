// Package expr holds SQL expressions as values: how they are built, bound,
// typed and printed. Nothing here evaluates them.
package expr

import (
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Expr is an expression. The parser makes expressions of names, and of types
// that are Void; binding makes new ones of columns, with types. A node is never
// changed once it is made.
type Expr interface {
	Type() row.Type
	Span() lex.Span
	String() string // Spark SQL that parses back to the same expression
	expr()
}

// Node is what every expression has: its place in the text and, once bound, its
// type.
type Node struct {
	At   lex.Span
	T    row.Type
	ANSI bool // bound with spark.sql.ansi.enabled: other implicit casts
}

// Type returns the type, Void before binding.
func (n Node) Type() row.Type { return n.T }

// Span returns the place in the text, the zero Span for nodes that rules made.
func (n Node) Span() lex.Span { return n.At }

func (Node) expr() {}

// Literal is a constant. Value is nil (NULL), bool, int64 (whole numbers of
// every width; Date: days; Timestamp: microseconds), float64, string (String;
// Decimal: its digits), []byte, or Interval. The parser gives the type
// that Spark gives the spelling: 1 is INT, 1L BIGINT, 1.5 DECIMAL(2,1), 1e3
// DOUBLE.
type Literal struct {
	Node
	Value any

	// Wall is of a TIMESTAMP that was written without a zone: Value is what the
	// session's clocks show, until planning makes an instant of it.
	Wall bool
}

// Interval is the value of an interval literal.
type Interval struct {
	Months, Days int32
	Micros       int64
	Text         string // as written, for printing: "1 DAY", "'2' HOUR"
}

// Name is a column reference as written: one part or several, unresolved.
type Name struct {
	Node
	Parts []string
}

// Star is * or t.*; it stands only in a select list and in count(*).
type Star struct {
	Node
	Table  []string
	Except []string // names left out: * EXCEPT (a, b)
}

// Column is a resolved reference to a column of the input. The ID is unique in
// a plan, so that a reference means the same wherever a rule moves it.
type Column struct {
	Node
	ID   int
	Name string // as the user sees it, in the index's own case
}

// Field is a field of a struct: x.name, x['name'].
type Field struct {
	Node
	X    Expr
	Name string
}

// Index is an element of an array (from 0) or the value of a map's key: x[key].
type Index struct {
	Node
	X, Key Expr
}

// Call is a function or an operator. Operators are functions named by their
// sign or word in lower case: + - * / % div & | ^ || = <=> <> < <= > >= and or
// not negative positive ~ like ilike rlike likeany likeall notlikeany notlikeall
// in between isnull isnotnull istrue isfalse isunknown. x NOT LIKE y is
// not(like(x, y)); like takes the escape character as a third argument; in
// takes the value, then the list; struct(a, b) also stands for the tuple (a, b).
type Call struct {
	Node
	Func        string // lower case
	Args        []Expr // count(*) has one Star
	Distinct    bool   // f(DISTINCT x)
	Filter      Expr   // FILTER (WHERE …), nil for none
	IgnoreNulls bool   // f(x) IGNORE NULLS
	Within      []Order
	Over        *Window // nil for none
}

// Window is the OVER clause of a call.
type Window struct {
	Name      string // OVER w: the rest is empty until bound
	Partition []Expr
	Order     []Order
	Frame     *Frame
}

// Frame is ROWS or RANGE BETWEEN from AND to.
type Frame struct {
	Unit     string // "ROWS" or "RANGE"
	From, To Bound
}

// Bound is one end of a frame.
type Bound struct {
	Kind   BoundKind
	Offset Expr // of Preceding and Following
}

// BoundKind says what a Bound is relative to.
type BoundKind uint8

// The ends that a frame can have.
const (
	UnboundedPreceding BoundKind = iota
	Preceding
	CurrentRow
	Following
	UnboundedFollowing
)

// Order is one key of ORDER BY.
type Order struct {
	X          Expr
	Desc       bool
	NullsFirst *bool // nil: Spark's default, first for ASC and last for DESC
}

// Case is CASE [operand] WHEN … THEN … [ELSE …] END.
type Case struct {
	Node
	Operand Expr // nil for the searched form
	Whens   []When
	Else    Expr // nil for NULL
}

// When is one branch of a Case.
type When struct{ Cond, Then Expr }

// Cast is CAST(x AS type), TRY_CAST, x::type. Implicit marks a conversion that
// binding put in; it prints as its operand. Strict marks one of store assignment,
// which fails on a value that does not fit where a plain cast gives NULL.
type Cast struct {
	Node
	X        Expr
	Try      bool
	Implicit bool
	Strict   bool
}

// Lambda is (a, b) -> body, an argument of a higher-order function. Within the
// body its parameters are Names, after binding Columns with negative IDs.
type Lambda struct {
	Node
	Params []string
	Body   Expr
	Bound  []*Column // the parameters once bound, in order
}

// Query is a query inside an expression: *sql.Query from the parser, a plan
// once bound.
type Query interface{ String() string }

// SubqueryKind says what a subquery is asked.
type SubqueryKind uint8

// The ways to use a query in an expression.
const (
	Scalar SubqueryKind = iota // (SELECT …): its one value
	Exists                     // EXISTS (SELECT …)
	In                         // x IN (SELECT …)
)

// Subquery is a query in an expression. X is the left side of In: one
// expression, or a struct call for a tuple.
type Subquery struct {
	Node
	Kind  SubqueryKind
	X     Expr
	Query Query
}
