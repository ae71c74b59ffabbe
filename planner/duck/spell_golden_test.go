package duck_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/planner/duck"
	eslakesql "github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// TestSpell shows the SQL of expressions over people, one a line; an error stands
// in the place of the SQL. Generators are shown as the list that they make.
func TestSpell(t *testing.T) {
	datadriven.RunTest(t, "testdata/spell", func(t *testing.T, d *datadriven.TestData) string {
		var out strings.Builder
		for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
			text, err := spellLine(line)
			if err != nil {
				text = "error: " + err.Error()
			}
			out.WriteString(text + "\n")
		}
		return out.String()
	})
}

func spellLine(line string) (string, error) {
	text, err := lex.One("", line)
	if err != nil {
		return "", err
	}
	parsed, err := eslakesql.ParseExpr(text)
	if err != nil {
		return "", err
	}
	b := &binder{columns: map[string]*expr.Column{}}
	for _, f := range tables["people"] {
		b.add(f.Name, f.Type)
	}
	e, err := b.bind(parsed)
	if err != nil {
		return "", err
	}
	if c, ok := e.(*expr.Call); ok && expr.IsGenerator(c.Func) {
		return duck.SpellGenerator(c, duck.Mode{}, false, spellName, noQuery)
	}
	return spell(e)
}
