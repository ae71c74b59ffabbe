package planner_test

import (
	"os"
	"strings"
	"testing"

	"github.com/eslake/eslake/sql/expr"
)

// TestUnservedFunctionsAreDocumented holds docs/sql.md to the functions that are
// refused.
func TestUnservedFunctionsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "## Functions")
	for _, name := range expr.UnservedFunctions() {
		if name != "range" && !strings.Contains(list, "`"+name+"`") {
			t.Errorf("docs/sql.md does not say that %s is not served", name)
		}
	}
	for _, name := range expr.FunctionNames() {
		if strings.Contains(list, ": `"+name+"`,") || strings.Contains(list, ", `"+name+"`,") {
			t.Errorf("docs/sql.md says that %s is not served", name)
		}
	}
}
