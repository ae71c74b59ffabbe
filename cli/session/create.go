package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

func (s *Session) createTable(ctx context.Context, st *sql.CreateTable) (Result, error) {
	t, err := s.bind(ctx, st.Name, st.Provider, st.Options, st.Columns)
	if err != nil {
		return Result{}, err
	}
	t.Comment, t.Properties = st.Comment, optionMap(st.Properties)
	switch done, err := s.exists(st, t); {
	case err != nil:
		return Result{}, err
	case done:
		return Result{Message: fmt.Sprintf("NOTICE: table %s exists, nothing changed", t.Name)}, nil
	}
	if st.As != nil {
		return s.createAs(ctx, st, t)
	}
	if t.Columns == nil { // as in Spark, the schema is looked up now, so a wrong name shows at once
		if err := s.discover(ctx, t); err != nil {
			return Result{}, planner.Located(err, st.Name.Span())
		}
	}
	if _, err := s.cfg.Catalog.CreateTable(t, st.Replace, st.IfNotExists); err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	return Result{Message: s.created(t)}, nil
}

// discover looks the columns of a table up. A wildcard may match nothing yet.
func (s *Session) discover(ctx context.Context, t *catalog.Table) error {
	_, err := planner.TableSchema(ctx, s.env(), t)
	if name := t.Options["resource"]; errors.Is(err, esds.ErrIndexNotFound) && strings.ContainsAny(name, "*,") {
		s.notice(fmt.Sprintf("no index matches %s yet", name))
		return nil
	}
	return err
}

// exists reports whether IF NOT EXISTS makes the statement do nothing. That a
// table is in the way is found before anything is read or written.
func (s *Session) exists(st *sql.CreateTable, t *catalog.Table) (bool, error) {
	if st.Replace {
		return false, nil
	}
	found, err := s.cfg.Catalog.Tables(t.Database, "")
	if err != nil {
		return false, err
	}
	for _, other := range found {
		if !strings.EqualFold(other.Name, t.Name) {
			continue
		}
		if st.IfNotExists {
			return true, nil
		}
		return false, planner.Located(&catalog.ExistsError{Kind: "table", Name: other.Name}, st.Name.Span())
	}
	return false, nil
}

// createAs makes the table with the query's columns, then writes its rows. The
// index must be empty or absent, as in Spark.
func (s *Session) createAs(ctx context.Context, st *sql.CreateTable, t *catalog.Table) (Result, error) {
	if t.Provider != esds.ProviderES {
		return Result{}, &lex.Error{Code: "E2118", Span: st.Provider.At, Message: "CREATE TABLE … AS SELECT writes tables of provider es only"}
	}
	plan, err := planner.PlanQuery(ctx, s.env(), st.As)
	if err != nil {
		return Result{}, err
	}
	if t.Columns == nil {
		t.Columns = planner.Schema(plan)
		for i := range t.Columns {
			if t.Columns[i].Type.Kind == row.Void {
				t.Columns[i].Type = row.StringType
			}
		}
		if err := checkColumns(t.Columns, st.Name.Span()); err != nil {
			return Result{}, err
		}
	}
	if err := s.emptyTarget(ctx, t, st.Name.Span()); err != nil {
		return Result{}, err
	}
	if _, err := s.cfg.Catalog.CreateTable(t, st.Replace, st.IfNotExists); err != nil {
		return Result{}, planner.Located(err, st.Name.Span())
	}
	res, err := s.insert(ctx, &sql.Insert{Table: st.Name, Query: st.As})
	if opts, e := s.env().Options(t); e == nil && s.dry(opts) && !st.Replace {
		return res, errors.Join(err, s.cfg.Catalog.DropTable(st.Name.Database.Name, t.Name))
	}
	var stopped *exec.StoppedError
	if errors.As(err, &stopped) && stopped.Written == 0 && !stopped.Made && !st.Replace {
		return res, errors.Join(err, s.cfg.Catalog.DropTable(st.Name.Database.Name, t.Name))
	}
	res.Message = strings.TrimSpace(s.created(t) + "\n" + res.Message)
	return res, err
}

// emptyTarget refuses an index that holds documents.
func (s *Session) emptyTarget(ctx context.Context, t *catalog.Table, at lex.Span) error {
	opts, err := s.env().Options(t)
	if err != nil {
		return planner.Located(err, at)
	}
	name, err := opts.Resource(esds.WriteSide)
	if err != nil {
		return planner.Located(err, at)
	}
	source, err := s.cfg.Sources.Source(ctx, opts)
	if err != nil {
		return err
	}
	found, err := source.Resolve(ctx, name)
	if err != nil || found.Kind == esds.Absent {
		return err
	}
	n, err := source.Count(ctx, name)
	if err == nil && n > 0 {
		return &lex.Error{
			Code: "E2102", Span: at, Message: fmt.Sprintf("index %s holds %s documents already", name, thousands(n)),
			Hint: "CREATE TABLE without AS binds to it; then INSERT INTO or INSERT OVERWRITE",
		}
	}
	return err
}

