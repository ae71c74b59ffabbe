package sql_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// FuzzParse checks that nothing makes the parser panic, that an error stands
// within the text, and that what is printed parses and prints the same.
func FuzzParse(f *testing.F) {
	addScripts(f)
	addGolden(f)
	f.Fuzz(func(t *testing.T, src string) {
		for text, err := range lex.Split("", []byte(src)) {
			if err != nil {
				return
			}
			s, err := sql.Parse(text)
			if err != nil {
				checkPlace(t, err, src)
				continue
			}
			checkStable(t, s.String())
		}
	})
}

func addScripts(f *testing.F) {
	for _, file := range []string{"spark/accept.sql", "spark/semantics.sql", "flights/queries.sql", "spark/reject.sql"} {
		src, err := os.ReadFile("../cli/testdata/" + file)
		if err != nil {
			f.Fatal(err)
		}
		for text, err := range lex.Split(file, src) {
			if err != nil {
				break
			}
			f.Add(text.Src[text.Span.Start:text.Span.End])
		}
	}
}

// addGolden adds the inputs of the golden files.
func addGolden(f *testing.F) {
	files, err := filepath.Glob("testdata/golden/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range strings.Split(string(src), "\n\n") {
			_, input, _ := strings.Cut(part, "\n")
			input, _, _ = strings.Cut(input, "\n----")
			f.Add(input)
		}
	}
}

func checkPlace(t *testing.T, err error, src string) {
	t.Helper()
	var e *sql.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is no *sql.Error", err)
	}
	if e.Code == "" || e.Message == "" || e.Span.Line < 1 || e.Span.Start > len(src) || e.Span.End > len(src) || e.Span.Start > e.Span.End {
		t.Errorf("%q: error %+v", src, e)
	}
	lex.Render(e, []byte(src))
}
