package esds

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
}
