package elastic

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/eslake/eslake/esds"
)

// clearAtOnce is how many documents one request deletes: few enough that it is
// answered well before es.http.timeout.
const clearAtOnce = 20_000

// Clear deletes every document, by queries of a bounded size, so that no request
// takes long and one whose answer was lost can be sent again.
func (s *Source) Clear(ctx context.Context, name string) (int64, error) {
	if err := s.Refresh(ctx, name); err != nil {
		return 0, err
	}
	before, err := s.Count(ctx, name)
	if err != nil {
		return 0, err
	}
	some := s.clearSome
	for left, stuck := before, 0; left > 0; {
		err := some(ctx, name)
		if unhandled(err) {
			some = s.clearByID
			err = some(ctx, name)
		}
		if err != nil {
			return before - left, err
		}
		now, err := s.Count(ctx, name)
		if err != nil {
			return before - left, err
		}
		if stuck++; now < left {
			stuck = 0
		}
		if stuck > 5 {
			return before - now, &esds.Error{
				Op: "delete documents of", Index: name, Err: fmt.Errorf("%d documents are still there, or came meanwhile", now),
				Hint: "another writer may be at work",
			}
		}
		left = now
	}
	return before, nil
}

func (s *Source) clearSome(ctx context.Context, name string) error {
	r := request{
		op: "delete documents of", index: name, method: http.MethodPost, path: "/" + name + "/_delete_by_query",
		query: url.Values{"conflicts": {"proceed"}, "refresh": {"true"}, "max_docs": {strconv.Itoa(clearAtOnce)}, "scroll_size": {"5000"}},
		body:  marshal(object{"query": object{"match_all": object{}}}),
	}
	for n := 1; ; n++ {
		body, err := s.client.send(ctx, r)
		var e *esds.Error
		switch {
		case err == nil:
			return clearAnswer(name, body)
		case n > s.config.retries() || !errors.As(err, &e) || !e.Retryable() || undelivered(err):
			return err
		}
		if wait := s.config.wait(ctx, s.config.pause(200*time.Millisecond, n, err, s.config.timeout())); wait != nil {
			return wait
		}
	}
}

// clearAnswer finds documents that could not be deleted for a reason other than
// another writer.
func clearAnswer(name string, body []byte) error {
	var answer struct {
		Failures []struct {
			ID    string    `json:"id"`
			Cause *rawCause `json:"cause"`
		} `json:"failures"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return &esds.Error{Op: "delete documents of", Index: name, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	for _, f := range answer.Failures {
		if f.Cause != nil {
			return &esds.Error{Op: "delete documents of", Index: name, Err: fmt.Errorf("document %s: %w", f.ID, f.Cause.innermost())}
		}
	}
	return nil
}
