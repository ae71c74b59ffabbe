package expr

import "strings"

var arrayFunctions = []Function{
	{Names: "array", Args: "T*", Result: "array<T>", Doc: "an array of the values", Nulls: NullOwn},
	{Names: "size cardinality", Args: "any", Result: "int", Doc: "number of elements, -1 for NULL", rule: nestedSize, Nulls: NullOwn},
	{Names: "array_size", Args: "array<T>", Result: "int", Doc: "number of elements, NULL for NULL"},
	{Names: "element_at", Args: "any any", Doc: "an array's element from 1, or from the end if negative; a map's value", rule: elementAt},
	{Names: "try_element_at", Args: "any any", Doc: "element_at, NULL out of bounds", rule: elementAt},
	{Names: "get", Args: "array<T> int", Result: "T", Doc: "an array's element from 0, NULL out of bounds"},
	{Names: "array_contains", Args: "array<S> S", Result: "boolean", Doc: "the array has the value", rule: sought},
	{Names: "array_position", Args: "array<N> N", Result: "bigint", Doc: "position of the value from 1, 0 for none"},
	{Names: "array_distinct", Args: "array<T>", Result: "array<T>", Doc: "each value once"},
	{Names: "array_remove", Args: "array<N> N", Result: "array<N>", Doc: "without the value"},
	{Names: "array_append", Args: "array<N> N", Result: "array<N>", Doc: "with the value at the end"},
	{Names: "array_prepend", Args: "array<N> N", Result: "array<N>", Doc: "with the value at the start"},
	{Names: "array_insert", Args: "array<N> int N", Result: "array<N>", Doc: "with the value at a position"},
	{Names: "array_compact", Args: "array<T>", Result: "array<T>", Doc: "without NULLs"},
	{Names: "array_union", Args: "array<N> array<N>", Result: "array<N>", Doc: "values of either, each once"},
	{Names: "array_intersect", Args: "array<N> array<N>", Result: "array<N>", Doc: "values of both, each once"},
	{Names: "array_except", Args: "array<N> array<N>", Result: "array<N>", Doc: "values of the first that the second lacks, each once"},
	{Names: "arrays_overlap", Args: "array<N> array<N>", Result: "boolean", Doc: "both have a value; NULL when only NULLs could tell"},
	{Names: "array_join", Args: "array<string> string string?", Result: "string", Doc: "the texts joined by a separator, NULLs left out or replaced"},
	{Names: "array_max", Args: "array<T>", Result: "T", Doc: "the greatest element"},
	{Names: "array_min", Args: "array<T>", Result: "T", Doc: "the least element"},
	{Names: "array_repeat", Args: "T int", Result: "array<T>", Doc: "the value n times", Nulls: NullOwn},
	{Names: "arrays_zip", Args: "any*", Doc: "an array of structs, one for each position", rule: arraysZip},
	{Names: "array_sort", Args: "array<T> fn(T,T):int?", Result: "array<T>", Doc: "sorted, NULLs at the end; or by a comparison"},
	{Names: "sort_array", Args: "array<T> boolean?", Result: "array<T>", Doc: "sorted, NULLs first; descending with false, NULLs last"},
	{Names: "shuffle", Args: "array<T>", Result: "array<T>", Doc: "in random order", Volatile: true},
	{Names: "slice", Args: "array<T> int int", Result: "array<T>", Doc: "a part from a position, from the end if negative"},
	{Names: "sequence", Args: "any any any?", Doc: "numbers or dates from one to another by a step", rule: sequence},
	{Names: "flatten", Args: "array<array<T>>", Result: "array<T>", Doc: "the inner arrays joined"},
	{Names: "transform", Args: "array<T> fn(T,int):U", Result: "array<U>", Doc: "every element through a lambda"},
	{Names: "filter", Args: "array<T> fn(T,int):boolean", Result: "array<T>", Doc: "the elements for which a lambda is true"},
	{Names: "exists", Args: "array<T> fn(T):boolean", Result: "boolean", Doc: "a lambda is true for one element", Nulls: NullOwn},
	{Names: "forall", Args: "array<T> fn(T):boolean", Result: "boolean", Doc: "a lambda is true for all elements", Nulls: NullOwn},
	{Names: "aggregate reduce", Args: "array<T> U fn(U,T):U fn(U):V?", Doc: "one value, built from a start by a lambda over each element", rule: aggregateArray, Nulls: NullOwn},
	{Names: "zip_with", Args: "array<T> array<U> fn(T,U):V", Result: "array<V>", Doc: "a lambda over the elements of two arrays"},
}

