package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func (s *Session) show(ctx context.Context, st *sql.Show) (Result, error) {
	switch st.Kind {
	case sql.ShowTables:
		return s.showTables(st)
	case sql.ShowViews:
		return s.showViews(st)
	case sql.ShowDatabases:
		list, err := s.cfg.Catalog.Databases(st.Like)
		var rows [][]any
		for _, d := range list {
			rows = append(rows, []any{d.Name})
		}
		return Result{Rows: textRows([]string{"namespace"}, rows)}, err
	case sql.ShowColumns:
		schema, _, err := s.columns(ctx, st.Table)
		var rows [][]any
		for _, f := range schema {
			rows = append(rows, []any{f.Name})
		}
		return Result{Rows: textRows([]string{"col_name"}, rows)}, err
	case sql.ShowCreateTable:
		return s.showCreate(st)
	case sql.ShowFunctions:
		var rows [][]any
		for _, name := range expr.FunctionNames() {
			if catalog.Match(st.Like, name) {
				rows = append(rows, []any{name})
			}
		}
		return Result{Rows: textRows([]string{"function"}, rows)}, nil
	case sql.ShowJobs:
		return s.showJobs()
	default:
		return Result{}, &lex.Error{Code: "E2190", Span: st.Span(), Message: fmt.Sprintf("SHOW %s is not supported yet", st.Kind)}
	}
}

func (s *Session) showTables(st *sql.Show) (Result, error) {
	tables, err := s.cfg.Catalog.Tables(st.Database.Name, st.Like)
	if err != nil {
		return Result{}, planner.Located(err, st.Database.At)
	}
	views, err := s.cfg.Catalog.Views(st.Database.Name, st.Like)
	if err != nil {
		return Result{}, err
	}
	var rows [][]any
	for _, t := range tables {
		rows = append(rows, []any{t.Database, t.Name, false})
	}
	for _, v := range views {
		rows = append(rows, []any{v.Database, v.Name, false})
	}
	for _, r := range s.cfg.Catalog.Temp(st.Like) {
		rows = append(rows, []any{"", relationName(r), true})
	}
	return Result{Rows: textRows([]string{"namespace", "tableName", "isTemporary"}, rows)}, nil
}

func (s *Session) showViews(st *sql.Show) (Result, error) {
	views, err := s.cfg.Catalog.Views(st.Database.Name, st.Like)
	if err != nil {
		return Result{}, planner.Located(err, st.Database.At)
	}
	var rows [][]any
	for _, v := range views {
		rows = append(rows, []any{v.Database, v.Name, false})
	}
	for _, r := range s.cfg.Catalog.Temp(st.Like) {
		rows = append(rows, []any{"", relationName(r), true})
	}
	return Result{Rows: textRows([]string{"namespace", "viewName", "isTemporary"}, rows)}, nil
}

func relationName(r catalog.Relation) string {
	if r.Table != nil {
		return r.Table.Name
	}
	return r.View.Name
}

// columns returns the columns of a table or view, and what it is.
func (s *Session) columns(ctx context.Context, name sql.TableName) (row.Schema, catalog.Relation, error) {
	found, err := s.cfg.Catalog.Lookup(name.Database.Name, name.Table.Name)
	if err != nil {
		return nil, found, planner.Located(err, name.Span())
	}
	if found.Table != nil {
		schema, err := planner.TableSchema(ctx, s.env(), found.Table)
		return schema, found, err
	}
	q := &sql.Query{Body: &sql.Table{Name: name}}
	plan, err := planner.PlanQuery(ctx, s.env(), q)
	if err != nil {
		return nil, found, err
	}
	schema := planner.Schema(plan)
	for i, c := range found.View.Columns {
		schema[i].Comment = c.Comment
	}
	return schema, found, nil
}

// showCreate prints the statement that makes a table or view again, secrets
// hidden.
func (s *Session) showCreate(st *sql.Show) (Result, error) {
	found, err := s.cfg.Catalog.Lookup(st.Table.Database.Name, st.Table.Table.Name)
	if err != nil {
		return Result{}, planner.Located(err, st.Table.Span())
	}
	text := ""
	if found.Table != nil {
		text = createTableText(found.Table.Redacted())
	} else {
		text = createViewText(found.View.Redacted())
	}
	return Result{Rows: textRows([]string{"createtab_stmt"}, [][]any{{text}})}, nil
}

func createTableText(t *catalog.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s.%s", row.QuoteName(t.Database), row.QuoteName(t.Name))
	if t.Columns != nil {
		parts := make([]string, len(t.Columns))
		for i, f := range t.Columns {
			parts[i] = "  " + columnText(f)
		}
		fmt.Fprintf(&b, " (\n%s)", strings.Join(parts, ",\n"))
	}
	provider := t.As
	if provider == "" {
		provider = t.Provider
	}
	fmt.Fprintf(&b, "\nUSING %s", provider)
	writePairs(&b, "OPTIONS", t.Options)
	if t.Comment != "" {
		fmt.Fprintf(&b, "\nCOMMENT %s", lex.QuoteString(t.Comment))
	}
	writePairs(&b, "TBLPROPERTIES", t.Properties)
	return b.String()
}

func columnText(f row.Field) string {
	text := row.QuoteName(f.Name) + " " + f.Type.SQL()
	if f.NotNull {
		text += " NOT NULL"
	}
	if f.Default != "" {
		text += " DEFAULT " + f.Default
	}
	if f.Comment != "" {
		text += " COMMENT " + lex.QuoteString(f.Comment)
	}
	return text
}

func writePairs(b *strings.Builder, word string, pairs map[string]string) {
	if len(pairs) == 0 {
		return
	}
	var parts []string
	for _, k := range sortedKeys(pairs) {
		parts = append(parts, fmt.Sprintf("  %s = %s", lex.QuoteString(k), lex.QuoteString(pairs[k])))
	}
	fmt.Fprintf(b, "\n%s (\n%s)", word, strings.Join(parts, ",\n"))
}

func createViewText(v *catalog.View) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE VIEW %s.%s", row.QuoteName(v.Database), row.QuoteName(v.Name))
	if v.Temporary {
		b.Reset()
		fmt.Fprintf(&b, "CREATE TEMPORARY VIEW %s", row.QuoteName(v.Name))
	}
	if len(v.Columns) > 0 {
		parts := make([]string, len(v.Columns))
		for i, c := range v.Columns {
			parts[i] = row.QuoteName(c.Name)
			if c.Comment != "" {
				parts[i] += " COMMENT " + lex.QuoteString(c.Comment)
			}
		}
		fmt.Fprintf(&b, " (%s)", strings.Join(parts, ", "))
	}
	if v.Comment != "" {
		fmt.Fprintf(&b, " COMMENT %s", lex.QuoteString(v.Comment))
	}
	writePairs(&b, "TBLPROPERTIES", v.Properties)
	fmt.Fprintf(&b, " AS\n%s", v.Text)
	return b.String()
}
