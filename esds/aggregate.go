package esds

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Aggregator is an Index that can group documents and compute over the groups
// itself. An Index that is a Relation needs none: it is read where it lies.
type Aggregator interface {
	// Aggregable says why the index cannot answer an aggregation, as far as its
	// mapping tells; nil when it can. It does no I/O.
	Aggregable(a Aggregation) error
	// Aggregate returns a row for each group: the keys, then the metrics. The rows
	// are exactly those of SQL, or the error is an *InexactError.
	Aggregate(ctx context.Context, a Aggregation) (row.Reader, error)
	// AggregateRequest returns the request that Aggregate sends first, for EXPLAIN.
	AggregateRequest(a Aggregation) string
}

// Aggregation says what to compute. Without keys all documents are one group,
// which is there even when there are no documents.
type Aggregation struct {
	Keys    []GroupKey
	Metrics []Metric
	Filter  []expr.Expr // all must hold; each Exact
	Most    int64       // groups at most: more are an *InexactError; 0 leaves it to the index
}

// GroupKey is what documents are grouped by. NULL is a group of its own.
type GroupKey struct {
	Column row.Field // path and type as the table has it
	Trunc  string    // of a time: second, minute, hour, day, week, month, quarter or year that it is cut to; "" for none
	Type   row.Type  // of the key: Column's type, or Date of a time that is cut to the day
}

// String prints the key as SQL.
func (k GroupKey) String() string {
	name := quotePath(k.Column.Name)
	switch {
	case k.Trunc == "":
		return name
	case k.Type.Kind == row.Date:
		return "CAST(" + name + " AS DATE)"
	}
	return fmt.Sprintf("date_trunc('%s', %s)", strings.ToUpper(k.Trunc), name)
}

// Metric is a number or value of a group.
type Metric struct {
	Func     string    // count, sum, avg, min or max
	Column   row.Field // what it is of; without a name it is of documents: count(*)
	Distinct bool      // of count: of different values
	Type     row.Type  // of the result
	Filter   []expr.Expr
}

// String prints the metric as SQL.
func (m Metric) String() string {
	arg := "*"
	if m.Column.Name != "" {
		arg = quotePath(m.Column.Name)
	}
	if m.Distinct {
		arg = "DISTINCT " + arg
	}
	s := m.Func + "(" + arg + ")"
	if len(m.Filter) > 0 {
		parts := make([]string, len(m.Filter))
		for i, e := range m.Filter {
			parts[i] = e.String()
		}
		s += " FILTER (WHERE " + strings.Join(parts, " AND ") + ")"
	}
	return s
}

func quotePath(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		parts[i] = row.QuoteName(p)
	}
	return strings.Join(parts, ".")
}

// Schema returns the columns of the answer.
func (a Aggregation) Schema() row.Schema {
	var s row.Schema
	for _, k := range a.Keys {
		s = append(s, row.Field{Name: k.String(), Type: k.Type})
	}
	for _, m := range a.Metrics {
		s = append(s, row.Field{Name: m.String(), Type: m.Type})
	}
	return s
}

// InexactError says why an index cannot answer an aggregation as SQL asks. The
// documents must be read instead.
type InexactError struct{ Reason string }

// Error returns the reason.
func (e *InexactError) Error() string { return e.Reason }

// Inexact returns an *InexactError.
func Inexact(format string, args ...any) error {
	return &InexactError{Reason: fmt.Sprintf(format, args...)}
}

// Order is a key of a scan's order.
type Order struct {
	Column     row.Field // path and type as the table has it
	Desc       bool
	NullsFirst bool
}

// String prints the key as SQL.
func (o Order) String() string {
	s := quotePath(o.Column.Name)
	if o.Desc {
		s += " DESC"
	}
	if o.NullsFirst == o.Desc {
		s += map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[o.NullsFirst]
	}
	return s
}

// Sorter is an Index that can find the first documents of an order itself.
type Sorter interface {
	// Sortable says why the index cannot find the limit first documents by these
	// keys, as far as its mapping tells; nil when it can. It does no I/O.
	Sortable(keys []Order, limit int64) error
}
