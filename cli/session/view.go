package session

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func (s *Session) createView(ctx context.Context, st *sql.CreateView) (Result, error) {
	rel, err := s.viewRelation(ctx, st)
	if err != nil {
		return Result{}, err
	}
	done, err := s.addView(st, rel)
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	if !done {
		return Result{Message: fmt.Sprintf("NOTICE: view %s exists, nothing changed", st.Name.Table.Name)}, nil
	}
	return Result{Message: "CREATE VIEW " + st.Name.Table.Name}, nil
}

// viewRelation checks what a view is made of: a provider's files or index, or a
// query.
func (s *Session) viewRelation(ctx context.Context, st *sql.CreateView) (catalog.Relation, error) {
	if st.Provider.Name != "" {
		t, err := s.bind(ctx, st.Name, st.Provider, st.Options, st.Columns)
		return catalog.Relation{Table: t}, err
	}
	plan, err := planner.PlanQuery(ctx, s.env(), st.Query)
	if err != nil {
		return catalog.Relation{}, err
	}
	v := &catalog.View{
		Database: st.Name.Database.Name, Name: st.Name.Table.Name, Text: st.Text, Comment: st.Comment,
		Properties: optionMap(st.Properties), Created: s.cfg.Now().UTC(),
	}
	if st.Temporary || v.Database == "" {
		v.Database = s.cfg.Catalog.Current()
	}
	for _, c := range st.Columns {
		v.Columns = append(v.Columns, catalog.ViewColumn{Name: c.Name.Name, Comment: c.Comment})
	}
	return catalog.Relation{View: v}, checkViewColumns(v, planner.Schema(plan), st.Name.Span())
}

func checkViewColumns(v *catalog.View, schema row.Schema, at lex.Span) error {
	switch n := len(v.Columns); n {
	case 0:
		return checkColumns(schema, at)
	case len(schema):
		return nil
	default:
		return &lex.Error{Code: "E2108", Span: at, Message: fmt.Sprintf("view %s names %d columns, its query has %d", v.Name, n, len(schema))}
	}
}

func (s *Session) addView(st *sql.CreateView, rel catalog.Relation) (bool, error) {
	if st.Temporary {
		return s.cfg.Catalog.CreateTemp(rel, st.Replace, st.IfNotExists)
	}
	return s.cfg.Catalog.CreateView(rel.View, st.Replace, st.IfNotExists)
}

func (s *Session) dropView(st *sql.DropView) (Result, error) {
	err := s.cfg.Catalog.DropView(st.Name.Database.Name, st.Name.Table.Name)
	if absent(err) && st.IfExists {
		return Result{Message: fmt.Sprintf("NOTICE: there is no view %s, nothing changed", st.Name.Table.Name)}, nil
	}
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	return Result{Message: "DROP VIEW " + st.Name.Table.Name}, nil
}

func (s *Session) dropTable(ctx context.Context, st *sql.DropTable) (Result, error) {
	t, err := s.cfg.Catalog.Table(st.Name.Database.Name, st.Name.Table.Name)
	if absent(err) {
		if res, was := s.dropped(st); was {
			return res, nil
		}
	}
	if absent(err) && st.IfExists {
		return Result{Message: fmt.Sprintf("NOTICE: there is no table %s, nothing changed", st.Name.Table.Name)}, nil
	}
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	message := "DROP TABLE " + t.Name
	var journal *job.Journal
	if t.Provider == esds.ProviderES {
		if opts, err := s.env().Options(t); err == nil && st.Purge && s.dry(opts) {
			return s.rehearsedPurge(ctx, t, opts)
		}
		told, saved, err := s.purge(ctx, t, st)
		if err != nil {
			return Result{}, err
		}
		message, journal = message+told, saved
	}
	if err := s.cfg.Catalog.DropTable(st.Name.Database.Name, t.Name); err != nil {
		if journal != nil {
			s.finish(journal, job.Outcome{Error: err.Error()})
		}
		return Result{}, planner.Located(err, st.Name.Span())
	}
	if journal != nil {
		message += takesBack(journal.ID())
		s.finish(journal, job.Outcome{Message: message})
	}
	return Result{Message: message}, nil
}

func (s *Session) refresh(ctx context.Context, st *sql.RefreshTable) (Result, error) {
	t, err := s.cfg.Catalog.Table(st.Name.Database.Name, st.Name.Table.Name)
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	if t.Provider != esds.ProviderES {
		return Result{Message: "REFRESH TABLE " + t.Name}, nil
	}
	opts, err := s.env().Options(t)
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	name, err := opts.Resource(esds.ReadSide)
	if err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err != nil {
		return Result{}, err
	}
	if err := source.Refresh(ctx, name); err != nil {
		return Result{}, err
	}
	return Result{Message: "REFRESH TABLE " + t.Name}, nil
}
