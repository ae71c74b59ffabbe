package duck

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// csvOptions takes the options of a call, a constant map at the given argument, as
// those of csv files; nil when they cannot be used.
func (s *speller) csvOptions(c *expr.Call, at int) map[string]string {
	var known []string
	for _, o := range esds.FileCatalogue(esds.ProviderCSV) {
		known = append(known, strings.ToLower(o.Key))
	}
	if !s.writeOptions(c, at, append(known, "delimiter")...) {
		return nil
	}
	raw := s.options
	s.options = nil
	opts, _, err := esds.ParseFileOptions(esds.ProviderCSV, raw)
	if err != nil {
		s.fail(c.Args[at], codeUnserved, "%s", err)
		return nil
	}
	out := map[string]string{"mode": permissive, "timeZone": s.zone.Name()}
	for k, v := range opts {
		out[k] = v
	}
	return out
}

// toCSV writes a struct as a line of csv.
func (s *speller) toCSV(c *expr.Call) string {
	opts := s.csvOptions(c, 1)
	t := c.Args[0].Type()
	if opts == nil || len(t.Fields) == 0 {
		return "NULL"
	}
	form, _ := json.Marshal(opts) // a map of texts
	x := s.expr(c.Args[0])
	cells := make([]string, len(t.Fields))
	for i, f := range t.Fields {
		if f.Type.Nested() || f.Type.Kind == row.Binary {
			return s.unserved(c, "for a field of type "+f.Type.SQL())
		}
		cell := duckdb.TextSQL("csv_cell", QuoteText(string(form)), s.csvText("struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type, opts))
		if cells[i] = cell; len(cells) > 1 || opts["nullValue"] != "" {
			cells[i] = "coalesce(" + cell + ", " + QuoteText(opts["nullValue"]) + ")"
		}
	}
	sep := opts["sep"]
	if sep == "" {
		sep = ","
	}
	return fmt.Sprintf("CASE WHEN %s IS NOT NULL THEN %s END", x, strings.Join(cells, " || "+QuoteText(unescapeChar(sep))+" || "))
}

// csvText is a value as csv has it, before it is quoted.
func (s *speller) csvText(x string, t row.Type, opts map[string]string) string {
	pattern := func(key, usual string) string {
		if p := opts[key]; p != "" {
			return QuoteText(p)
		}
		return QuoteText(usual)
	}
	switch t.Kind {
	case row.Void:
		return "CAST(NULL AS VARCHAR)"
	case row.Timestamp:
		return s.formatted(x, pattern("timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"))
	case row.TimestampNTZ:
		defer func(z *row.Zone) { s.zone = z }(s.zone)
		s.zone = nil
		return s.formatted(x, pattern("timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss.SSS"))
	case row.Date:
		return s.formatted(s.startOfDay(x), pattern("dateFormat", "yyyy-MM-dd"))
	}
	return s.toText(x, t)
}

// csvCell quotes a value as Spark's writer does: options, text.
func csvCell(args []string) (string, bool, error) {
	var opts map[string]string
	if err := json.Unmarshal([]byte(args[0]), &opts); err != nil {
		return "", false, err
	}
	d, err := newDialect(opts)
	if err != nil {
		return "", false, err
	}
	text := strings.TrimSpace(args[1])
	if text == "" {
		if empty, ok := opts["emptyValue"]; ok {
			return empty, true, nil
		}
		return `""`, true, nil
	}
	special := string(d.sep) + "\r\n"
	if d.quote == 0 || opts["quoteAll"] != "true" && text[0] != '#' && !strings.ContainsAny(text, special+string(rune(d.quote))) {
		return text, true, nil
	}
	quote, escape := string(rune(d.quote)), string(rune(d.escape))
	if d.escape != 0 && d.escape != d.quote {
		text = strings.ReplaceAll(text, escape+quote, escape+escape+quote)
	}
	return quote + strings.ReplaceAll(text, quote, escape+quote) + quote, true, nil
}

// csvRequest is what from_csv reads by.
type csvRequest struct {
	Type    string            `json:"type"`
	Options map[string]string `json:"options"`
}

// fromCSV reads a line of csv as a struct.
func (s *speller) fromCSV(c *expr.Call) string {
	opts := s.csvOptions(c, 2)
	if opts == nil {
		return "NULL"
	}
	request, _ := json.Marshal(csvRequest{c.T.SQL(), opts}) // texts
	return s.fromJSON(duckdb.TextSQL("from_csv", QuoteText(string(request)), s.expr(c.Args[0])), c.T)
}

// csvAsJSON reads a line of csv as JSON: request, line.
func csvAsJSON(args []string) (string, bool, error) {
	var request csvRequest
	if err := json.Unmarshal([]byte(args[0]), &request); err != nil {
		return "", false, err
	}
	t, err := expr.ParseSchema(request.Type)
	if err != nil {
		return "", false, err
	}
	d, err := newDialect(request.Options)
	if err != nil {
		return "", false, err
	}
	need := make([]bool, len(t.Fields))
	for i := range need {
		need[i] = true
	}
	r, err := newCSVReader(nil, d, t.Fields, need)
	if err != nil {
		return "", false, err
	}
	d.header = false
	r.cur = csvText(args[1], d)
	b := row.NewBatch(t.Fields)
	switch err := r.cur.next(); {
	case errors.Is(err, io.EOF): // a blank line is a row of NULL
		r.cur.fields = nil
	case err != nil:
		return "", false, csvError(err)
	}
	if err := r.appendRow(b); err != nil {
		return "", false, csvError(err)
	}
	line := []byte{'{'}
	for i, f := range t.Fields {
		if i > 0 {
			line = append(line, ',')
		}
		line = append(row.AppendQuoted(line, []byte(f.Name)), ':')
		line = row.AppendJSON(line, b.Columns[i], 0)
	}
	return string(append(line, '}')), true, nil
}

func csvText(text string, d *dialect) *csvFile {
	return &csvFile{path: "from_csv", d: d, in: io.NopCloser(bytes.NewReader([]byte(text))), buf: make([]byte, 0, len(text)+16)}
}

// csvError words what is wrong with a line without a file around it.
func csvError(err error) error {
	var f *FileError
	if errors.As(err, &f) {
		return fmt.Errorf("from_csv: %q: %w", f.Value, f.Err)
	}
	return err
}

// schemaOfCSV reads the constant here.
func (s *speller) schemaOfCSV(c *expr.Call) string {
	text, _ := expr.ConstantText(c.Args[0])
	opts := s.csvOptions(c, 1)
	if opts == nil {
		return "NULL"
	}
	d, err := newDialect(opts)
	if err != nil {
		return s.fail(c, codeUnserved, "%s", err)
	}
	f := csvText(text, d)
	if err := f.next(); err != nil {
		return s.unserved(c, "for this text")
	}
	fields := make([]string, len(f.fields))
	for i, field := range f.fields {
		t := row.StringType
		if text, null := d.value(&field, row.Void); !null {
			t = d.inferField(row.VoidType, text)
		}
		fields[i] = fmt.Sprintf("_c%d: %s", i, t.SQL())
	}
	return QuoteText("STRUCT<" + strings.Join(fields, ", ") + ">")
}
