package render

import (
	"fmt"
	"slices"
	"strings"
)

// Format is how rows are written. It is a flag value that refuses other names.
type Format string

// The formats. Auto is Table or Vertical, whichever fits, on a terminal, and CSV
// elsewhere.
const (
	Auto     Format = "auto"
	Table    Format = "table"
	Vertical Format = "vertical"
	CSV      Format = "csv"
	TSV      Format = "tsv"
	JSON     Format = "json"
	NDJSON   Format = "ndjson"
	Markdown Format = "markdown"
	Raw      Format = "raw" // bare values without a header, tabs between
)

// Formats returns all formats.
func Formats() []Format {
	return []Format{Auto, Table, Vertical, CSV, TSV, JSON, NDJSON, Markdown, Raw}
}

// String returns the name.
func (f Format) String() string { return string(f) }

// Set takes a name in any case.
func (f *Format) Set(name string) error {
	named := Format(strings.ToLower(name))
	if !slices.Contains(Formats(), named) {
		return fmt.Errorf("unknown format %q (%s)", name, formatNames())
	}
	*f = named
	return nil
}

// Type is what help calls the value.
func (Format) Type() string { return "format" }

func formatNames() string {
	names := make([]string, 0, len(Formats()))
	for _, f := range Formats() {
		names = append(names, string(f))
	}
	return strings.Join(names, ", ")
}
