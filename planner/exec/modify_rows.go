package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// Statement is the Changer of UPDATE, DELETE and MERGE: a query gives the
// documents, and for each the clause that it falls under with its values.
type Statement struct {
	Source esds.Source
	Write  esds.Write // Index and Options for documents that are read
	// Insert says how new documents are made: Index, Options, ID or IDPrefix.
	Insert  esds.Write
	Clauses []Clause
	IDPath  []string // of the field that ids come from; nil for none
	// Rows runs the query: of StatementColumns, then the values. With only not nil
	// it is restricted to documents of these ids.
	Rows func(ctx context.Context, only []string) (row.Reader, error)
	// Joined says that a document may come more than once. Twice is then called
	// when it does; nil leaves it at the first.
	Joined bool
	Twice  func(ctx context.Context, index, id string) error
	// MadeTwice words the error for an id that two rows would make a document of.
	MadeTwice func(id string) error

	encoders map[encoderKey]esds.Encoder
	seen     idSet // documents that rows came for
	made     idSet // by the statement
}

// Clause is what happens to the documents that fall under it.
type Clause struct {
	Action  esds.Action // IndexDoc sets fields; CreateDoc; DeleteDoc
	Set     []Assigned
	Routing int // column of the rows that holds the routing of a new document; 0 for none
}

// Assigned is a field and the column of the rows with its value.
type Assigned struct {
	Column  int
	Name    string   // as the user sees it
	Path    []string // in the document
	Dotted  bool     // one dotted name, where the document has neither form
	Type    row.Type
	NotNull bool
}

// The columns of the rows of a Statement before the values.
const (
	colIndex = iota
	colID
	colRouting
	colSeqNo
	colTerm
	colSource
	colClause
)

// StatementColumns returns the first columns of the rows of a Statement. Those of
// the document are NULL where a new one is to be made. _clause is the position in
// Clauses, NULL where nothing happens.
func StatementColumns() row.Schema {
	return row.Schema{
		{Name: "_index", Type: row.StringType},
		{Name: "_id", Type: row.StringType},
		{Name: "_routing", Type: row.StringType},
		{Name: "_seq_no", Type: row.BigIntType},
		{Name: "_primary_term", Type: row.BigIntType},
		{Name: "_source", Type: row.StringType},
		{Name: "_clause", Type: row.IntType},
	}
}

type encoderKey struct {
	index  string
	clause int
}

// All runs the query and hands out what it asks for.
func (s *Statement) All(ctx context.Context, out *Sink) error {
	s.seen, s.made = idSet{}, idSet{}
	return s.each(ctx, nil, func(c job.Change) error {
		if c.Action == esds.CreateDoc && s.MadeTwice != nil && s.made.add([]byte(c.ID)) {
			return s.MadeTwice(c.ID)
		}
		if c.Action == esds.IndexDoc && bytes.Equal(c.Before, c.After) {
			out.Preview.Unchanged++
			return nil
		}
		return out.Add(c)
	})
}

