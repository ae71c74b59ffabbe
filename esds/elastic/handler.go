package elastic

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// errHandled is why a write ends at its first reject.
var errHandled = errors.New("the handler fail ends the write at the first rejected row")

// Rejected rows that a handler tells of, before it only counts them.
const loggedRejects = 20

// handlers are the error handlers of elasticsearch-hadoop: what is done with
// rejected rows besides counting them. Without any they go to the caller.
type handlers struct {
	source *Source
	write  esds.Write
	rest   string // the handler of documents that the cluster rejects, "" for none
	data   string // of rows that were not sent
	logged int
	stores map[string]*rejectStore // by the kind, rest or data
}

// newHandlers returns what takes the place of w.Reject, and what is to be called
// at the end; take is nil when the options name no handler.
func newHandlers(s *Source, w esds.Write) (*handlers, error) {
	h := &handlers{source: s, write: w, stores: map[string]*rejectStore{}}
	for _, one := range []struct {
		kind, key, settings string
		name                *string
	}{
		{"rest", "es.write.rest.error.handlers", "es.write.rest.error.handler.es.", &h.rest},
		{"data", "es.write.data.error.handlers", "es.write.data.error.handler.es.", &h.data},
	} {
		list := w.Options.List(one.key)
		for _, x := range list {
			if !slices.Contains([]string{"fail", "log", "drop", "es"}, x) {
				return nil, &esds.OptionError{Key: one.key, Value: x, Reason: "there is no such handler", Hint: "there are fail, log, drop and es"}
			}
		}
		if len(list) == 0 {
			continue
		}
		if *one.name = list[0]; *one.name == "es" {
			store, err := newRejectStore(s, w, one.settings)
			if err != nil {
				return nil, err
			}
			h.stores[one.kind] = store
		}
	}
	if h.rest == "" && h.data == "" {
		return nil, nil
	}
	return h, nil
}

// take does with a reject what its handler says.
func (h *handlers) take(ctx context.Context, r esds.Reject) error {
	kind, name := "rest", h.rest
	if r.Status == 0 {
		kind, name = "data", h.data
	}
	switch name {
	case "drop":
		return nil
	case "es":
		return h.stores[kind].add(ctx, r)
	case "fail":
		return fmt.Errorf("%w: row %d: %s", errHandled, r.Row, r.Reason)
	case "log":
		h.log(r)
	}
	if h.write.Reject == nil {
		return nil
	}
	return h.write.Reject(r)
}

func (h *handlers) log(r esds.Reject) {
	if h.logged++; h.write.Notice == nil || h.logged > loggedRejects {
		return
	}
	text := fmt.Sprintf("row %d was rejected by %s (status %d): %s", r.Row, r.Index, r.Status, r.Reason)
	if h.logged == loggedRejects {
		text += "; further rejects are counted only"
	}
	h.write.Notice(text)
}

// close stores what is left.
func (h *handlers) close(ctx context.Context) error {
	if h == nil {
		return nil
	}
	for _, s := range h.stores {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rejectStore keeps rejects as documents of another index.
type rejectStore struct {
	source *Source
	index  string
	run    string // part of the ids
	labels map[string]string
	tags   []string
	rows   []esds.Reject
}

func newRejectStore(s *Source, w esds.Write, prefix string) (*rejectStore, error) {
	x := &rejectStore{source: s, labels: map[string]string{}, run: rand.Text()}
	for key, v := range w.Options.Under(prefix) {
		switch {
		case key == "client.resource":
			x.index = strings.TrimSuffix(strings.Trim(v, "/"), "/_doc")
		case key == "tags":
			for tag := range strings.SplitSeq(v, ",") {
				x.tags = append(x.tags, strings.TrimSpace(tag))
			}
		case strings.HasPrefix(key, "label."):
			x.labels[strings.TrimPrefix(key, "label.")] = v
		default:
			return nil, &esds.OptionError{Key: prefix + key, Reason: "is not supported: rejects go to an index of the same cluster", Hint: "there are es.client.resource, es.label.NAME and es.tags"}
		}
	}
	if err := esds.CheckIndexName(x.index); err != nil {
		return nil, &esds.OptionError{Key: prefix + "client.resource", Value: x.index, Reason: "is needed by the handler es: " + err.Error()}
	}
	return x, nil
}

// add keeps a reject, and stores some together.
func (s *rejectStore) add(ctx context.Context, r esds.Reject) error {
	if s.rows = append(s.rows, r); len(s.rows) < 200 {
		return nil
	}
	return s.flush(ctx)
}

// flush writes the rejects. One that cannot be stored ends the write.
func (s *rejectStore) flush(ctx context.Context) error {
	if len(s.rows) == 0 {
		return nil
	}
	rows := row.NewBatch(esds.ChangeSchema())
	for _, r := range s.rows {
		doc, err := json.Marshal(s.document(r))
		if err != nil {
			return err
		}
		if err := rows.AppendRow(string(esds.IndexDoc), fmt.Sprintf("%s-%d", s.run, r.Row), nil, nil, nil, nil, string(doc)); err != nil {
			return err
		}
	}
	s.rows = s.rows[:0]
	t, err := s.source.Resolve(ctx, s.index)
	if err == nil && t.Kind == esds.Absent {
		if err = s.source.Create(ctx, s.index, esds.Definition{}); errors.Is(err, esds.ErrIndexExists) {
			err = nil
		}
	}
	if err != nil {
		return fmt.Errorf("rejected rows cannot be kept in %s: %w", s.index, err)
	}
	_, err = s.source.Write(ctx, esds.Write{Index: s.index, Changes: true, Reject: func(r esds.Reject) error {
		return fmt.Errorf("rejected rows cannot be kept in %s: %s", s.index, r.Reason)
	}}, row.NewBatches(esds.ChangeSchema(), rows))
	return err
}

// document is a reject in the form of elasticsearch-hadoop, which follows the
// Elastic Common Schema. The row stands in it as text.
func (s *rejectStore) document(r esds.Reject) map[string]any {
	doc := map[string]any{
		"@timestamp": time.Now().UTC().Format(time.RFC3339Nano),
		"message":    r.Reason,
		"error":      map[string]any{"code": fmt.Sprint(r.Status), "type": r.Type, "message": r.Reason},
		"event":      map[string]any{"category": "error", "raw": string(r.Document)},
		"eslake":     map[string]any{"row": r.Row, "id": r.ID, "index": r.Index},
	}
	if len(s.labels) > 0 {
		doc["labels"] = s.labels
	}
	if len(s.tags) > 0 {
		doc["tags"] = s.tags
	}
	return doc
}
