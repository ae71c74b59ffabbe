package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

var describeColumns = []string{"col_name", "data_type", "comment"}

func (s *Session) describe(ctx context.Context, st *sql.Describe) (Result, error) {
	switch {
	case st.Query != nil:
		plan, err := planner.PlanQuery(ctx, s.env(), st.Query)
		if err != nil {
			return Result{}, err
		}
		return Result{Rows: textRows(describeColumns, describeSchema(planner.Schema(plan)))}, nil
	case st.Table != nil:
		schema, found, err := s.columns(ctx, *st.Table)
		if err != nil {
			return Result{}, err
		}
		rows := describeSchema(schema)
		if st.Extended {
			rows = append(rows, details(found)...)
		}
		return Result{Rows: textRows(describeColumns, rows)}, nil
	default:
		return s.describeFunction(st)
	}
}

func describeSchema(schema row.Schema) [][]any {
	var rows [][]any
	for _, f := range schema {
		var comment any
		if f.Comment != "" {
			comment = f.Comment
		}
		rows = append(rows, []any{f.Name, f.Type.String(), comment})
	}
	return rows
}

// details is what DESCRIBE EXTENDED says besides the columns.
func details(r catalog.Relation) [][]any {
	rows := [][]any{{"", "", nil}, {"# Detailed Table Information", "", nil}}
	add := func(name, value string) {
		if value != "" {
			rows = append(rows, []any{name, value, nil})
		}
	}
	if t := r.Table; t != nil {
		t = t.Redacted()
		add("Database", t.Database)
		add("Table", t.Name)
		add("Created Time", t.Created.Format("2006-01-02T15:04:05Z"))
		add("Type", "EXTERNAL")
		add("Provider", t.Provider)
		add("Comment", t.Comment)
		add("Table Properties", pairList(t.Properties))
		add("Storage Properties", pairList(t.Options))
		return append(rows, defaultRows(t.Columns)...)
	}
	v := r.View.Redacted()
	add("Database", v.Database)
	add("Table", v.Name)
	add("Created Time", v.Created.Format("2006-01-02T15:04:05Z"))
	add("Type", "VIEW")
	add("Comment", v.Comment)
	add("View Text", v.Text)
	add("Table Properties", pairList(v.Properties))
	return rows
}

// defaultRows are the defaults of columns, as DESCRIBE EXTENDED of Spark has them.
func defaultRows(columns row.Schema) [][]any {
	var rows [][]any
	for _, f := range columns {
		if f.Default == "" {
			continue
		}
		if rows == nil {
			rows = [][]any{{"", "", nil}, {"# Column Default Values", "", nil}}
		}
		rows = append(rows, []any{f.Name, f.Type.String(), f.Default})
	}
	return rows
}

func pairList(m map[string]string) string {
	if len(m) == 0 {
		return ""
	}
	parts := make([]string, 0, len(m))
	for _, k := range sortedKeys(m) {
		parts = append(parts, k+"="+m[k])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (s *Session) describeFunction(st *sql.Describe) (Result, error) {
	f, ok := expr.Lookup(strings.ToLower(st.Function.Name))
	if !ok {
		hint := ""
		if near := lex.Near(st.Function.Name, expr.FunctionNames()); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return Result{}, &lex.Error{Code: expr.CodeFunction, Span: st.Function.At, Message: "there is no function " + st.Function.Name, Hint: hint}
	}
	rows := [][]any{{"Function: " + f.Name()}, {"Usage: " + f.Name() + "(" + strings.Join(strings.Fields(f.Args), ", ") + ") - " + f.Doc}}
	return Result{Rows: textRows([]string{"function_desc"}, rows)}, nil
}

func (s *Session) explain(ctx context.Context, st *sql.Explain) (Result, error) {
	text, err := s.explained(ctx, st)
	if err != nil {
		return Result{}, err
	}
	return Result{Rows: textRows([]string{"plan"}, [][]any{{text}})}, nil
}

func (s *Session) explained(ctx context.Context, st *sql.Explain) (string, error) {
	switch inner := st.Statement.(type) {
	case *sql.SelectStmt:
		if st.Extended {
			return planner.ExplainSteps(ctx, s.env(), inner.Query)
		}
		env := s.env()
		plan, err := planner.PlanQuery(ctx, env, inner.Query)
		if err != nil {
			return "", err
		}
		if st.Analyze {
			return planner.Analyze(ctx, env, plan, s.cfg.Now)
		}
		return planner.Explain(plan), nil
	case *sql.Insert:
		if st.Analyze {
			return "", &lex.Error{Code: "E2118", Span: st.Span(), Message: "EXPLAIN ANALYZE runs a query, it writes nothing", Hint: "EXPLAIN shows the plan of an INSERT"}
		}
		plan, err := planner.PlanInsert(ctx, s.env(), inner, s.jobID())
		if err != nil {
			return "", err
		}
		return plan.String() + "\n" + planner.Explain(plan.Input), nil
	case *sql.Update, *sql.Delete, *sql.Merge:
		if st.Analyze {
			return "", &lex.Error{Code: "E2118", Span: st.Span(), Message: "EXPLAIN ANALYZE runs a query, it writes nothing", Hint: "EXPLAIN shows the plan"}
		}
		plan, err := s.planChange(ctx, inner, s.jobID())
		if err != nil {
			return "", err
		}
		return plan.String() + "\n" + planner.Explain(plan.Input), nil
	case *sql.InsertDirectory:
		return s.explainedDirectory(ctx, st, inner)
	default:
		return "", &lex.Error{Code: "E2118", Span: st.Span(), Message: "EXPLAIN takes a query, INSERT, UPDATE, DELETE or MERGE"}
	}
}

func (s *Session) explainedDirectory(ctx context.Context, st *sql.Explain, inner *sql.InsertDirectory) (string, error) {
	if st.Analyze {
		return "", &lex.Error{Code: "E2118", Span: st.Span(), Message: "EXPLAIN ANALYZE runs a query, it writes nothing", Hint: "EXPLAIN shows the plan of an INSERT"}
	}
	plan, err := planner.PlanDirectory(ctx, s.env(), inner)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("InsertDirectory %s (%s)\n%s", plan.Path, plan.Format, planner.Explain(plan.Input)), nil
}

// database runs CREATE DATABASE, DROP DATABASE and USE.
func (s *Session) database(st sql.Statement) (Result, error) {
	switch st := st.(type) {
	case *sql.CreateDatabase:
		d := catalog.Database{Name: st.Name.Name, Comment: st.Comment, Created: s.cfg.Now().UTC()}
		done, err := s.cfg.Catalog.CreateDatabase(d, st.IfNotExists)
		if err == nil && !done {
			return Result{Message: fmt.Sprintf("NOTICE: database %s exists, nothing changed", d.Name)}, nil
		}
		return Result{Message: "CREATE DATABASE " + d.Name}, planner.Located(err, st.Name.At)
	case *sql.DropDatabase:
		err := s.cfg.Catalog.DropDatabase(st.Name.Name, st.Cascade)
		if absent(err) && st.IfExists {
			return Result{Message: fmt.Sprintf("NOTICE: there is no database %s, nothing changed", st.Name.Name)}, nil
		}
		return Result{Message: "DROP DATABASE " + st.Name.Name}, planner.Located(err, st.Name.At)
	case *sql.Use:
		return Result{Message: "USE " + st.Name.Name}, planner.Located(s.cfg.Catalog.Use(st.Name.Name), st.Name.At)
	}
	return Result{}, later(st)
}
