package elastic

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
)

// After a request whose answer was lost, and of what an earlier run may have sent, nobody knows whether its rows were
// taken. Where sending them again would tell something wrong, the documents are
// read: what is there as the row makes it was taken.

// stored is a document as the cluster has it now.
type stored struct {
	Found   bool            `json:"found"`
	Version int64           `json:"_version"`
	SeqNo   int64           `json:"_seq_no"`
	Source  json.RawMessage `json:"_source"`
	Error   *rawCause       `json:"error"`
}

// resolve settles, of rows that are about to be sent again, those that are seen
// to have been taken, and returns the others.
func (w *writer) resolve(ctx context.Context, b *batch, pending []*item) ([]*item, error) {
	if w.enc.own() {
		return pending, nil // a conflict will tell
	}
	var left []*item
	groups, order := map[string][]*item{}, []string{}
	for _, it := range pending {
		switch {
		case it.unknown && w.enc.scripted(it):
			const reason = "the answer was lost: the script may have run or not; look at the document before you write it again"
			if err := w.rejectItem(b, it, 0, "unknown_outcome", reason); err != nil {
				return nil, err
			}
			continue
		case it.unknown && it.action == esds.IndexDoc && !it.conditional && !it.versioned:
			key := w.indexOf(it) + "\x00" + it.routing + "\x00" + string(b.id(it))
			if groups[key] == nil {
				order = append(order, key)
			}
			groups[key] = append(groups[key], it)
		}
		left = append(left, it)
	}
	if len(order) == 0 {
		return left, nil
	}
	last := make([]*item, len(order))
	for i, key := range order {
		last[i] = groups[key][len(groups[key])-1]
	}
	docs, err := w.lookUp(ctx, b, last)
	if err != nil {
		return left, context.Cause(ctx) //nolint:nilerr // sending them again is right all the same; only created and updated cannot be told apart
	}
	taken := map[*item]bool{}
	for i, key := range order {
		w.taken(b, groups[key], docs[i], taken)
	}
	rest := left[:0]
	for _, it := range left {
		if !taken[it] {
			rest = append(rest, it)
		}
	}
	return rest, nil
}

// taken finds out whether the rows of one id have been taken all.
func (w *writer) taken(b *batch, rows []*item, doc stored, taken map[*item]bool) {
	last := rows[len(rows)-1]
	switch {
	case !doc.Found:
		rows[0].absent = true
		return
	case doc.Version < int64(len(rows)) || !sameDocument(doc.Source, b.document(last)):
		return
	}
	for i, it := range rows {
		taken[it] = true
		w.counted(it.mark, func(r *esds.Report) {
			if i == 0 && doc.Version == int64(len(rows)) {
				r.Created++
				return
			}
			r.Updated++
		})
	}
}

// upserted counts rows that found their document as they would have made it: the
// try whose answer was lost made or changed it.
func (w *writer) upserted(ctx context.Context, b *batch, rows []*item) {
	if len(rows) == 0 {
		return
	}
	docs, err := w.lookUp(ctx, b, rows)
	for i, it := range rows {
		w.counted(it.mark, func(r *esds.Report) {
			if err == nil && docs[i].Version == 1 {
				r.Created++
				return
			}
			r.Updated++
		})
	}
}

// perhapsOwn reports whether a conflict may be with what an earlier try of the
// same row did.
func (w *writer) perhapsOwn(it *item) bool {
	switch {
	case w.enc.own():
		return false
	case it.action == esds.CreateDoc:
		return it.unknown
	}
	return (it.unknown || w.write.Resumed) && (it.conditional || it.versioned)
}

// conflicts settles rows whose conflict may be with an earlier try of their own.
func (w *writer) conflicts(ctx context.Context, b *batch, rows []*item) error {
	if len(rows) == 0 {
		return nil
	}
	docs, err := w.lookUp(ctx, b, rows)
	if err != nil && !errors.Is(err, esds.ErrForbidden) {
		return err
	}
	for i, it := range rows {
		switch {
		case err != nil:
			it.errCause += "; the answer of an earlier try was lost, so the document may be that of this row, which cannot be read"
		case it.action == esds.DeleteDoc && !docs[i].Found:
			w.counted(it.mark, func(r *esds.Report) { r.Deleted++ })
			continue
		case it.action != esds.DeleteDoc && docs[i].Found && sameDocument(docs[i].Source, b.document(it)):
			w.counted(it.mark, func(r *esds.Report) {
				if it.action == esds.CreateDoc {
					r.Created++
					return
				}
				r.Updated++
			})
			continue
		}
		if err := w.rejectItem(b, it, it.status, it.errType, it.errCause); err != nil {
			return err
		}
	}
	return nil
}

// lookUp reads the documents of rows.
func (w *writer) lookUp(ctx context.Context, b *batch, rows []*item) ([]stored, error) {
	concrete := map[string]string{}
	body := []byte(`{"docs":[`)
	for i, it := range rows {
		name := w.indexOf(it)
		if concrete[name] == "" {
			t, err := w.source.Resolve(ctx, name)
			if err != nil {
				return nil, err
			}
			concrete[name] = t.Write
		}
		if i > 0 {
			body = append(body, ',')
		}
		body = appendMember(append(body, '{'), "_index", concrete[name])
		body = appendMember(append(body, ','), "_id", string(b.id(it)))
		if it.routing != "" {
			body = appendMember(append(body, ','), "routing", it.routing)
		}
		body = append(body, '}')
	}
	answer, err := w.source.client.read(ctx, request{
		op: "look up what was written", index: w.write.Index, method: http.MethodPost, path: "/_mget", body: append(body, "]}"...),
	})
	if err != nil {
		return nil, err
	}
	var found struct{ Docs []stored }
	if err := json.Unmarshal(answer, &found); err != nil || len(found.Docs) != len(rows) {
		return nil, &esds.Error{Op: "look up what was written", Index: w.write.Index, Err: fmt.Errorf("%d documents came for %d ids (%w)", len(found.Docs), len(rows), err)}
	}
	for i := range found.Docs {
		if e := found.Docs[i].Error; e != nil {
			return nil, &esds.Error{Op: "look up what was written", Index: w.indexOf(rows[i]), Err: e.innermost()}
		}
	}
	return found.Docs, nil
}

// sameDocument compares documents by what they say.
func sameDocument(a, b []byte) bool {
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	if x.Compact() == nil && y.Compact() == nil && bytes.Equal(x, y) {
		return true
	}
	u, okA := decodeDocument(a)
	v, okB := decodeDocument(b)
	return okA && okB && reflect.DeepEqual(u, v)
}

func decodeDocument(text []byte) (v map[string]any, ok bool) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v) == nil
}
