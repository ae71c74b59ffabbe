package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Cluster is a server without users.
type Cluster struct {
	URL string

	client *http.Client
}

// NewCluster returns the cluster at an address, with connections of its own.
func NewCluster(url string) *Cluster {
	return &Cluster{URL: url, client: &http.Client{Transport: &http.Transport{
		MaxIdleConnsPerHost: 64, DisableCompression: true, WriteBufferSize: 64 << 10, ReadBufferSize: 64 << 10,
	}}}
}

// open sends a request and returns the body of an answer that is no error. The
// caller closes it.
func (c *Cluster) open(ctx context.Context, method, path string, body []byte, contentType string) (io.ReadCloser, error) {
	req, err := http.NewRequestWithContext(ctx, method, c.URL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", contentType)
	}
	res, err := c.client.Do(req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode > 299 {
		defer res.Body.Close()
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1000)) // what came of it is shown
		return nil, &StatusError{Status: res.StatusCode, Request: method + " " + path, Body: string(text)}
	}
	return res.Body, nil
}

// StatusError is an answer that is an error.
type StatusError struct {
	Status        int
	Request, Body string
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("%s: status %d: %s", e.Request, e.Status, e.Body)
}

// do is for small requests: body goes as JSON, nil for none, and the answer is
// read into the value that answer points to, nil for none.
func (c *Cluster) do(ctx context.Context, method, path string, body, answer any) error {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	in, err := c.open(ctx, method, path, text, "application/json")
	if err != nil {
		return err
	}
	defer in.Close()
	if answer == nil {
		_, err = io.Copy(io.Discard, in)
		return err
	}
	return json.NewDecoder(in).Decode(answer)
}

// Version returns product and version.
func (c *Cluster) Version(ctx context.Context) (string, error) {
	var root struct {
		Version struct {
			Number       string `json:"number"`
			Distribution string `json:"distribution"`
		} `json:"version"`
	}
	err := c.do(ctx, http.MethodGet, "/", nil, &root)
	if root.Version.Distribution == "" {
		return "Elasticsearch " + root.Version.Number, err
	}
	return root.Version.Distribution + " " + root.Version.Number, err
}

// mappings returns the mapping of an index as the server prints it.
func (c *Cluster) mappings(ctx context.Context, index string) (json.RawMessage, error) {
	var answer map[string]struct {
		Mappings json.RawMessage `json:"mappings"`
	}
	err := c.do(ctx, http.MethodGet, "/"+index+"/_mapping", nil, &answer)
	return answer[index].Mappings, err
}

// recreate makes an empty index of two shards and no replicas in the place of
// one that may be there.
func (c *Cluster) recreate(ctx context.Context, index string, mappings json.RawMessage) error {
	if err := c.remove(ctx, index); err != nil {
		return err
	}
	return c.do(ctx, http.MethodPut, "/"+index, map[string]any{
		"settings": map[string]any{"number_of_shards": 2, "number_of_replicas": 0},
		"mappings": mappings,
	}, nil)
}

func (c *Cluster) remove(ctx context.Context, index string) error {
	return c.do(ctx, http.MethodDelete, "/"+index+"?ignore_unavailable=true", nil, nil)
}

// count refreshes an index and checks how many documents it has.
func (c *Cluster) count(ctx context.Context, index string, want int) error {
	if err := c.do(ctx, http.MethodPost, "/"+index+"/_refresh", nil, nil); err != nil {
		return err
	}
	var answer struct {
		Count int `json:"count"`
	}
	err := c.do(ctx, http.MethodGet, "/"+index+"/_count", nil, &answer)
	if err == nil && answer.Count != want {
		err = fmt.Errorf("the index has %d documents, not %d", answer.Count, want)
	}
	return err
}
