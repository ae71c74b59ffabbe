package esds

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// The canonical names of providers.
const (
	ProviderES      = "es"
	ProviderCSV     = "csv"
	ProviderJSON    = "json"
	ProviderParquet = "parquet"
	ProviderKafka   = "kafka"
)

var providers = map[string]string{
	"es": ProviderES, "css": ProviderES, "opensearch": ProviderES, "elasticsearch": ProviderES,
	"org.elasticsearch.spark.sql": ProviderES, "org.opensearch.spark.sql": ProviderES,
	"csv": ProviderCSV, "json": ProviderJSON, "parquet": ProviderParquet,
	"kafka": ProviderKafka,
}

// Provider returns the canonical name of the provider in USING, in any case. It
// is not ok when the provider is unknown (canonical is ""), or known and not
// supported yet; ProviderError has the words for both.
func Provider(name string) (canonical string, ok bool) {
	canonical = providers[strings.ToLower(name)]
	return canonical, canonical != "" && canonical != ProviderKafka
}

// ProviderNames returns every name that Provider takes, canonical ones first.
func ProviderNames() []string {
	return []string{
		"es", "csv", "json", "parquet",
		"css", "elasticsearch", "opensearch", "org.elasticsearch.spark.sql", "org.opensearch.spark.sql",
	}
}

// ProviderError returns the reason why Provider is not ok, nil when it is.
func ProviderError(name string) error {
	canonical, ok := Provider(name)
	switch {
	case ok:
		return nil
	case canonical != "":
		return &OptionError{Key: "USING " + name, Reason: "not supported yet"}
	}
	hint := "there are " + strings.Join(ProviderNames(), ", ")
	if near := lex.Near(strings.ToLower(name), slices.Sorted(maps.Keys(providers))); near != "" {
		hint = fmt.Sprintf("did you mean %s? %s", near, hint)
	}
	return &OptionError{Key: "USING " + name, Reason: "unknown provider", Hint: hint}
}
