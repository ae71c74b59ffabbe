package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
)

// Pages says how an index is read: the slices of a point in time, page by page.
type Pages struct {
	Index  string
	Body   map[string]any // the search without cursor, slice and size
	Query  string         // of the URL
	Size   int            // documents a page
	Slices int
	Lanes  int // slices at a time
}

// docValues returns the same slices with the cheapest request for some fields.
func (p Pages) docValues(fields ...string) Pages {
	p.Size = 10_000
	p.Body = map[string]any{
		"query": map[string]any{"match_all": map[string]any{}}, "_source": false, "stored_fields": "_none_",
		"docvalue_fields": fields,
	}
	return p
}

// Write keeps p in a file, for ReadPages in another process.
func (p Pages) Write(file string) error {
	text, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// ReadPages returns what Write kept.
func ReadPages(file string) (p Pages, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// LimitRead reads all pages and throws them away. Of each it looks at the ends:
// the total and the place to go on from.
func LimitRead(ctx context.Context, cluster *Cluster, p Pages) error {
	var pit struct {
		ID string `json:"id"`
	}
	err := cluster.do(ctx, http.MethodPost, "/"+p.Index+"/_pit?keep_alive=300s", nil, &pit)
	if err != nil {
		return err
	}
	var next atomic.Int64
	err = together(ctx, min(p.Lanes, p.Slices), func(ctx context.Context, _ int) error {
		for {
			i := int(next.Add(1)) - 1
			if i >= p.Slices || ctx.Err() != nil {
				return nil
			}
			if err := p.readSlice(ctx, cluster, pit.ID, i); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	return cluster.do(ctx, http.MethodDelete, "/_pit", map[string]any{"id": pit.ID}, nil)
}

func (p Pages) readSlice(ctx context.Context, cluster *Cluster, pit string, slice int) error {
	body := map[string]any{}
	for k, v := range p.Body {
		body[k] = v
	}
	body["pit"] = map[string]any{"id": pit, "keep_alive": "300s"}
	body["sort"] = []string{"_doc", "_shard_doc"}
	body["slice"] = map[string]any{"id": slice, "max": p.Slices}
	body["size"] = p.Size
	body["track_total_hits"] = true
	for seen, total := 0, 1; seen < total; seen += p.Size {
		text, err := json.Marshal(body)
		if err != nil {
			return err
		}
		answer, err := p.page(ctx, cluster, text)
		if err != nil {
			return err
		}
		if seen == 0 {
			if total, err = answer.number(`"hits":{"total":{"value":`); err != nil {
				return err
			}
			body["track_total_hits"] = false
		}
		if seen+p.Size >= total {
			return nil
		}
		after, err := answer.lastSort()
		if err != nil {
			return err
		}
		body["search_after"] = after
	}
	return nil
}

func (p Pages) page(ctx context.Context, cluster *Cluster, body []byte) (ends, error) {
	in, err := cluster.open(ctx, http.MethodPost, "/_search?"+p.Query, body, "application/json")
	if err != nil {
		return ends{}, err
	}
	defer in.Close()
	return drain(in)
}

// LimitRequests sends requests, one after the other, and throws the answers away.
func LimitRequests(ctx context.Context, cluster *Cluster, path string, bodies ...string) error {
	for _, body := range bodies {
		in, err := cluster.open(ctx, http.MethodPost, path, []byte(body), "application/json")
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, in)
		if err = errors.Join(err, in.Close()); err != nil {
			return err
		}
	}
	return nil
}

// LimitReindex has the cluster copy an index itself, in as many slices as it has
// shards, and make the documents visible.
func LimitReindex(ctx context.Context, cluster *Cluster, from, to string) error {
	var answer struct {
		Failures []any `json:"failures"`
	}
	body := map[string]any{"source": map[string]any{"index": from}, "dest": map[string]any{"index": to}}
	err := cluster.do(ctx, http.MethodPost, "/_reindex?slices=auto&refresh=true", body, &answer)
	if err == nil && len(answer.Failures) > 0 {
		err = fmt.Errorf("documents were not copied: %v", answer.Failures)
	}
	return err
}

// ends is what is kept of an answer: its first and last bytes.
type ends struct{ head, tail []byte }

const endBytes = 4 << 10

// drain reads to the end.
func drain(in io.Reader) (ends, error) {
	var e ends
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		if room := endBytes - len(e.head); room > 0 {
			e.head = append(e.head, buf[:min(room, n)]...)
		}
		e.tail = append(e.tail, buf[max(0, n-endBytes):n]...)
		if surplus := len(e.tail) - endBytes; surplus > 0 {
			e.tail = append(e.tail[:0], e.tail[surplus:]...)
		}
		switch err {
		case nil:
		case io.EOF:
			return e, nil
		default:
			return e, err
		}
	}
}

// number returns the number after a text in the head.
func (e ends) number(after string) (int, error) {
	_, rest, ok := bytes.Cut(e.head, []byte(after))
	end := bytes.IndexAny(rest, ",}")
	if !ok || end < 0 {
		return 0, fmt.Errorf("the answer has no %s", after)
	}
	return strconv.Atoi(string(rest[:end]))
}

// lastSort returns the sort values of the last hit.
func (e ends) lastSort() (json.RawMessage, error) {
	mark := []byte(`"sort":`)
	at := bytes.LastIndex(e.tail, mark)
	if at < 0 {
		return nil, fmt.Errorf("the answer has no sort values")
	}
	rest := e.tail[at+len(mark):]
	return json.RawMessage(bytes.Clone(rest[:bytes.IndexByte(rest, ']')+1])), nil
}
