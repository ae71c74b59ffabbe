// Package esds is the contract of a data source: read, write, administer. It
// does no I/O. esds/elastic keeps it over HTTP, esds/local in one DuckDB file,
// and esds/esdstest proves that both keep it alike.
package esds

import (
	"context"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Source is a place that holds indices: a cluster or the embedded lake. It is
// safe for concurrent use.
type Source interface {
	// String names the source for messages, without secrets:
	// "Elasticsearch 8.19.7 at http://localhost:9200".
	String() string
	// Open reads what the resource is: an index, an alias, a comma list or a
	// wildcard. The error is ErrIndexNotFound when nothing matches, unless
	// es.index.read.missing.as.empty is set.
	Open(ctx context.Context, resource string, opts Options) (Index, error)
	// Write sends rows to one index and closes the reader. See Write for what is
	// promised. The report is valid with an error too.
	Write(ctx context.Context, w Write, rows row.Reader) (Report, error)
	// Encode returns what makes the documents of rows of schema s as Write would,
	// for the mapping that the index has now. It writes nothing.
	Encode(ctx context.Context, w Write, s row.Schema) (Encoder, error)
	Admin
	Close() error
}

// Index is an opened resource with the mapping that was read when it was
// opened. It holds nothing open on the server.
type Index interface {
	// Schema returns the columns that the mapping gives, in alphabetical order of
	// their names, as Spark shows them. Metadata columns are not among them.
	Schema() row.Schema
	// Pushdown says how well the index can answer a bound predicate whose
	// columns are named and typed as the table has them. It does no I/O.
	Pushdown(e expr.Expr) Pushdown
	// Request returns the request that a scan sends, for EXPLAIN.
	Request(s Scan) string
	// Count returns the number of documents that the filter selects, without
	// reading one. Every part of the filter must be Exact.
	Count(ctx context.Context, filter []expr.Expr) (int64, error)
	// Estimate returns about how many documents the filter selects, at no cost
	// that grows with them.
	Estimate(ctx context.Context, filter []expr.Expr) (int64, error)
	// Scan reads documents as rows, all or an error: rows are never lost
	// silently. They come in no order.
	Scan(ctx context.Context, s Scan) (row.Reader, error)
}

// Relation is an Index that lives in the process's own DuckDB, so that a query
// can read it there. SQL is a table expression that yields the columns of the
// scan, by name and of the wanted types, with its filter applied.
type Relation interface {
	Relation(s Scan) (sql string, err error)
}

// Pushdown is how well an index can answer a predicate.
type Pushdown uint8

// The answers of Index.Pushdown.
const (
	No       Pushdown = iota // not at all
	Superset                 // rows too many, never too few: the caller checks again
	Exact                    // as SQL asks
)

// Scan says what to read.
type Scan struct {
	// Columns are the names and the types wanted. A name is a path of the mapping
	// (dots descend into objects) or a metadata column. A field that the mapping
	// lacks reads as NULL. A value that does not fit its type is a *ValueError.
	Columns row.Schema
	Filter  []expr.Expr // all must hold; each Exact or Superset
	Limit   int64       // at most so many rows; 0 for all
	// Sort asks a Sorter for the Limit rows that come first by these keys. The scan
	// yields them, and perhaps others, up to all, in no order: the caller sorts and
	// cuts. With SortTies all rows that are equal to the last of them by these keys
	// must come too, since the caller has further keys.
	Sort     []Order
	SortTies bool
}

// Metadata returns the columns that every index has besides those of its
// mapping.
func Metadata() row.Schema {
	return row.Schema{
		{Name: "_id", Type: row.StringType},
		{Name: "_index", Type: row.StringType},
		{Name: "_score", Type: row.DoubleType},
		{Name: "_version", Type: row.BigIntType},
		{Name: "_seq_no", Type: row.BigIntType},
		{Name: "_primary_term", Type: row.BigIntType},
		{Name: "_routing", Type: row.StringType},
		{Name: "_source", Type: row.StringType},
	}
}

// Admin makes, removes and exchanges indices.
type Admin interface {
	// Resolve says what a name stands for. An absent name is no error.
	Resolve(ctx context.Context, name string) (Target, error)
	// Definition returns what is needed to make an index like the named one.
	Definition(ctx context.Context, name string) (Definition, error)
	// Create makes an index. The error is ErrIndexExists when it is there.
	Create(ctx context.Context, name string, d Definition) error
	// Drop removes an index. The error is ErrIndexNotFound when it is not there.
	Drop(ctx context.Context, name string) error
	// Refresh makes every acknowledged write visible to Count and Scan.
	Refresh(ctx context.Context, name string) error
	// Count returns the number of documents that are visible.
	Count(ctx context.Context, name string) (int64, error)
	// Replace puts a complete, refreshed staging index in the place of target, as
	// mode says, and removes the staging name. Afterwards readers of the target's
	// name see the staged documents. An error before the old data is gone leaves
	// everything as it was; one after it is ErrOldGone and says in which index the
	// new data is.
	Replace(ctx context.Context, staging string, target Target, mode ReplaceMode) error
}

// ReplaceMode is how Admin.Replace exchanges an index.
type ReplaceMode string

// The ways to exchange an index.
const (
	Swap     ReplaceMode = "swap"     // one atomic change of the alias; a concrete name becomes an alias
	Recreate ReplaceMode = "recreate" // the staged index under the concrete name; absent for a moment
)

// TargetKind is what a name stands for.
type TargetKind string

// What a name can stand for.
const (
	Absent     TargetKind = "absent"
	Concrete   TargetKind = "index"
	Alias      TargetKind = "alias"
	DataStream TargetKind = "data stream"
	Pattern    TargetKind = "pattern" // a wildcard or a comma list
	// Dynamically is a name that each row completes (see DynamicName). Resolve
	// never returns it.
	Dynamically TargetKind = "dynamic name"
)

// Target is a resolved name.
type Target struct {
	Name    string
	Kind    TargetKind
	Indices []string // concrete indices behind the name
	Write   string   // the concrete index that a write to the name goes to; "" when there is none
}

// Definition is an index without its documents. Each part is a JSON object in
// the form of Elasticsearch's create-index request; nil for none.
type Definition struct {
	Mappings []byte
	Settings []byte // without what the server sets itself: uuid, creation date, version, name
	Aliases  []byte
	// Hidden keeps wildcards of other readers from finding the index, until
	// Replace puts it in place. A source without other readers may ignore it.
	Hidden bool
}
