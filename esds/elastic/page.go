package elastic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/eslake/eslake/esds"
)

// page is one answer of a search: where each hit stands in the text, and what
// the next request needs.
type page struct {
	text   []byte
	hits   [][]byte // the objects of hits.hits, parts of the text; nil in a page that was skimmed
	skim   skimmed
	asked  int    // documents that were asked for, of the pages of a cursor
	scroll string // _scroll_id, "" for none
	pit    string // pit_id, "" for none
	total  int64  // hits.total, -1 when the answer does not say
	exact  bool   // the total is exact
	shards int
	lost   int           // shards of which no copy is left
	took   time.Duration // at the cluster
	aggs   []byte        // aggregations, nil for none
	came   time.Duration // in which the answer came, from its first byte on
}

// bytesEach returns the bytes of the answer by document.
func (p *page) bytesEach() int { return len(p.text) / max(1, p.documents()) }

// from returns the text from a hit on.
func (p *page) from(hit int) []byte {
	h := p.hits[hit]
	return h[:len(p.text)-(cap(p.text)-cap(h))]
}

// empty reports whether the page has no documents.
func (p *page) empty() bool { return len(p.hits) == 0 && p.skim.begin == p.skim.end }

// documents returns the number of documents, of a page that was skimmed and not
// gone through yet the number that it should have.
func (p *page) documents() int {
	if p.skim.begin > 0 {
		return p.skim.documents
	}
	return len(p.hits)
}

// parsePage splits an answer, and refuses one that is not whole: an answer of
// status 200 may lack the documents of shards that failed or took too long.
func parsePage(op, index string, text []byte) (*page, error) {
	return parsePartly(op, index, text, false)
}

// parsePartly is parsePage; shards of which no copy is left are no error when
// partial is set.
func parsePartly(op, index string, text []byte, partial bool) (*page, error) {
	p := &page{text: text, total: -1}
	var state pageState
	_, err := members(text, skipBlank(text, 0), func(name []byte, i int) (int, error) {
		if string(name) == "hits" {
			return p.parseHits(i)
		}
		end, err := skipValue(text, i)
		if err != nil {
			return end, err
		}
		return end, p.parseMember(name, text[i:end], &state)
	})
	if err != nil {
		return nil, &esds.Error{Op: op, Index: index, Err: fmt.Errorf("the answer cannot be read: %w", err)}
	}
	return p.judge(op, index, &state, partial)
}

// judge refuses a page that is not whole.
func (p *page) judge(op, index string, state *pageState, partial bool) (*page, error) {
	p.shards = state.shards.Total
	switch {
	case state.shards.Failed > 0 && (!partial || !state.lost()):
		return nil, &esds.Error{Op: op, Index: index, Err: state.failure()}
	case state.timedOut:
		return nil, &esds.Error{Op: op, Index: index, Err: errors.New("the cluster stopped the search before it was complete")}
	}
	p.lost = state.shards.Failed
	return p, nil
}

type pageState struct {
	timedOut bool
	told     bool // timed_out was there
	shards   shardCount
}

type shardCount struct {
	Total    int           `json:"total"`
	Failed   int           `json:"failed"`
	Failures []failedShard `json:"failures"`
}

// lost reports whether all that failed has no copy left.
func (s pageState) lost() bool {
	for _, f := range s.shards.Failures {
		if f.Reason == nil || f.Reason.Type != "no_shard_available_action_exception" {
			return false
		}
	}
	return len(s.shards.Failures) > 0
}

func (s pageState) failure() error {
	text := fmt.Sprintf("%d of %d shards failed, so rows are missing", s.shards.Failed, s.shards.Total)
	if len(s.shards.Failures) > 0 && s.shards.Failures[0].Reason != nil {
		return fmt.Errorf("%s: %w", text, s.shards.Failures[0].Reason.innermost())
	}
	return errors.New(text)
}

func (p *page) parseMember(name, value []byte, state *pageState) error {
	switch string(name) {
	case "_scroll_id":
		return unquoteInto(&p.scroll, value)
	case "pit_id":
		return unquoteInto(&p.pit, value)
	case "took":
		millis, err := strconv.ParseInt(string(value), 10, 64)
		p.took = time.Duration(millis) * time.Millisecond
		return err
	case "aggregations":
		p.aggs = value
	case "timed_out":
		state.timedOut, state.told = string(value) == "true", true
	case "_shards":
		return json.Unmarshal(value, &state.shards)
	}
	return nil
}

// parseHits takes the object at i: most of the answer, so it is gone through
// once.
func (p *page) parseHits(i int) (int, error) {
	return members(p.text, i, func(name []byte, i int) (int, error) {
		if string(name) == "hits" {
			return elements(p.text, i, func(i int) (int, error) {
				end, err := skipValue(p.text, i)
				if err == nil {
					p.hits = append(p.hits, p.text[i:end])
				}
				return end, err
			})
		}
		end, err := skipValue(p.text, i)
		if err == nil && string(name) == "total" {
			err = p.parseTotal(p.text[i:end])
		}
		return end, err
	})
}

// parseTotal reads {"value":3,"relation":"eq"}, or the plain number of servers
// that are asked for it.
func (p *page) parseTotal(raw []byte) error {
	if bytes.HasPrefix(raw, []byte("{")) {
		var total struct {
			Value    int64  `json:"value"`
			Relation string `json:"relation"`
		}
		err := json.Unmarshal(raw, &total)
		p.total, p.exact = total.Value, total.Relation == "eq"
		return err
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	p.total, p.exact = n, err == nil
	return err
}

// lastSort returns the sort values of the last hit as JSON, nil for none.
func (p *page) lastSort() []byte {
	if p.skim.begin > 0 {
		return p.skim.after
	}
	if len(p.hits) == 0 {
		return nil
	}
	var sort []byte
	err := eachMember(p.hits[len(p.hits)-1], func(name, value []byte) error {
		if string(name) == "sort" {
			sort = value
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return sort
}

func unquoteInto(dst *string, raw []byte) error {
	text, err := appendUnquoted(nil, raw)
	*dst = string(text)
	return err
}