// bind checks what a CREATE TABLE or a temporary view USING says.
func (s *Session) bind(ctx context.Context, name sql.TableName, provider sql.Ident, options []sql.Option, columns []sql.ColumnDef) (*catalog.Table, error) {
	if provider.Name == "" {
		return nil, &lex.Error{
			Code: "E2103", Span: name.Span(), Message: "USING is missing: a table is bound to a provider",
			Hint: "USING es OPTIONS (resource 'index')",
		}
	}
	if err := esds.ProviderError(provider.Name); err != nil {
		return nil, planner.Located(err, provider.At)
	}
	canonical, _ := esds.Provider(provider.Name)
	t := &catalog.Table{
		Database: name.Database.Name, Name: name.Table.Name, Provider: canonical, As: provider.Name,
		Options: optionMap(options), Created: s.cfg.Now().UTC(),
	}
	if err := s.checkDefaults(ctx, columns); err != nil {
		return nil, err
	}
	for _, c := range columns {
		f, err := declared(t, c)
		if err != nil {
			return nil, err
		}
		t.Columns = append(t.Columns, f)
	}
	for i, c := range columns {
		if t.Columns[:i].Index(c.Name.Name) >= 0 {
			return nil, &lex.Error{Code: "E2119", Span: c.Name.At, Message: fmt.Sprintf("column %s is declared twice (case does not count)", c.Name.Name)}
		}
	}
	if err := s.checkOptions(t, options); err != nil {
		return nil, err
	}
	return t, nil
}

func checkColumns(columns row.Schema, at lex.Span) error {
	for i, c := range columns {
		if columns[:i].Index(c.Name) >= 0 {
			return &lex.Error{Code: "E2119", Span: at, Message: fmt.Sprintf("column %s comes twice (case does not count)", c.Name), Hint: "give one of them another name with AS"}
		}
	}
	return nil
}

func optionMap(options []sql.Option) map[string]string {
	m := map[string]string{}
	for _, o := range options {
		m[o.Key.Name] = o.Value.Name
	}
	return m
}

// checkOptions checks keys and values where they are given, and puts the error
// under the key.
func (s *Session) checkOptions(t *catalog.Table, options []sql.Option) error {
	if t.Provider != esds.ProviderES {
		opts, notes, err := esds.ParseFileOptions(t.Provider, t.Options)
		if err != nil {
			return atOption(err, options)
		}
		for _, n := range notes {
			s.notice(n)
		}
		if opts["path"] == "" {
			return planner.Located(&esds.OptionError{Key: "path", Reason: "is missing", Hint: "OPTIONS (path 'file') names the files"}, lex.Span{})
		}
		return nil
	}
	opts, notes, err := esds.ParseOptions(t.Options)
	if err != nil {
		return atOption(err, options)
	}
	for _, n := range notes {
		s.notice(n)
	}
	if _, err := opts.Resource(esds.BothSides); err != nil {
		return atOption(err, options)
	}
	id := opts.String("es.mapping.id")
	if opts.Bool("es.input.json") || strings.HasPrefix(id, "<") { // a field of the document, a constant
		return nil
	}
	if id != "" && t.Columns != nil && t.Columns.Index(id) < 0 {
		hint := "the columns are " + strings.Join(t.Columns.Names(), ", ")
		if near := lex.Near(id, t.Columns.Names()); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return atOption(&esds.OptionError{Key: "es.mapping.id", Value: id, Reason: "names a column that the table does not have", Hint: hint}, options)
	}
	return nil
}

// atOption locates an error of an option under its key in the text.
func atOption(err error, options []sql.Option) error {
	located := planner.Located(err, lex.Span{})
	e, ok := located.(*lex.Error) //nolint:errorlint // just made
	if !ok || len(options) == 0 {
		return err
	}
	e.Span = options[0].Key.At.To(options[len(options)-1].Value.At)
	bad, _ := err.(*esds.OptionError) //nolint:errorlint // made by esds, never wrapped
	for _, o := range options {
		key, known := esds.OptionKey(o.Key.Name)
		if bad != nil && (strings.EqualFold(o.Key.Name, bad.Key) || known == nil && key == bad.Key) {
			e.Span = o.Key.At
			if bad.Value != "" && o.Value.Name == bad.Value {
				e.Span = o.Value.At
			}
		}
	}
	return e
}

// created says what a new table is bound to.
func (s *Session) created(t *catalog.Table) string {
	columns := "columns of the index"
	if t.Columns != nil {
		columns = fmt.Sprintf("%d columns", len(t.Columns))
		if len(t.Columns) == 1 {
			columns = "1 column"
		}
	}
	if t.Provider != esds.ProviderES {
		path := ""
		if opts, _, err := esds.ParseFileOptions(t.Provider, t.Options); err == nil {
			path = opts["path"]
		}
		return fmt.Sprintf("CREATE TABLE %s -> %s files %s", t.Name, t.Provider, path)
	}
	opts, _, err := esds.ParseOptions(t.Options)
	if err != nil {
		return "CREATE TABLE " + t.Name
	}
	name, _ := opts.Resource(esds.BothSides)
	return fmt.Sprintf("CREATE TABLE %s -> index %s (%s)", t.Name, name, columns)
}
