package esds_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
)

const optionsDocument = "../docs/options.md"

// TestOptionsDocument holds docs/options.md to the catalogue. UPDATE=1 writes it
// anew.
func TestOptionsDocument(t *testing.T) {
	want := optionsText()
	got, err := os.ReadFile(optionsDocument)
	if err == nil && string(got) == want {
		return
	}
	if os.Getenv("UPDATE") == "" {
		t.Fatalf("%s is not what the catalogue says; UPDATE=1 writes it anew", optionsDocument)
	}
	if err := os.WriteFile(optionsDocument, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func optionsText() string {
	var b strings.Builder
	b.WriteString(`# Options

Options of tables ` + "`USING es`" + ` stand in ` + "`OPTIONS (…)`" + `, or as defaults for all tables in ` + "`SET key = value`" + ` and ` + "`--set`" + `; those of the table win.
Keys are taken in every spelling of elasticsearch-hadoop: ` + "`'es.nodes' 'x'`, `es.nodes = 'x'`, `nodes 'x'`, `es_nodes 'x'`" + `, in any case.
Durations take ` + "`ms s m h d`" + ` (a bare number is milliseconds), sizes ` + "`kb mb gb`" + ` (a bare number is bytes). An unknown key is an error that names the
nearest. An option marked *refused* is an error that says why; one marked *no effect* is accepted with a note, so that copied statements run.
` + "`eslake options [PREFIX]`" + ` prints the same list.

`)
	table(&b, esds.Catalogue())
	b.WriteString("\nOptions of `csv`, `json` and `parquet` are Spark's, with Spark's defaults but for `mode`, which is `FAILFAST`: a line that does not fit is an error that names it.\n")
	for _, provider := range []string{esds.ProviderCSV, esds.ProviderJSON, esds.ProviderParquet} {
		fmt.Fprintf(&b, "\n## %s\n\n", provider)
		table(&b, esds.FileCatalogue(provider))
	}
	return b.String()
}

func table(b *strings.Builder, options []esds.Option) {
	b.WriteString("| Option | Type | Default | Side | | Meaning |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, o := range options {
		typ := fmt.Sprint(o.Type)
		if len(o.Values) > 0 {
			typ = strings.Join(o.Values, ", ")
		}
		help := o.Help
		if o.Reason != "" {
			help += " (" + o.Reason + ")"
		}
		if len(o.LaterValues) > 0 {
			help += "; later: " + strings.Join(o.LaterValues, ", ")
		}
		cells := []string{"`" + o.Key + "`", typ, code(o.Default), o.Side.String(), o.Status.String(), help}
		for i, c := range cells {
			cells[i] = strings.ReplaceAll(c, "|", "\\|")
		}
		fmt.Fprintf(b, "| %s |\n", strings.Join(cells, " | "))
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}