var mapFunctions = []Function{
	{Names: "map", Args: "any*", Doc: "a map of keys and values in turn", rule: mapOf, Nulls: NullOwn},
	{Names: "map_keys", Args: "map<K,V>", Result: "array<K>", Doc: "the keys"},
	{Names: "map_values", Args: "map<K,V>", Result: "array<V>", Doc: "the values"},
	{Names: "map_entries", Args: "map<K,V>", Doc: "an array of structs key, value", rule: mapEntries},
	{Names: "map_concat", Args: "map<K,V>*", Result: "map<K,V>", Doc: "the maps joined"},
	{Names: "map_from_arrays", Args: "array<K> array<V>", Result: "map<K,V>", Doc: "a map of an array of keys and one of values"},
	{Names: "map_from_entries", Args: "any", Doc: "a map of an array of structs", rule: mapFromEntries},
	{Names: "map_contains_key", Args: "map<S,V> S", Result: "boolean", Doc: "the map has the key", rule: sought},
	{Names: "map_filter", Args: "map<K,V> fn(K,V):boolean", Result: "map<K,V>", Doc: "the entries for which a lambda is true"},
	{Names: "transform_keys", Args: "map<K,V> fn(K,V):U", Result: "map<U,V>", Doc: "every key through a lambda"},
	{Names: "transform_values", Args: "map<K,V> fn(K,V):U", Result: "map<K,U>", Doc: "every value through a lambda"},
	{Names: "map_zip_with", Args: "map<K,U> map<K,V> fn(K,U,V):T", Result: "map<K,T>", Doc: "a lambda over the values of two maps"},
	{Names: "str_to_map", Args: "string string? string?", Result: "map<string,string>", Doc: "a map of text like a:1,b:2"},
	{Names: "struct", Args: "any*", Doc: "a struct of the values", rule: structOf, Nulls: NullOwn},
	{Names: "named_struct", Args: "any*", Doc: "a struct of names and values in turn", rule: namedStruct, Nulls: NullOwn},
}

var jsonFunctions = []Function{
	{Names: "get_json_object", Args: "string string", Result: "string", Doc: "the value at a path like $.a.b[0]"},
	{Names: "to_json", Args: "any any?", Result: "string", Doc: "a struct, map or array as JSON"},
	{Names: "from_json", Args: "string const any?", Doc: "JSON as a struct, map or array of the given type", rule: fromJSON},
	{Names: "to_csv", Args: "any any?", Result: "string", Doc: "a struct as a line of CSV", rule: toCSV},
	{Names: "from_csv", Args: "string const any?", Doc: "a line of CSV as a struct of the given type", rule: fromJSON},
	{Names: "schema_of_csv", Args: "const any?", Result: "string", Doc: "the type of a line of CSV"},
	{Names: "schema_of_json", Args: "const any?", Result: "string", Doc: "the type of a JSON text"},
	{Names: "json_object_keys", Args: "string", Result: "array<string>", Doc: "the keys of a JSON object"},
}

