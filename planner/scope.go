package planner

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// relation is what one item of FROM brings into scope.
type relation struct {
	database string
	name     string // alias, else the table's name; "" for none
	cols     []*expr.Column
	hidden   []*expr.Column // found by name, not by *
}

// scope is the names that an expression may use. Outer scopes are those of the
// queries around a subquery.
type scope struct {
	rels    []relation
	outer   *scope
	search  bool                 // a full-text condition stands in WHERE
	window  *timeWindow          // of the query block, nil for none
	aliases map[string]expr.Expr // of earlier items of the select list; nil where they may not be used
}

// columns returns the visible columns in order.
func (s *scope) columns() []*expr.Column {
	var cols []*expr.Column
	for _, r := range s.rels {
		cols = append(cols, r.cols...)
	}
	return cols
}

func (s *scope) join(o *scope) *scope {
	return &scope{rels: append(append([]relation{}, s.rels...), o.rels...), outer: s.outer}
}

// resolve finds what a name stands for: a column, perhaps of an outer query, and
// the fields of it that the rest of the name walks into.
func (s *scope) resolve(n *expr.Name) (expr.Expr, error) {
	for at := s; at != nil; at = at.outer {
		e, err := at.resolveHere(n)
		if e != nil || err != nil {
			return e, err
		}
	}
	return nil, s.unknown(n)
}

func (s *scope) resolveHere(n *expr.Name) (expr.Expr, error) {
	for _, hidden := range []bool{false, true} {
		found, rest, err := s.find(n, hidden)
		if err != nil {
			return nil, err
		}
		if found != nil {
			return walkFields(found, rest, n.At)
		}
	}
	if e, ok := s.aliases[strings.ToLower(n.Parts[0])]; ok && e != nil {
		return walkFields(e, n.Parts[1:], n.At)
	}
	return nil, nil
}

// find looks a name up as table.column first, then as column.field.
func (s *scope) find(n *expr.Name, hidden bool) (expr.Expr, []string, error) {
	for qualifiers := min(2, len(n.Parts)-1); qualifiers >= 0; qualifiers-- {
		var found []*expr.Column
		for _, r := range s.rels {
			if !r.named(n.Parts[:qualifiers]) {
				continue
			}
			found = append(found, r.column(n.Parts[qualifiers], hidden)...)
		}
		if len(found) > 1 {
			return nil, nil, s.ambiguous(n, found)
		}
		if len(found) == 1 {
			return &expr.Column{Node: expr.Node{At: n.At, T: found[0].T}, ID: found[0].ID, Name: found[0].Name}, n.Parts[qualifiers+1:], nil
		}
	}
	return nil, nil, nil
}

func (r relation) named(qualifier []string) bool {
	switch len(qualifier) {
	case 0:
		return true
	case 1:
		return strings.EqualFold(r.name, qualifier[0])
	default:
		return strings.EqualFold(r.database, qualifier[0]) && strings.EqualFold(r.name, qualifier[1])
	}
}

func (r relation) column(name string, hidden bool) []*expr.Column {
	cols := r.cols
	if hidden {
		cols = r.hidden
	}
	var folded []*expr.Column
	for _, c := range cols {
		if c.Name == name {
			return []*expr.Column{c}
		}
		if strings.EqualFold(c.Name, name) {
			folded = append(folded, c)
		}
	}
	return folded
}

func walkFields(e expr.Expr, fields []string, at lex.Span) (expr.Expr, error) {
	for _, name := range fields {
		next, err := expr.Resolve(&expr.Field{Node: expr.Node{At: at}, X: e, Name: name})
		if err != nil {
			return nil, err
		}
		e = next
	}
	return e, nil
}

func (s *scope) ambiguous(n *expr.Name, found []*expr.Column) error {
	var owners []string
	for _, r := range s.rels {
		for _, c := range r.cols {
			if c.ID == found[0].ID || c.ID == found[1].ID {
				owners = append(owners, row.QuoteName(r.name)+"."+row.QuoteName(c.Name))
			}
		}
	}
	return errorAt(n.At, codeAmbiguous, fmt.Sprintf("column %q is ambiguous", strings.Join(n.Parts, ".")), "write "+strings.Join(owners, " or "))
}

// unknown words the error for a name that nothing has, with the nearest column
// where one is near.
func (s *scope) unknown(n *expr.Name) error {
	last := n.Parts[len(n.Parts)-1]
	var candidates, tables []string
	for at := s; at != nil; at = at.outer {
		for _, r := range at.rels {
			if len(n.Parts) > 1 && !r.named(n.Parts[:len(n.Parts)-1]) {
				continue
			}
			if r.name != "" {
				tables = append(tables, row.QuoteName(r.name))
			}
			for _, c := range r.cols {
				candidates = append(candidates, c.Name)
			}
		}
	}
	message := fmt.Sprintf("%q is not a column", strings.Join(n.Parts, "."))
	if len(tables) > 0 {
		message += " of " + strings.Join(tables, ", ")
	}
	hint := ""
	if near := lex.Near(last, candidates); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return errorAt(n.At, codeColumn, message, hint)
}