// Again looks at the documents in conflict. One that is as it was to be is done:
// an earlier try has come to its end. A new one that is there, in a job that was
// never broken off, has been there before. The others are asked of the query again.
func (s *Statement) Again(ctx context.Context, conflict []job.Change, out *Sink) error {
	open := map[docKey]job.Change{}
	err := eachCurrent(ctx, s.Source, s.Write, conflict, func(c job.Change, now *current) error {
		switch {
		case now != nil && c.Action == esds.CreateDoc && !out.resumed:
			out.Refuse(c, "a document with this id is there already")
		case now == nil && c.Action == esds.DeleteDoc, now != nil && c.After != nil && sameDocument(now.source, c.After):
			out.Done(c)
		case now == nil && c.Action == esds.IndexDoc:
			out.Skip() // gone
		case now == nil:
			return out.Add(c)
		case c.Action == esds.CreateDoc:
			out.Refuse(c, "a document with this id is there already")
		default:
			open[docKey{c.Index, c.ID}] = c
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.retry(ctx, open, out)
}

// retry runs the query for some documents, and hands out those that it selects.
func (s *Statement) retry(ctx context.Context, open map[docKey]job.Change, out *Sink) error {
	var ids []string
	for key := range open {
		ids = append(ids, key.id)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	for chunk := range slices.Chunk(ids, readChunk) {
		s.seen = idSet{}
		err := s.each(ctx, chunk, func(c job.Change) error {
			key := docKey{c.Index, c.ID}
			old, ok := open[key]
			if !ok || c.Action == esds.CreateDoc {
				return nil
			}
			delete(open, key)
			if c.Row = old.Row; c.Action == esds.IndexDoc && bytes.Equal(c.Before, c.After) {
				out.Done(c)
				return nil
			}
			return out.Add(c)
		})
		if err != nil {
			return err
		}
	}
	for range open {
		out.Skip()
	}
	return nil
}

// each runs the query and calls f with each change.
func (s *Statement) each(ctx context.Context, only []string, f func(job.Change) error) error {
	rows, err := s.Rows(ctx, only)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := int64(0)
	_, err = eachBatch(ctx, rows, func(b *row.Batch) (err error) {
		n, err = s.batch(ctx, b, n, f)
		return err
	})
	return err
}

// batch calls f with each change of a batch, the first of which is the one after
// the nth.
func (s *Statement) batch(ctx context.Context, b *row.Batch, n int64, f func(job.Change) error) (int64, error) {
	for i := range b.Len {
		repeated, err := s.repeated(ctx, b, i)
		if err != nil {
			return n, err
		}
		if repeated || b.Columns[colClause].IsNull(i) {
			continue
		}
		n++
		c, err := s.change(ctx, b, i, n)
		if err == nil {
			err = f(c)
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// repeated reports whether the document of a row came before, in a statement
// where that can be.
func (s *Statement) repeated(ctx context.Context, b *row.Batch, i int) (bool, error) {
	if !s.Joined || b.Columns[colID].IsNull(i) {
		return false, nil
	}
	index, id := b.Columns[colIndex].Text(i), b.Columns[colID].Text(i)
	if !s.seen.add(slices.Concat(index, []byte{0}, id)) {
		return false, nil
	}
	if s.Twice != nil {
		return true, s.Twice(ctx, string(index), string(id))
	}
	return true, nil
}

// change is what happens to the document of row i, the nth of the rows.
func (s *Statement) change(ctx context.Context, b *row.Batch, i int, n int64) (job.Change, error) {
	number := int(b.Columns[colClause].Ints[i])
	k := &s.Clauses[number]
	if k.Action == esds.CreateDoc {
		return s.create(ctx, number, b, i, n)
	}
	c := job.Change{
		Action: k.Action, Index: textOf(b.Columns[colIndex], i), ID: textOf(b.Columns[colID], i), Routing: textOf(b.Columns[colRouting], i),
		SeqNo: intOf(b.Columns[colSeqNo], i), PrimaryTerm: intOf(b.Columns[colTerm], i),
	}
	fail := func(err error) (job.Change, error) {
		return c, &esds.Error{Op: "change document " + c.ID, Index: c.Index, Err: err}
	}
	var err error
	if c.Before, err = sourceOf(b.Columns[colSource], i); err != nil {
		return fail(err)
	}
	if c.Before == nil {
		return fail(errNoSource)
	}
	if k.Action == esds.DeleteDoc {
		return c, nil
	}
	values, err := s.encode(ctx, c.Index, number, b, i)
	if err != nil {
		return fail(err)
	}
	if c.After, err = s.set(c.Before, k.Set, values, b, i); err != nil {
		return fail(err)
	}
	return c, nil
}

// errNoSource is a document that cannot be saved.
var errNoSource = errors.New("the index keeps no _source, so that its documents can neither be saved nor changed")

// encode returns the values of a clause as a JSON object, as the source writes
// them.
func (s *Statement) encode(ctx context.Context, index string, number int, b *row.Batch, i int) ([]byte, error) {
	enc, part, err := s.encoder(ctx, index, number, b)
	if err != nil {
		return nil, err
	}
	return enc.AppendDocument(nil, part, i)
}

// encoder returns the encoder for an index and a clause, and the columns of the
// clause.
func (s *Statement) encoder(ctx context.Context, index string, number int, b *row.Batch) (esds.Encoder, *row.Batch, error) {
	set := s.Clauses[number].Set
	part := &row.Batch{Len: b.Len, Columns: make([]*row.Column, len(set))}
	for i, a := range set {
		part.Columns[i] = b.Columns[a.Column]
	}
	key := encoderKey{index, number}
	if enc, ok := s.encoders[key]; ok {
		return enc, part, nil
	}
	schema := make(row.Schema, len(set))
	for i, a := range set {
		schema[i] = row.Field{Name: strings.Join(a.Path, "."), Type: a.Type}
	}
	w := esds.Write{Index: index, Options: s.Write.Options, IDPrefix: s.Insert.IDPrefix + "-"}
	if s.Clauses[number].Action == esds.CreateDoc {
		w = s.Insert
	}
	enc, err := s.Source.Encode(ctx, w, schema)
	if err != nil {
		return nil, nil, err
	}
	if s.encoders == nil {
		s.encoders = map[encoderKey]esds.Encoder{}
	}
	s.encoders[key] = enc
	return enc, part, nil
}

// create makes a new document of a row.
func (s *Statement) create(ctx context.Context, number int, b *row.Batch, i int, n int64) (job.Change, error) {
	c := job.Change{Action: esds.CreateDoc, Index: s.Insert.Index}
	fail := func(err error) (job.Change, error) {
		op := "make document " + c.ID
		if c.ID == "" {
			op = "make a document of"
		}
		return c, &esds.Error{Op: op, Index: s.Insert.Index, Err: err}
	}
	enc, part, err := s.encoder(ctx, "", number, b)
	if err != nil {
		return c, err
	}
	id, err := enc.AppendID(nil, part, i, n)
	if err != nil {
		return fail(err)
	}
	c.ID = string(id)
	k := &s.Clauses[number]
	for _, a := range k.Set {
		if a.NotNull && b.Columns[a.Column].IsNull(i) {
			return fail(fmt.Errorf("column %s is NOT NULL, the value is NULL", row.QuoteName(a.Name)))
		}
	}
	if k.Routing > 0 {
		c.Routing = string(row.AppendText(nil, b.Columns[k.Routing], i))
	}
	doc, err := enc.AppendDocument(nil, part, i)
	if err != nil {
		return fail(err)
	}
	if c.After, err = oneLine(doc); err != nil {
		return fail(err)
	}
	return c, nil
}
