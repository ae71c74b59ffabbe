package planner

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// insertion binds INSERT (…) VALUES (…) and INSERT *.
func (m *merging) insertion(w sql.MergeWhen, bind *binding, chosen expr.Expr) (exec.Clause, error) {
	clause := exec.Clause{Action: esds.CreateDoc}
	set, err := m.insertColumns(w)
	if err != nil {
		return clause, err
	}
	given := row.Schema{}
	for _, s := range set {
		a, x, err := m.assign(bind, s.Column, s.Value)
		if err != nil {
			return clause, err
		}
		if given.Index(a.Name) >= 0 {
			return clause, errorAt(s.Column.At, codeArity, fmt.Sprintf("column %s is given twice", a.Name), "")
		}
		given = append(given, row.Field{Name: a.Name, Type: a.Type})
		a = m.value(a, chosen, x)
		if a.Name == m.opts.String("es.mapping.routing") {
			clause.Routing = a.Column
		}
		clause.Set = append(clause.Set, a)
	}
	for _, f := range m.fields {
		if f.NotNull && given.Index(f.Name) < 0 {
			return clause, errorAt(m.st.Table.Span(), codeStore, fmt.Sprintf("column %s is NOT NULL and gets no value in WHEN NOT MATCHED", row.QuoteName(f.Name)), "")
		}
	}
	if id := m.opts.String("es.mapping.id"); id != "" && given.Index(id) < 0 {
		return clause, errorAt(m.st.Table.Span(), codeColumn, fmt.Sprintf("es.mapping.id of %s is %q, which WHEN NOT MATCHED gives no value", m.into.Name, id), "every document needs its id")
	}
	return clause, nil
}

func (m *merging) insertColumns(w sql.MergeWhen) ([]sql.Assignment, error) {
	if w.All {
		return m.allColumns(), nil
	}
	columns := w.Columns
	if columns == nil {
		for _, f := range m.fields {
			columns = append(columns, sql.Ident{Name: f.Name, At: m.st.Table.Span()})
		}
	}
	if len(columns) != len(w.Values) {
		return nil, errorAt(w.Values[0].Span(), codeArity, fmt.Sprintf("%d values for %d columns of %s", len(w.Values), len(columns), m.into.Name), "")
	}
	set := make([]sql.Assignment, len(columns))
	for i, c := range columns {
		set[i] = sql.Assignment{Column: &expr.Name{Node: expr.Node{At: c.At}, Parts: []string{c.Name}}, Value: w.Values[i]}
	}
	for _, f := range m.fields {
		named := slices.ContainsFunc(columns, func(c sql.Ident) bool { return strings.EqualFold(c.Name, f.Name) })
		if f.Default != "" && !named {
			set = append(set, sql.Assignment{Column: &expr.Name{Node: expr.Node{At: m.st.Table.Span()}, Parts: []string{f.Name}}})
		}
	}
	return set, nil
}

// insertWrite says how the new documents are made.
func (m *merging) insertWrite(p *Modify) error {
	inserts := false
	for _, c := range m.clauses {
		inserts = inserts || c.Action == esds.CreateDoc
	}
	if !inserts {
		return nil
	}
	at := m.st.Table.Span()
	index, err := m.opts.Resource(esds.WriteSide)
	if err != nil {
		return Located(err, at)
	}
	if strings.ContainsAny(index, "{*,") {
		return errorAt(at, codeOption, fmt.Sprintf("MERGE cannot insert into %s, which is not one index", index), "es.resource.write names the index for new documents")
	}
	for _, key := range []string{"es.ingest.pipeline", "es.mapping.version", "es.mapping.parent", "es.mapping.join", "es.input.json", "es.update.script.inline"} {
		if m.opts.Has(key) && m.opts.String(key) != "" && m.opts.String(key) != "false" {
			return errorAt(at, codeOption, fmt.Sprintf("MERGE does not insert into a table with %s", key), "INSERT INTO does; MERGE may update and delete")
		}
	}
	opts := DocumentOptions(m.opts)
	for _, key := range []string{"es.mapping.include", "es.mapping.exclude"} {
		if v, ok := m.opts[key]; ok {
			opts[key] = v
		}
	}
	w := esds.Write{Index: index, Action: esds.CreateDoc, Options: opts, IDPrefix: m.jobID + "-"}
	if id := m.opts.String("es.mapping.id"); id != "" {
		w.ID, w.IDPrefix = strings.Join(m.mapped(strings.Split(id, ".")), "."), ""
	}
	p.Changer.Insert = w
	return nil
}
