package esds

import "github.com/eslake/eslake/sql/row"

// Field is a field of a mapping.
type Field struct {
	Path     string  // full name: "address.geo.lat"
	Kind     string  // Elasticsearch's type: "keyword", "long", "object", …
	Children []Field // of object and nested, in alphabetical order
	Multi    []Field // multi-fields: "name.keyword"

	Format      string // of date and date_nanos; "" for the default
	IgnoreAbove int    // of keyword: longer values are not indexed; 0 for none
	Normalizer  string // of keyword
	NullValue   bool   // null_value is set: NULL cannot be told in the index
	Indexed     bool   // can be searched: index is not false
	DocValues   bool   // doc_values is not false
	Malformed   bool   // ignore_malformed is set: some values are not indexed

	Hint     row.Type // the SQL type that eslake made the field for (see MappingOf); Void for none
	Scale    float64  // scaling_factor of scaled_float
	Alias    string   // of alias: the path that it stands for
	Constant string   // of constant_keyword: the one value, "" when no document has given it yet
	Of       string   // of a multi-field: the path whose values it holds
	Runtime  bool     // computed when it is read: not in the documents
	CopiedTo bool     // a copy_to target, or made by a script: holds values that the documents do not show
	Late     bool     // documents may hold values that the index does not know: dynamic mapping is off where the field stands
	Disabled bool     // enabled is false: kept in the documents, unknown to the index
	Mixed    bool     // the indices behind the name disagree on its kind: not to be searched
	// Constants holds the values of constant_keyword by index: documents need not
	// have them. MergeMappings fills it.
	Constants map[string]string

	Clash string // the kinds cannot be read as one column: says which index has which; "" for none
}

// Find returns the field with the path, which may lead through objects and to a
// multi-field, or nil. The exact spelling wins over one in another case.
func Find(fields []Field, path string) *Field {
	for i := range fields {
		if f := fields[i].find(path); f != nil {
			return f
		}
	}
	return findFold(fields, path)
}

func (f *Field) find(path string) *Field {
	if f.Path == path {
		return f
	}
	if len(path) <= len(f.Path) || path[:len(f.Path)] != f.Path || path[len(f.Path)] != '.' {
		return nil
	}
	for _, parts := range [][]Field{f.Children, f.Multi} {
		for i := range parts {
			if found := parts[i].find(path); found != nil {
				return found
			}
		}
	}
	return nil
}

// ExactText reports whether a kind holds text as it was written, rather than a
// value whose JSON has a form of its own.
func ExactText(kind string) bool {
	switch kind {
	case "keyword", "text", "constant_keyword", "wildcard", "version", "match_only_text", "search_as_you_type",
		"annotated_text", "string", "ip", "counted_keyword", "icu_collation_keyword", "murmur3", "pattern_text":
		return true
	}
	return false
}

// Known reports whether eslake knows what the values of a kind are. Fields of
// other kinds are read as JSON text.
func Known(kind string) bool {
	switch kind {
	case "object", "nested", "passthrough", "alias", "flattened", "flat_object", "geo_shape", "shape", "point", "xy_point", "xy_shape", "percolator", "completion", "semantic_text":
		return true
	}
	return ExactText(kind) || scalarType(kind).Kind != row.String || compoundType(kind).Kind != row.Void
}
