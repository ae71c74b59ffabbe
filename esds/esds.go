// Package esds is the contract of a data source: read, write, administer. It
// does no I/O. esds/elastic keeps it over HTTP, esds/local in one DuckDB file,
// and esds/esdstest proves that both keep it alike.
package esds

import (
	"context"
	"time"

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
	// for the mapping that the index has now, or would have when it is absent. It
	// writes nothing.
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

// Reading is an Index that has more than one way to read fields. Reading says for
// EXPLAIN which one a scan takes, and why; "" when there is nothing to choose.
type Reading interface {
	Reading(s Scan) string
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
	// Copied says that the rows go into a cluster as they come. It takes documents of one
	// place of a shard with less work than those of several, and more slowly than any scan
	// yields them: a scan does not read more parts at a time than there are shards.
	Copied bool
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
	// Blocked returns an error that names what the cluster, an administrator or a
	// full disk forbids to do with the documents of a name, nil for nothing. It
	// changes nothing.
	Blocked(ctx context.Context, name string) error
	// Block forbids everybody to change the documents of an index, and returns when
	// what was under way has come to its end; on false allows it again. A source that
	// nobody else writes to does nothing.
	Block(ctx context.Context, index string, on bool) error
	// Configure changes settings of an index, given in the form of
	// Definition.Settings. A null takes a setting back to its default.
	Configure(ctx context.Context, name string, settings []byte) error
	// Clear deletes every document of an index, or of all indices of an alias, and
	// returns how many there were. The deletes are visible when it returns; with an
	// error some documents may be gone. Called again it deletes the rest.
	Clear(ctx context.Context, name string) (int64, error)
	// Replace puts a complete, refreshed staging index in the place of a target, and
	// removes the staging name. Afterwards readers of the target's name see the
	// staged documents. An error before the old data is gone leaves everything as
	// it was; one after it is ErrOldGone and says in which index the new data is.
	// When it was broken off it may be called again with the same Replacement, and
	// goes on where it was; Placed says that InPlace had been reached.
	Replace(ctx context.Context, r Replacement) error
}

// Replacement is an exchange of indices.
type Replacement struct {
	Staging string
	Target  Target // as Resolve gave it before
	Mode    ReplaceMode
	// Aliases are those of a concrete target, as Definition gave them before; nil
	// for those that it has now. A Replace that goes on after the old index is gone
	// needs them.
	Aliases []byte
	// Identity is that of a concrete target's Definition. A target with another one
	// was replaced meanwhile. "" when it is not known.
	Identity string
	// Grace is how long, at most, the old indices of an alias are kept for those who
	// read them when the exchange comes; 0 removes them with it.
	Grace time.Duration
	// Placed says that a run before reached InPlace: what is left is to tidy up.
	Placed bool
	// Reached is called when a step of the exchange is done. Nil for none.
	Reached func(ReplaceStep)
}

// ReplaceStep is a step of an exchange that somebody may have to go on from.
type ReplaceStep string

// The steps of an exchange, where the mode has them.
const (
	OldRemoved ReplaceStep = "old removed" // the new documents are complete, but not yet under the name
	InPlace    ReplaceStep = "in place"    // readers see the new documents
)

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
	Name    string     `json:"name"`
	Kind    TargetKind `json:"kind"`
	Indices []string   `json:"indices,omitempty"` // concrete indices behind the name
	Write   string     `json:"write,omitempty"`   // the concrete index that a write to the name goes to; "" when there is none
}

// StagingName names the index that an overwrite of an index, by a job, fills. It
// begins as the index's name does, so that templates for the one meet the other.
func StagingName(index, job string) string { return index + stagingMark + job }

// StagingPattern matches the staging indices of a name.
func StagingPattern(index string) string { return index + stagingMark + "*" }

const stagingMark = "-eslake-"

// Definition is an index without its documents. Each part is a JSON object in
// the form of Elasticsearch's create-index request; nil for none.
type Definition struct {
	Mappings []byte
	Settings []byte // without what the server sets itself: uuid, creation date, version, name
	Aliases  []byte
	// Hidden keeps wildcards of other readers from finding the index, until
	// Replace puts it in place. A source without other readers may ignore it.
	Hidden bool
	// Identity tells an index from one that had, or gets, the same name at another
	// time; "" when the source does not tell. Create ignores it.
	Identity string
}
