package esds

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// BaseQuery returns the query that es.query, or ?q= in the resource, puts under
// every read of the table, as a clause of the query DSL; nil for none. A value
// that is neither ?q=… nor JSON is the path of a file with either, which readFile
// reads. The error is an *OptionError.
func (o Options) BaseQuery(readFile func(path string) ([]byte, error)) (json.RawMessage, error) {
	inResource := o.resourceQuery()
	text := strings.TrimSpace(o["es.query"])
	switch {
	case text != "" && inResource != "":
		return nil, &OptionError{Key: "es.query", Reason: "the resource holds a query too", Hint: "leave out one of them"}
	case inResource != "":
		return uriQuery(inResource)
	case text == "":
		return nil, nil
	}
	if text[0] != '?' && text[0] != '{' {
		file, err := queryFile(text, readFile)
		if err != nil {
			return nil, err
		}
		text = file
	}
	q, _, err := parseQuery(text)
	return q, err
}

// resourceQuery returns what stands behind ? in the resource to read.
func (o Options) resourceQuery() string {
	resource := o["es.resource"]
	if o.Has("es.resource.read") {
		resource = o["es.resource.read"]
	}
	if i := strings.IndexByte(resource, '?'); i >= 0 && !strings.Contains(resource[:i], "{") {
		return resource[i:]
	}
	return ""
}

func queryFile(path string, readFile func(string) ([]byte, error)) (string, error) {
	bad := func(reason string) (string, error) {
		return "", &OptionError{Key: "es.query", Value: path, Reason: reason, Hint: "?q=…, a JSON object, or the path of a local file with either"}
	}
	name := strings.TrimPrefix(strings.TrimPrefix(path, "file://"), "file:")
	if strings.Contains(name, "://") || strings.HasPrefix(name, "classpath:") {
		return bad("only local files are read")
	}
	data, err := readFile(name)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return bad("cannot be read: " + err.Error())
	}
	text := strings.TrimSpace(string(data))
	if text == "" || text[0] != '?' && text[0] != '{' {
		return bad("the file holds no query")
	}
	return text, nil
}

// parseQuery reads ?q=… or JSON. Left holds what a whole search has besides its
// query, which is left out.
func parseQuery(text string) (q json.RawMessage, left []string, err error) {
	if text[0] == '?' {
		q, err = uriQuery(text)
		return q, nil, err
	}
	bad := func(reason string) (json.RawMessage, []string, error) {
		return nil, nil, &OptionError{Key: "es.query", Value: shortened(text), Reason: reason, Hint: `{"query": {"term": {"level": "error"}}}`}
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return bad("is not a JSON object: " + err.Error())
	}
	inner, whole := all["query"]
	if !whole && len(all) == 1 { // the query alone
		return compacted([]byte(text)), nil, nil
	}
	if !whole {
		return bad("has no query")
	}
	if trimmed := bytes.TrimSpace(inner); len(trimmed) == 0 || trimmed[0] != '{' {
		return bad("its query is not an object")
	}
	delete(all, "query")
	return compacted(inner), slices.Sorted(maps.Keys(all)), nil
}

func compacted(raw []byte) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil {
		return raw
	}
	return out.Bytes()
}

func shortened(text string) string {
	if len(text) > 100 {
		return text[:100] + "…"
	}
	return text
}

// uriKeys are the parameters of ?q=… and what they are in a query_string.
var uriKeys = map[string]string{
	"q": "query", "query": "query", "df": "default_field", "default_field": "default_field", "analyzer": "analyzer",
	"analyze_wildcard": "analyze_wildcard", "default_operator": "default_operator", "lenient": "lenient",
}

// uriQuery reads ?q=name:x&default_operator=AND as elasticsearch-hadoop does.
func uriQuery(text string) (json.RawMessage, error) {
	bad := func(reason string) error {
		return &OptionError{Key: "es.query", Value: shortened(text), Reason: reason, Hint: "?q=level:error AND user:x, with df, analyzer, analyze_wildcard, default_operator, lenient"}
	}
	params := map[string]any{}
	for part := range strings.SplitSeq(strings.TrimPrefix(text, "?"), "&") {
		name, value, _ := strings.Cut(part, "=")
		key, known := uriKeys[strings.ToLower(strings.TrimSpace(name))]
		if !known {
			return nil, bad(fmt.Sprintf("has the unknown parameter %q", name))
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		if params[key] != nil {
			return nil, bad("names " + key + " twice")
		}
		params[key] = value
		if key == "analyze_wildcard" || key == "lenient" {
			b, err := strconv.ParseBool(value)
			if err != nil {
				return nil, bad(name + " expects true or false")
			}
			params[key] = b
		}
	}
	if text, _ := params["query"].(string); text == "" {
		return nil, bad("has no q")
	}
	raw, err := marshal(map[string]any{"query_string": params})
	return raw, err
}
