package esds

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// Longest text that a keyword field of a new index indexes, in characters.
// Lucene refuses terms over 32,766 bytes, and with them the document; longer
// texts than this stay in the document but cannot be searched.
const ignoreAbove = 8191

// MappingOf returns the mapping of a new index for rows of a schema, nil when
// the options leave it to the cluster's guess (eslake.index.mapping = dynamic), or
// the rows are whole documents (es.input.json).
//
// What is indexed serves searching only; the documents keep every digit. So
// DECIMAL is searched as a double, and TIMESTAMP as a date of milliseconds,
// while both read back exactly. Where the kind does not say the whole type
// (DATE, DECIMAL, arrays, maps, …) it is kept in the mapping's _meta, so that a
// table without declared columns has the types that were written.
func MappingOf(s row.Schema, opts Options) ([]byte, error) {
	if opts.String("eslake.index.mapping") == "dynamic" || opts.Bool("es.input.json") {
		return nil, nil
	}
	m := mapper{text: opts.String("eslake.index.string") == "text"}
	var columns row.Schema
	hints := map[string]string{}
	for _, f := range s {
		if excluded(f.Name, opts) || f.Name == opts.String("es.mapping.join") { // how it joins only a user can say
			continue
		}
		columns = append(columns, f)
	}
	props := m.properties(columns)
	fields := map[string]any{}
	for _, f := range columns {
		if !plain(f.Type) {
			hints[f.Name] = f.Type.SQL()
		}
		put(fields, f.Name, props[f.Name])
	}
	mapping := map[string]any{"properties": fields}
	if len(hints) > 0 {
		mapping["_meta"] = map[string]any{"eslake": map[string]any{"types": hints}}
	}
	return marshal(mapping)
}

// SettingsOf returns the settings of a new index as the options
// eslake.index.settings.* give them, nil when there are none.
func SettingsOf(opts Options) ([]byte, error) {
	settings := map[string]any{}
	for name, v := range opts.Under("eslake.index.settings.") {
		settings["index."+strings.TrimPrefix(name, "index.")] = v
	}
	if len(settings) == 0 {
		return nil, nil
	}
	return marshal(settings)
}

// excluded reports whether a column never reaches the documents.
func excluded(name string, opts Options) bool {
	for _, m := range Metadata() {
		if m.Name == name {
			return true
		}
	}
	if include := opts.List("es.mapping.include"); len(include) > 0 && !MatchNames(include, name) {
		return true
	}
	return MatchNames(opts.List("es.mapping.exclude"), name)
}

// put places the mapping of a column, whose dotted name is a path.
func put(fields map[string]any, name string, m any) {
	head, rest, dotted := strings.Cut(name, ".")
	if !dotted || head == "" || rest == "" {
		fields[name] = m
		return
	}
	object, ok := fields[head].(map[string]any)
	if !ok {
		object = map[string]any{}
		fields[head] = object
	}
	inner, ok := object["properties"].(map[string]any)
	if !ok {
		inner = map[string]any{}
		object["properties"] = inner
	}
	put(inner, rest, m)
}

type mapper struct{ text bool }

func (m mapper) properties(s row.Schema) map[string]any {
	props := map[string]any{}
	for _, f := range s {
		props[f.Name] = m.field(f.Type)
	}
	return props
}

func (m mapper) field(t row.Type) map[string]any {
	for t.Kind == row.Array {
		t = *t.Elem
	}
	kind := kindOf(t)
	switch kind {
	case "object":
		if t.Kind == row.Map {
			return map[string]any{"type": kind, "dynamic": true}
		}
		return map[string]any{"properties": m.properties(t.Fields)}
	case "keyword":
		keyword := map[string]any{"type": kind, "ignore_above": ignoreAbove}
		if m.text {
			return map[string]any{"type": "text", "fields": map[string]any{"keyword": keyword}}
		}
		return keyword
	}
	return map[string]any{"type": kind}
}

// kindOf returns the kind that a new index gives a type.
func kindOf(t row.Type) string {
	switch t.Kind {
	case row.Boolean:
		return "boolean"
	case row.TinyInt:
		return "byte"
	case row.SmallInt:
		return "short"
	case row.Int:
		return "integer"
	case row.BigInt:
		return "long"
	case row.Float:
		return "float"
	case row.Double:
		return "double"
	case row.Decimal:
		if t.Scale == 0 && t.Precision <= 18 {
			return "long"
		}
		return "double"
	case row.Date, row.Timestamp, row.TimestampNTZ:
		return "date"
	case row.Binary:
		return "binary"
	case row.Map, row.Struct:
		return "object"
	}
	return "keyword"
}

// plain reports whether the kind of a new field says its whole type.
func plain(t row.Type) bool {
	if t.Kind == row.Struct {
		for _, f := range t.Fields {
			if !plain(f.Type) {
				return false
			}
		}
		return len(t.Fields) > 0
	}
	return t.Kind != row.Map && t.Kind != row.Array && t.Kind != row.Interval && scalarType(kindOf(t)).Equal(t)
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// parseHints returns the types that MappingOf wrote into _meta. What cannot be
// read is left out: the mapping alone is enough.
func parseHints(meta []byte) map[string]row.Type {
	var m struct {
		Eslake struct {
			Types map[string]string `json:"types"`
		} `json:"eslake"`
	}
	if len(meta) == 0 || json.Unmarshal(meta, &m) != nil {
		return nil
	}
	hints := map[string]row.Type{}
	for path, text := range m.Eslake.Types {
		if t, err := parseType(text); err == nil {
			hints[path] = t
		}
	}
	return hints
}
