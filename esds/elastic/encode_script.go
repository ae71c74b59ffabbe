package elastic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// script is what an update runs instead of merging the row.
type script struct {
	head   []byte // {"script":{"source":"…","lang":"painless"
	raw    []byte // parameters as JSON, nil for none
	names  [][]byte
	params []pick
	upsert bool // the script makes the document too
}

// newScript reads es.update.script.*; it is nil when there is none.
func newScript(w esds.Write, s row.Schema, input bool) (*script, error) {
	inline, stored := w.Options.String("es.update.script.inline"), w.Options.String("es.update.script.stored")
	switch {
	case inline == "" && stored == "":
		if len(w.Options.Under("es.update.script.")) > 0 {
			return nil, errors.New("es.update.script.* need es.update.script.inline or es.update.script.stored")
		}
		return nil, nil
	case inline != "" && stored != "":
		return nil, errors.New("es.update.script.inline and es.update.script.stored exclude each other")
	case w.Action != esds.UpdateDoc && w.Action != esds.UpsertDoc:
		return nil, fmt.Errorf("es.update.script.* need es.write.operation update or upsert, it is %s", w.Action)
	}
	x := &script{upsert: w.Options.Bool("es.update.script.upsert"), head: []byte(`{"script":{`)}
	if stored != "" {
		x.head = appendMember(x.head, "id", stored)
	} else {
		x.head = appendMember(x.head, "source", inline)
		x.head = appendMember(append(x.head, ','), "lang", w.Options.String("es.update.script.lang"))
	}
	if text := w.Options.String("es.update.script.params.json"); text != "" {
		v := jsontext.Value(text)
		if v.Kind() != '{' || v.Compact() != nil {
			return nil, errors.New("es.update.script.params.json is not a JSON object")
		}
		x.raw = v
	}
	if x.raw != nil && w.Options.Has("es.update.script.params") {
		return nil, errors.New("es.update.script.params and es.update.script.params.json exclude each other")
	}
	return x, x.setParams(w.Options.String("es.update.script.params"), s, input)
}

// setParams reads name:column, name:<text> and so on.
func (x *script) setParams(text string, s row.Schema, input bool) error {
	for _, part := range splitParams(text) {
		name, spec, ok := strings.Cut(part, ":")
		name, spec = strings.TrimSpace(name), strings.TrimSpace(spec)
		if !ok || name == "" || spec == "" {
			return fmt.Errorf("es.update.script.params: %q is not name:column or name:<text>", part)
		}
		p, _, err := newPick(spec, s, input)
		if err != nil {
			return fmt.Errorf("es.update.script.params: %w", err)
		}
		x.names = append(x.names, append(row.AppendQuoted(nil, name), ':'))
		x.params = append(x.params, p)
	}
	return nil
}

// splitParams splits at commas that are not within < and >.
func splitParams(text string) (parts []string) {
	start, within := 0, false
	for i := 0; i <= len(text); i++ {
		switch {
		case i == len(text) || text[i] == ',' && !within:
			if part := strings.TrimSpace(text[start:i]); part != "" {
				parts = append(parts, part)
			}
			start = i + 1
		case text[i] == '<':
			within = true
		case text[i] == '>':
			within = false
		}
	}
	return parts
}

// append appends {"script":{…} without its end.
func (x *script) append(dst []byte, r picked) ([]byte, error) {
	dst = append(dst, x.head...)
	var err error
	switch {
	case x.raw != nil:
		dst = append(append(dst, `,"params":`...), x.raw...)
	case len(x.params) > 0:
		dst = append(dst, `,"params":{`...)
		for k, p := range x.params {
			if k > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, x.names[k]...)
			if dst, err = p.json(dst, r); err != nil {
				return dst, err
			}
		}
		dst = append(dst, '}')
	}
	return append(dst, '}'), nil
}
