package sql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// TestRespell shows what sqlparser is given for an expression, and the tree that
// comes back, every operation between parentheses.
func TestRespell(t *testing.T) {
	datadriven.RunTest(t, "testdata/respell", func(t *testing.T, d *datadriven.TestData) string {
		text, err := lex.One("", d.Input)
		if err != nil {
			t.Fatal(err)
		}
		p := newParser(text)
		s := p.speller()
		operands := []int{s.item("")}
		p.atEnd()
		list := s.finish(operands)
		if p.err != nil {
			return lex.Render(p.err, []byte(d.Input))
		}
		return string(s.out) + "\n" + tree(list[0]) + "\n"
	})
}

// tree writes an expression with all its structure: (func args…).
func tree(e expr.Expr) string {
	name := ""
	switch e := e.(type) {
	case *expr.Call:
		name = e.Func
	case *expr.Field:
		name = "." + e.Name
	case *expr.Index:
		name = "[]"
	case *expr.Case:
		name = "case"
	case *expr.Cast:
		name = "cast:" + e.T.String()
	case *expr.Lambda:
		name = strings.Join(e.Params, ",") + " ->"
	case *expr.Subquery:
		if e.X == nil {
			return fmt.Sprintf("(query %s)", e.Query)
		}
		return fmt.Sprintf("(in %s (query %s))", tree(e.X), e.Query)
	default:
		return e.String()
	}
	parts := []string{name}
	for _, c := range expr.Children(e) {
		parts = append(parts, tree(c))
	}
	return "(" + strings.Join(parts, " ") + ")"
}

// TestSpans shows the text that each node of an expression spans.
func TestSpans(t *testing.T) {
	datadriven.RunTest(t, "testdata/spans", func(t *testing.T, d *datadriven.TestData) string {
		text, err := lex.One("", d.Input)
		if err != nil {
			return err.Error()
		}
		e, err := ParseExpr(text)
		if err != nil {
			return err.Error()
		}
		var b strings.Builder
		expr.Walk(e, func(e expr.Expr) bool {
			at := e.Span()
			fmt.Fprintf(&b, "%d:%d %s\n", at.Line, at.Column, d.Input[at.Start:at.End])
			return true
		})
		return b.String()
	})
}

// TestLiterals shows the type and value of literals.
func TestLiterals(t *testing.T) {
	datadriven.RunTest(t, "testdata/literals", func(t *testing.T, d *datadriven.TestData) string {
		var b strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			text, err := lex.One("", line)
			if err != nil {
				return err.Error()
			}
			e, err := ParseExpr(text)
			if err != nil {
				fmt.Fprintf(&b, "%s\n", err)
				continue
			}
			l, ok := e.(*expr.Literal)
			if !ok {
				fmt.Fprintf(&b, "%s, no literal\n", e)
				continue
			}
			fmt.Fprintf(&b, "%s  %s  %#v\n", l, l.T, l.Value)
		}
		return b.String()
	})
}
