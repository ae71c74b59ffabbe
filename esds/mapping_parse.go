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
	Derived         map[string]*rawMapping `json:"derived"`
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
	Value           looseText              `json:"value"`
	ElementType     string                 `json:"element_type"`
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
	fields = addRuntime(fields, top.Runtime)
	fields = addRuntime(fields, top.Derived)
	fields, hoisted := hoist(fields)
	fields = append(fields, hoisted...)
	sortFields(fields)
	mark(fields, targets)
	for i := range fields {
		if t, ok := hints[fields[i].Path]; ok {
			fields[i].hint(t)
		}
	}
	return fields, nil
}

// addRuntime adds fields that are computed when they are read. They shadow those
// of the mapping. The parts of a composite field are fields of their own.
func addRuntime(fields []Field, raw map[string]*rawMapping) []Field {
	for name, r := range raw {
		if r.Type == "composite" {
			parts := map[string]*rawMapping{}
			for part, sub := range r.Fields {
				parts[name+"."+part] = sub
			}
			fields = addRuntime(fields, parts)
			continue
		}
		f := parseField(name, r, nil)
		f.Runtime, f.Indexed, f.DocValues = true, true, true
		fields = append(without(fields, name), f)
	}
	return fields
}

// without takes a field out, which may be in an object.
func without(fields []Field, path string) []Field {
	fields = slices.DeleteFunc(fields, func(g Field) bool { return g.Path == path })
	for i := range fields {
		fields[i].Children = without(fields[i].Children, path)
	}
	return fields
}

// hoist takes aliases out of the objects that they are in: documents do not have
// them there. As columns of their own they are read from where they point.
func hoist(fields []Field) (kept, hoisted []Field) {
	for _, f := range fields {
		var out []Field
		f.Children, out = hoist(f.Children)
		for i := len(f.Children) - 1; i >= 0; i-- {
			if f.Children[i].Kind == "alias" {
				out = append(out, f.Children[i])
				f.Children = slices.Delete(f.Children, i, i+1)
			}
		}
		if f.Kind != "nested" {
			hoisted = append(hoisted, out...)
		}
		kept = append(kept, f)
	}
	return kept, hoisted
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
		Constant:    string(r.Value),
		IgnoreAbove: int(r.IgnoreAbove.or(0)), Scale: float64(r.ScalingFactor.or(0)),
	}
	if f.Kind == "" {
		f.Kind = "object"
	}
	if f.Kind == "dense_vector" && r.ElementType == "bit" {
		f.Hint = row.StringType // bytes as a list, or in hex
	}
	for _, target := range r.CopyTo {
		targets[target] = true
	}
	f.Children = parseFields(r.Properties, path+".", targets)
	f.Multi = parseFields(r.Fields, path+".", targets)
	for i := range f.Multi {
		f.Multi[i].Of = path
	}
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
			if found := findFold(f.Multi, path); found != nil {
				return found
			}
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
	looseText   string
)

func (t *looseText) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, (*string)(t))
	}
	*t = looseText(raw)
	return nil
}

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
