package sql_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// TestGolden runs the files of testdata/golden. The command parse prints the
// statements of a script, or the error as a user reads it; type does so with
// types, schema with columns.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata/golden", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "parse":
				return parseAll(t, d.Input)
			case "type":
				return eachLine(d.Input, func(line string) (string, error) {
					typ, err := sql.ParseType(line)
					return typ.SQL(), err
				})
			case "schema":
				return eachLine(d.Input, func(line string) (string, error) {
					schema, err := sql.ParseSchema(line)
					return strings.Join(schema.Names(), " "), err
				})
			default:
				d.Fatalf(t, "no command %s", d.Cmd)
				return ""
			}
		})
	})
}

func parseAll(t *testing.T, src string) string {
	t.Helper()
	var b strings.Builder
	for text, err := range lex.Split("", []byte(src)) {
		if err != nil {
			b.WriteString(render(t, err, src))
			break
		}
		s, err := sql.Parse(text)
		if err != nil {
			b.WriteString(render(t, err, src))
			continue
		}
		b.WriteString(s.String() + "\n")
		checkStable(t, s.String())
	}
	return b.String()
}

func render(t *testing.T, err error, src string) string {
	t.Helper()
	var e *sql.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *sql.Error", err)
	}
	return lex.Render(e, []byte(src))
}

func eachLine(input string, f func(string) (string, error)) string {
	var b strings.Builder
	for _, line := range strings.Split(input, "\n") {
		out, err := f(line)
		if err != nil {
			out = "error: " + err.Error()
		}
		b.WriteString(out + "\n")
	}
	return b.String()
}

// TestRejected parses the statements that must be refused, as far as that is a
// matter of syntax.
func TestRejected(t *testing.T) {
	datadriven.RunTest(t, "testdata/rejected", func(t *testing.T, d *datadriven.TestData) string {
		return parseAll(t, d.Input)
	})
}
