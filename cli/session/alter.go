package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func absent(err error) bool {
	var missing *catalog.NotFoundError
	return errors.As(err, &missing)
}

func (s *Session) alterTable(ctx context.Context, st *sql.AlterTable) (Result, error) {
	db, name := st.Name.Database.Name, st.Name.Table.Name
	err := s.checkDefaults(ctx, st.AddColumns)
	if err != nil {
		return Result{}, err
	}
	if st.RenameTo != nil {
		err = s.rename(st)
	} else {
		err = s.cfg.Catalog.AlterTable(db, name, func(t *catalog.Table) error { return s.change(st, t) })
	}
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	if slices.ContainsFunc(st.AddColumns, func(c sql.ColumnDef) bool { return c.Default != nil }) {
		s.notice("the default is for rows that are written from now on; documents that are there already read as NULL")
	}
	return Result{Message: "ALTER TABLE " + name}, nil
}

func (s *Session) rename(st *sql.AlterTable) error {
	to := st.RenameTo
	if to.Database.Name != "" && !strings.EqualFold(to.Database.Name, st.Name.Database.Name) {
		return &lex.Error{Code: "E2118", Span: to.Span(), Message: "a table keeps its database when it is renamed"}
	}
	return s.cfg.Catalog.RenameTable(st.Name.Database.Name, st.Name.Table.Name, to.Table.Name)
}

func (s *Session) change(st *sql.AlterTable, t *catalog.Table) error {
	t.Options, t.Properties = maps.Clone(t.Options), maps.Clone(t.Properties)
	if t.Options == nil {
		t.Options = map[string]string{}
	}
	if t.Properties == nil {
		t.Properties = map[string]string{}
	}
	for _, o := range st.SetOptions {
		dropOption(t.Options, o.Key.Name)
		t.Options[o.Key.Name] = o.Value.Name
	}
	for _, k := range st.UnsetOptions {
		if !dropOption(t.Options, k.Name) {
			return &lex.Error{Code: "E2120", Span: k.At, Message: fmt.Sprintf("option %s of %s is not set", k.Name, t.Name)}
		}
	}
	maps.Copy(t.Properties, optionMap(st.SetProperties))
	for _, k := range st.UnsetProperties {
		delete(t.Properties, k.Name)
	}
	if len(st.AddColumns) > 0 {
		if err := addColumns(st, t); err != nil {
			return err
		}
	}
	return s.checkOptions(t, st.SetOptions)
}

// dropOption removes an option under whatever spelling it has.
func dropOption(options map[string]string, spelling string) bool {
	want := canonicalKey(spelling)
	found := false
	for k := range options {
		if canonicalKey(k) == want {
			delete(options, k)
			found = true
		}
	}
	return found
}

func addColumns(st *sql.AlterTable, t *catalog.Table) error {
	if t.Columns == nil {
		return &lex.Error{
			Code: "E2118", Span: st.AddColumns[0].Name.At, Message: fmt.Sprintf("%s has the columns of its index, none can be declared besides", t.Name),
			Hint: "a column that is written appears in the index by itself",
		}
	}
	columns := append(row.Schema{}, t.Columns...)
	for _, c := range st.AddColumns {
		if columns.Index(c.Name.Name) >= 0 {
			return &lex.Error{Code: "E2119", Span: c.Name.At, Message: fmt.Sprintf("%s has a column %s already", t.Name, c.Name.Name)}
		}
		f, err := declared(t, c)
		if err != nil {
			return err
		}
		columns = append(columns, f)
	}
	t.Columns = columns
	return nil
}
