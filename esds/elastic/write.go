package elastic

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// Write sends rows in bulk requests on several connections.
//
// Requests hold the rows in their order. One that holds an id of a request
// before it that is not settled, retries included, waits for that one: so rows
// of one id take effect in their order.
func (s *Source) Write(ctx context.Context, w esds.Write, rows row.Reader) (report esds.Report, err error) {
	defer rows.Close()
	met := newMeetings(&w)
	enc, err := s.coder(ctx, &w, rows.Schema())
	if err != nil {
		return report, err
	}
	handled, err := newHandlers(s, w)
	if err != nil {
		return report, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if handled != nil {
		w.Reject = func(r esds.Reject) error { return handled.take(ctx, r) }
	}
	wr := newWriter(ctx, s, w, enc, stop)
	var group sync.WaitGroup
	for range wr.slots.most {
		group.Go(func() { wr.run(ctx) })
	}
	readErr := wr.feed(ctx, rows)
	group.Wait()
	err = context.Cause(ctx)
	if err == nil {
		err = readErr
	}
	if kept := handled.close(context.WithoutCancel(ctx)); err == nil {
		err = kept
	}
	if err == nil {
		err = wr.finish(ctx)
	}
	if err == nil {
		err = met.check(ctx, s)
	}
	return wr.report, err
}

// Encode returns what makes documents of rows of a schema as Write does.
func (s *Source) Encode(ctx context.Context, w esds.Write, schema row.Schema) (esds.Encoder, error) {
	enc, err := s.coder(ctx, &w, schema)
	if errors.Is(err, esds.ErrIndexNotFound) && !w.Changes { // it would be made for the columns
		if enc, err := newEncoder(w, schema, nil); err == nil {
			return enc, nil
		}
	}
	return enc, err
}

// finish makes the rows visible and proves that none is missing.
func (w *writer) finish(ctx context.Context) error {
	if w.write.Options.Bool("es.batch.write.refresh") && w.report.Accepted() > 0 {
		if err := w.refresh(ctx); err != nil {
			return err
		}
	}
	if err := w.report.Check(); err != nil {
		return &esds.Error{Op: "write", Index: w.write.Index, Err: err}
	}
	return nil
}

// refresh refreshes what was written, and nothing else.
func (w *writer) refresh(ctx context.Context) error {
	written := w.enc.indices()
	if written == nil {
		return w.source.Refresh(ctx, w.write.Index)
	}
	for len(written) > 0 { // names in a path are bounded
		n := min(len(written), 20)
		if err := w.source.Refresh(ctx, strings.Join(written[:n], ",")); err != nil {
			return err
		}
		written = written[n:]
	}
	return nil
}

// coder returns what turns the rows of a write into lines, after it has found
// the mapping that they will meet.
func (s *Source) coder(ctx context.Context, w *esds.Write, schema row.Schema) (coder, error) {
	if w.Changes {
		return s.changeCoder(ctx, w, schema)
	}
	dynamic := esds.Dynamic(w.Index)
	var fields []esds.Field
	var to described
	if defaultAction(w); !dynamic {
		var err error
		if fields, to, err = s.writtenFields(ctx, w); err != nil {
			return nil, err
		}
	}
	enc, err := newEncoder(*w, schema, fields)
	if err == nil && dynamic {
		err = enc.setNames(s, *w)
	}
	if err != nil {
		return nil, &esds.Error{Op: "write", Index: w.Index, Err: err}
	}
	enc.spread = newLanes(to, int(w.Options.Size("es.batch.size.bytes")))
	return enc, nil
}

// defaultAction makes documents with ids of our own ones that are not there: one
// that is was written by an earlier try.
func defaultAction(w *esds.Write) {
	if w.ID == "" && (w.Action == "" || w.Action == esds.IndexDoc) {
		w.Action = esds.CreateDoc
	}
}

// writtenFields returns the mapping that the documents will meet, and what is known of
// the index that takes them. It also finds an absent index before a bulk request makes it, with a guessed mapping.
func (s *Source) writtenFields(ctx context.Context, w *esds.Write) ([]esds.Field, described, error) {
	found, err := s.describe(ctx, "write", w.Index)
	if errors.Is(err, esds.ErrForbidden) {
		return nil, described{}, nil // a user who may only write
	}
	if err != nil {
		return nil, described{}, err
	}
	to := w.Index
	if _, concrete := found[to]; !concrete {
		if to, err = s.checkTarget(ctx, w); err != nil {
			return nil, described{}, err
		}
	}
	if w.Meets != nil {
		if err := w.Meets(to, found[to].uuid); err != nil {
			return nil, described{}, err
		}
	}
	byIndex := map[string][]esds.Field{}
	for name, d := range found {
		if byIndex[name], err = esds.ParseMapping(d.mapping); err != nil {
			return nil, described{}, &esds.Error{Op: "write", Index: name, Err: err}
		}
	}
	fields := esds.MergeMappings(byIndex)
	if join := w.Options.String("es.mapping.join"); join != "" {
		if f := esds.Find(fields, join); f == nil || f.Kind != "join" {
			return nil, described{}, &esds.Error{
				Op: "write", Index: w.Index, Err: fmt.Errorf("es.mapping.join: %s is not a join field of the index", join),
				Hint: "make the index with a mapping that has the relations",
			}
		}
	}
	return fields, found[to], nil
}

// checkTarget finds out whether an alias or a data stream can be written, and
// which index takes the rows.
func (s *Source) checkTarget(ctx context.Context, w *esds.Write) (string, error) {
	t, err := s.Resolve(ctx, w.Index)
	switch {
	case err != nil:
		return "", err
	case t.Write == "":
		return "", &esds.Error{
			Op: "write", Index: w.Index, Err: fmt.Errorf("the alias stands for %d indices and none is marked for writing", len(t.Indices)),
			Hint: "es.resource.write names the index to write",
		}
	case t.Kind == esds.DataStream && (w.Action == "" || w.Action == esds.IndexDoc):
		w.Action = esds.CreateDoc // all that a data stream takes
	case t.Kind == esds.DataStream && w.Action != esds.CreateDoc:
		return "", &esds.Error{
			Op: "write", Index: w.Index, Err: fmt.Errorf("a data stream takes new documents only, not es.write.operation %s", w.Action),
			Hint: "es.resource.write names an index behind it",
		}
	}
	return t.Write, nil
}
