package esds

import (
	"context"
	"fmt"
)

// Action is what a write does with each row.
type Action string

// The actions of es.write.operation. UpdateDoc and UpsertDoc merge the row into the
// document, UpsertDoc makes it when it is absent.
const (
	IndexDoc  Action = "index"
	CreateDoc Action = "create"
	UpdateDoc Action = "update"
	UpsertDoc Action = "upsert"
	DeleteDoc Action = "delete"
)

// Write says how rows become documents of one index.
//
// Every document has its id before the first try, so a retry after an unknown
// outcome cannot double it. Every row is accounted for: created, updated,
// deleted, left alone, or rejected. Rows with the same id take effect in the
// order of the rows.
type Write struct {
	// Index is a concrete index, an alias with a write index, a data stream, or a
	// name that each row completes (see DynamicName).
	Index  string
	Action Action // "" is IndexDoc
	// ID says where the id is: a column, a path into a struct, <text> that stands
	// for itself, or with es.input.json a field of the document. "" makes ids of
	// IDPrefix and the row number.
	ID       string
	IDPrefix string  // with ID "": the row number from 1 is added; such ids go with CreateDoc
	Options  Options // es.batch.*, es.mapping.* and the like
	// Definition is of the indices that a dynamic Index names and that are not
	// there, unless es.index.auto.create forbids them.
	Definition Definition
	// Place is asked once for each name that the rows of a dynamic Index ask for,
	// and returns the index that those rows go to. Nil: the one of that name, made
	// of Definition when it is not there.
	Place func(ctx context.Context, name string) (string, error)
	// Changes says that the rows are of ChangeSchema: each names its document, and
	// ID, IDPrefix and Action have no meaning.
	Changes bool
	// Job is the id of the statement's job; "" for none. A source that is Atomic
	// keeps it with the rows.
	Job string
	// From is how many rows at the beginning were acknowledged by an earlier run of
	// the same write. They are taken from the reader, but neither sent nor counted.
	From int64
	// Resumed says that an earlier run of the same write may have sent rows after
	// From: a document that is there already under an id of IDPrefix counts as
	// created by this write.
	Resumed bool
	// Doubt is the last row that an earlier run of the same write may have sent; 0
	// for none. Of the rows after From up to it a document that is there as its row
	// makes it was written by that run, and counts as what the run did with it, as
	// far as the source can tell.
	Doubt int64
	// Sent is called, from one goroutine at a time, before rows up to a number are
	// sent for the first time. An error stops the write. A source that is Atomic
	// does not call it. Nil for none.
	Sent func(upto int64) error
	// Acked is called, from one goroutine at a time, when all rows up to a number
	// are settled: accepted, or rejected and given to Reject. Upto counts from the
	// first row of the reader, those of From included; settled counts the rows
	// after From up to it. An error stops the write. Nil for none.
	Acked func(upto int64, settled Report) error
	// Meets is called for each index before its first row is sent, with what tells
	// it from another index of the same name, "" when that is not known. An error
	// stops the write. Nil for none.
	Meets func(index, uuid string) error
	// Reject is called for every row that is not accepted, from one goroutine at a
	// time. An error from it stops the write. Nil ignores rejects but counts them.
	Reject func(Reject) error
	// Progress is called after every batch, from one goroutine at a time. Nil for none.
	Progress func(Report)
	// Notice is called with what a person should know while the write goes on, as
	// that the cluster does not answer, from one goroutine at a time. Nil for none.
	Notice func(string)
}

// Atomic is a Source whose Write takes all rows or none, also when the process is
// killed.
type Atomic interface {
	// Committed returns what a Write with that Job reported when its rows were
	// taken; nil when they were not. It is known for 30 days at least.
	Committed(ctx context.Context, job string) (*Report, error)
}

// Reject is a row that the source did not accept.
type Reject struct {
	Row      int64  // 1-based, in the order of the rows
	Source   string // file and line of the row, as path:line; "" when they are not known; a source leaves it empty
	ID       string // "" when the row has none
	Index    string
	Status   int    // HTTP status of the item; 0 when the row was refused before it was sent
	Type     string // mapper_parsing_exception and the like; "" before sending
	Reason   string // the innermost cause
	Document []byte // the document as JSON
}

// Report counts what became of the rows of a write.
type Report struct {
	Rows     int64 `json:"rows"` // taken from the reader
	Created  int64 `json:"created,omitzero"`
	Updated  int64 `json:"updated,omitzero"`
	Deleted  int64 `json:"deleted,omitzero"`
	Noop     int64 `json:"noop,omitzero"` // accepted, nothing to change
	Rejected int64 `json:"rejected,omitzero"`
	Retried  int64 `json:"retried,omitzero"` // items sent again; each still counts once above
	Bytes    int64 `json:"bytes,omitzero"`   // of documents sent, before compression
}

// Accepted returns the rows that the source took.
func (r Report) Accepted() int64 { return r.Created + r.Updated + r.Deleted + r.Noop }

// Settled returns the rows whose end is known.
func (r Report) Settled() int64 { return r.Accepted() + r.Rejected }

// Check returns an error unless every row is accounted for.
func (r Report) Check() error {
	if got := r.Settled(); got != r.Rows {
		return fmt.Errorf("%d rows were read but %d are accounted for (%d accepted, %d rejected)", r.Rows, got, r.Accepted(), r.Rejected)
	}
	return nil
}