var castFunctions = []Function{
	{Names: "bigint", Args: "any", Result: "bigint", Doc: "cast to BIGINT", rule: castCall},
	{Names: "int", Args: "any", Result: "int", Doc: "cast to INT", rule: castCall},
	{Names: "smallint", Args: "any", Result: "smallint", Doc: "cast to SMALLINT", rule: castCall},
	{Names: "tinyint", Args: "any", Result: "tinyint", Doc: "cast to TINYINT", rule: castCall},
	{Names: "double", Args: "any", Result: "double", Doc: "cast to DOUBLE", rule: castCall},
	{Names: "float", Args: "any", Result: "float", Doc: "cast to FLOAT", rule: castCall},
	{Names: "decimal", Args: "any", Doc: "cast to DECIMAL(10,0)", rule: castCall},
	{Names: "boolean", Args: "any", Result: "boolean", Doc: "cast to BOOLEAN", rule: castCall},
	{Names: "string", Args: "any", Result: "string", Doc: "cast to STRING", rule: castCall},
	{Names: "binary", Args: "any", Result: "binary", Doc: "cast to BINARY", rule: castCall},
	{Names: "date", Args: "any", Result: "date", Doc: "cast to DATE", rule: castCall},
	{Names: "timestamp", Args: "any", Result: "timestamp", Doc: "cast to TIMESTAMP", rule: castCall},
}

var otherFunctions = []Function{
	{Names: "typeof", Args: "any", Result: "string", Doc: "name of the value's type", Nulls: NullOwn},
	{Names: "version", Result: "string", Doc: "version of the engine"},
	{Names: "current_user user", Result: "string", Doc: "name of the user"},
	{Names: "current_database current_schema", Result: "string", Doc: "name of the current database"},
	{Names: "current_catalog", Result: "string", Doc: "name of the catalog"},
	{Names: "monotonically_increasing_id", Result: "bigint", Doc: "a number that grows from row to row", Volatile: true},
	{Names: "grouping", Args: "any", Result: "tinyint", Doc: "1 where a grouping column is rolled up, else 0", Nulls: NullOwn},
	{Names: "grouping_id", Args: "any*", Result: "bigint", Doc: "the grouping bits of the columns as a number", Nulls: NullOwn},
}

var fullTextFunctions = []Function{
	{Names: "match", Args: "any string string?", Result: "boolean", Doc: "the index finds the words in the column", Kind: FullTextFunction},
	{Names: "match_phrase", Args: "any string string?", Result: "boolean", Doc: "the index finds the words in this order in the column", Kind: FullTextFunction},
	{Names: "query", Args: "string string?", Result: "boolean", Doc: "the index finds the document by a Lucene query", Kind: FullTextFunction},
	{Names: "score", Result: "double", Doc: "how well the document matches the full-text condition in WHERE: the column _score", Kind: FullTextFunction},
}

// unservedFunctions are Spark's functions that have no row in the tables.
const unservedFunctions = `aes_decrypt aes_encrypt bitmap_construct_agg bitmap_count bitmap_or_agg count_min_sketch
	histogram_numeric hll_sketch_agg hll_sketch_estimate hll_union hll_union_agg input_file_block_length input_file_block_start
	input_file_name java_method reflect sentences spark_partition_id sql_keywords
	try_aes_decrypt xpath xpath_boolean xpath_double
	xpath_float xpath_int xpath_long xpath_number xpath_short xpath_string range`

// alternatives say what serves instead of a function that is not served, by the
// beginning of its name.
var alternatives = [][2]string{
	{"hll_", "count(DISTINCT x) and approx_count_distinct(x) count"},
	{"bitmap_", "count(DISTINCT x) counts"},
	{"count_min_sketch", "GROUP BY with count(*) counts exactly"},
	{"histogram_numeric", "GROUP BY width_bucket(x, low, high, n) makes a histogram"},
	{"input_file", "_index and _id say where a document is from"},
	{"xpath", "regexp_extract finds text in XML"},
	{"sentences", "split(text, '[.!?]') takes text apart"},
}

// instead is the alternative to a function that is not served, "" for none.
func instead(name string) string {
	for _, a := range alternatives {
		if strings.HasPrefix(name, a[0]) {
			return a[1]
		}
	}
	return ""
}
