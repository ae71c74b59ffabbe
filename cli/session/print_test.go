package session_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// A long result that nothing is computed of comes as lines from the index to the
// output, whatever stands between them; in another time zone, with a LIMIT, or when
// something is computed, it comes as values.
func TestRowsComeAsLines(t *testing.T) {
	const n = 3000
	tests := []struct {
		query string
		lines bool
	}{
		{"SELECT * FROM t", true},
		{"SELECT name, id FROM t WHERE id >= 0", true},
		{"SELECT id AS a, name, id AS b FROM t", true},
		{"SELECT id + 1, name FROM t", false},
		{"SELECT * FROM t LIMIT 2999", false},
		{"SET TIME ZONE 'Europe/Berlin'; SELECT * FROM t", false},
	}
	for name, f := range map[string]esdstest.Flavour{"elasticsearch": esdstest.Elasticsearch8, "opensearch": esdstest.OpenSearch2} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configuration{source: func(t *testing.T, _ *duckdb.DB) esds.Source { return openElastic(t, esdstest.New(t, f).URL) }})
			out := w.run(fmt.Sprintf(`CREATE TABLE t (id BIGINT, name STRING, at TIMESTAMP) USING es OPTIONS (resource '%slines', es.mapping.id 'id');
				INSERT INTO t SELECT id, concat('n', id), timestamp_seconds(id) FROM range(%d);`, w.prefix, n), false)
			if strings.Contains(out, "error") {
				t.Fatal(out)
			}
			for _, tt := range tests {
				lines, values := printed(t, w, tt.query)
				if tt.lines && (lines != n || values != 0) || !tt.lines && lines != 0 {
					t.Errorf("%s: %d rows came as lines and %d as values", tt.query, lines, values)
				}
			}
		})
	}
}

// printed asks for lines and returns how many rows came as such, and how many as
// values.
func printed(t *testing.T, w *world, script string) (lines, values int) {
	t.Helper()
	ctx := context.Background()
	for text, err := range lex.Split("", []byte(script)) {
		if err != nil {
			t.Fatal(err)
		}
		st, err := sql.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		res, err := w.session.Exec(ctx, st)
		if err != nil {
			t.Fatal(err)
		}
		if res.Rows == nil {
			continue
		}
		form := &row.Lines{Close: []byte("\n"), Text: func(dst, text []byte) []byte { return append(dst, text...) }}
		for k := range res.Rows.Schema() {
			form.Columns, form.Open = append(form.Columns, k), append(form.Open, []byte(";"))
		}
		for {
			p, err := row.Print(ctx, res.Rows, form)
			if row.Ended(err) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			lines += p.Rows
			if p.Batch != nil {
				values += p.Batch.Len
			}
		}
		res.Rows.Close()
	}
	return lines, values
}
