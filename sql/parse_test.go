package sql_test

import (
	"errors"
	"os"
	"testing"

	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// TestAccepted parses and prints whole scripts: what is printed must parse and
// print the same.
func TestAccepted(t *testing.T) {
	refused := map[string]string{
		"SELECT id FROM people WHERE age >= ALL (SELECT age FROM people WHERE age IS NOT NULL)": lex.CodeUnsupported,
		"SELECT 1 FROM people GROUP BY ()": lex.CodeUnexpected,
	}
	for _, file := range []string{"spark/accept.sql", "spark/semantics.sql", "flights/queries.sql"} {
		src, err := os.ReadFile("../cli/testdata/" + file)
		if err != nil {
			t.Fatal(err)
		}
		for text, err := range lex.Split(file, src) {
			if err != nil {
				t.Fatal(err)
			}
			one := text.Src[text.Span.Start:text.Span.End]
			s, err := sql.Parse(text)
			if code, ok := refused[one]; ok {
				if e := new(sql.Error); !errors.As(err, &e) || e.Code != code {
					t.Errorf("%s\ngot %v, want an error %s", one, err, code)
				}
				continue
			}
			if err != nil {
				t.Error(render(t, err, string(src)))
				continue
			}
			checkStable(t, s.String())
		}
	}
}

// checkStable parses a printed statement and compares what that prints.
func checkStable(t *testing.T, printed string) {
	t.Helper()
	text, err := lex.One("", printed)
	if err != nil {
		t.Errorf("%v\nin the printed %s", err, printed)
		return
	}
	s, err := sql.Parse(text)
	if err != nil {
		t.Errorf("%v\nin the printed %s", err, printed)
		return
	}
	if again := s.String(); again != printed {
		t.Errorf("not stable:\n%s\n%s", printed, again)
	}
}
