package esds

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/row"
)

// rawMapping is a mapping, or a part of it, as Elasticsearch prints it.
type rawMapping struct {
	Type            string                 `json:"type"`
	Properties      map[string]*rawMapping `json:"properties"`
	Fields          map[string]*rawMapping `json:"fields"`
	Runtime         map[string]*rawMapping `json:"runtime"`
	Format          string                 `json:"format"`
	IgnoreAbove     *looseNumber           `json:"ignore_above"`
	Normalizer      string                 `json:"normalizer"`
	NullValue       json.RawMessage        `json:"null_value"`
	Index           *looseBool             `json:"index"`
	DocValues       *looseBool             `json:"doc_values"`
	IgnoreMalformed *looseBool             `json:"ignore_malformed"`
	Enabled         *looseBool             `json:"enabled"`
	CopyTo          looseList              `json:"copy_to"`
	Path            string                 `json:"path"`
	ScalingFactor   *looseNumber           `json:"scaling_factor"`
	Meta            json.RawMessage        `json:"_meta"`
	Dynamic         json.RawMessage        `json:"dynamic"`
	Script          json.RawMessage        `json:"script"`
}

// ParseMapping returns the fields of one index in alphabetical order. Raw is the
// object that holds "properties", and "runtime" and "_meta" where there are
// such; it may be wrapped as {"mappings": …}.
func ParseMapping(raw []byte) ([]Field, error) {
	var m struct {
		rawMapping
		Mappings *rawMapping `json:"mappings"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("the mapping cannot be read: %w", err)
	}
	top := &m.rawMapping
	if m.Mappings != nil {
		top = m.Mappings
	}
	hints := parseHints(top.Meta)
	targets := map[string]bool{}
	fields := parseFields(top.Properties, "", targets)
	markLate(fields, top)
	for name, r := range top.Runtime {
		f := parseField(name, r, targets)
		f.Runtime, f.Indexed, f.DocValues = true, true, true
		if i := slices.IndexFunc(fields, func(g Field) bool { return g.Path == name }); i >= 0 {
			fields[i] = f // a runtime field shadows one of the mapping
			continue
		}
		fields = append(fields, f)
	}
	sortFields(fields)
	mark(fields, targets)
	for i := range fields {
		if t, ok := hints[fields[i].Path]; ok {
			fields[i].hint(t)
		}
	}
	return fields, nil
}

func parseFields(raw map[string]*rawMapping, prefix string, targets map[string]bool) []Field {
	var fields []Field
	for name, r := range raw {
		fields = append(fields, parseField(prefix+name, r, targets))
	}
	sortFields(fields)
	return fields
}

func parseField(path string, r *rawMapping, targets map[string]bool) Field {
	f := Field{
		Path: path, Kind: r.Type, Format: r.Format, Normalizer: r.Normalizer, Alias: r.Path,
		NullValue: len(r.NullValue) > 0 && string(r.NullValue) != "null",
		Indexed:   r.Index.or(true), DocValues: r.DocValues.or(true),
		Malformed: r.IgnoreMalformed.or(false), Disabled: !r.Enabled.or(true),
		CopiedTo:    len(r.Script) > 0,
		IgnoreAbove: int(r.IgnoreAbove.or(0)), Scale: float64(r.ScalingFactor.or(0)),
	}
	if f.Kind == "" {
		f.Kind = "object"
	}
	for _, target := range r.CopyTo {
		targets[target] = true
	}
	f.Children = parseFields(r.Properties, path+".", targets)
	f.Multi = parseFields(r.Fields, path+".", targets)
	return f
}

// markLate notes the fields of documents that the index may have taken before it
// knew the field. An object without a setting of its own has that of its parent.
func markLate(fields []Field, parent *rawMapping) {
	late := slices.Contains([]string{"false", "runtime"}, strings.Trim(string(parent.Dynamic), `"`))
	for i := range fields {
		f := &fields[i]
		f.Late = late
		for j := range f.Multi {
			f.Multi[j].Late = late
		}
		child := parent.Properties[f.Path[strings.LastIndexByte(f.Path, '.')+1:]]
		if child == nil || len(f.Children) == 0 {
			continue
		}
		if child.Dynamic == nil {
			child.Dynamic = parent.Dynamic
		}
		markLate(f.Children, child)
	}
}

func sortFields(fields []Field) {
	slices.SortFunc(fields, func(a, b Field) int { return strings.Compare(a.Path, b.Path) })
}

// mark notes the targets of copy_to.
func mark(fields []Field, targets map[string]bool) {
	for i := range fields {
		f := &fields[i]
		f.CopiedTo = f.CopiedTo || targets[f.Path]
		mark(f.Children, targets)
		mark(f.Multi, targets)
	}
}

// hint gives the type that _meta holds for a column to its field, and the types
// of a struct's fields to the children. What does not fit the mapping, since
// someone changed it, is left out.
func (f *Field) hint(t row.Type) {
	elem := t
	for elem.Kind == row.Array {
		elem = *elem.Elem
	}
	switch {
	case elem.Kind == row.Struct && (f.Kind == "object" || f.Kind == "nested"):
		for i := range f.Children {
			name := f.Children[i].Path[len(f.Path)+1:]
			if k := elem.Fields.Index(name); k >= 0 {
				f.Children[i].hint(elem.Fields[k].Type)
			}
		}
	case elem.Kind == row.Map && f.Kind == "object":
	case f.Kind == "text" && elem.Kind == row.String:
	case kindOf(elem) != f.Kind:
		return
	}
	f.Hint = t
}

func findFold(fields []Field, path string) *Field {
	for i := range fields {
		f := &fields[i]
		if strings.EqualFold(f.Path, path) {
			return f
		}
		if len(path) > len(f.Path) && path[len(f.Path)] == '.' && strings.EqualFold(path[:len(f.Path)], f.Path) {
			if found := findFold(f.Children, path); found != nil {
				return found
			}
			return findFold(f.Multi, path)
		}
	}
	return nil
}

// Old servers, and requests kept as they came, spell numbers and booleans as
// text.
type (
	looseBool   bool
	looseNumber float64
	looseList   []string
)

func (b *looseBool) UnmarshalJSON(raw []byte) error {
	switch strings.Trim(string(raw), `"`) {
	case "false", "no", "strict_never":
		*b = false
	default:
		*b = true
	}
	return nil
}

func (b *looseBool) or(v bool) bool {
	if b == nil {
		return v
	}
	return bool(*b)
}

func (n *looseNumber) UnmarshalJSON(raw []byte) error {
	return json.Unmarshal([]byte(strings.Trim(string(raw), `"`)), (*float64)(n))
}

func (n *looseNumber) or(v float64) float64 {
	if n == nil {
		return v
	}
	return float64(*n)
}

func (l *looseList) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		*l = []string{""}
		return json.Unmarshal(raw, &(*l)[0])
	}
	return json.Unmarshal(raw, (*[]string)(l))
}
