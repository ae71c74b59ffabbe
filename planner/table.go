package planner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Located gives an error of the catalog or of an option its place in the text;
// other errors, and nil, stay as they are.
func Located(err error, at lex.Span) error {
	var missing *catalog.NotFoundError
	if errors.As(err, &missing) {
		hint := ""
		if missing.Near != "" {
			hint = fmt.Sprintf("did you mean %q?", missing.Near)
		}
		return errorAt(at, codeTable, missing.Error(), hint)
	}
	var exists *catalog.ExistsError
	if errors.As(err, &exists) {
		return errorAt(at, "E2102", exists.Error(), "IF NOT EXISTS leaves it as it is, OR REPLACE puts the new one in its place")
	}
	var option *esds.OptionError
	if errors.As(err, &option) {
		return errorAt(at, codeOption, option.Error(), option.Hint)
	}
	return err
}

// Options returns the checked options of a table of an index: those of the
// session, under those of the table.
func (e *Env) Options(t *catalog.Table) (esds.Options, error) {
	session := map[string]string{}
	for k, v := range e.Settings {
		if key, ok := indexSetting(k); ok {
			session[key] = v
		}
	}
	base, _, err := esds.ParseOptions(session)
	if err != nil {
		return nil, err
	}
	own, notes, err := esds.ParseOptions(t.Options)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		e.notice(n)
	}
	return base.With(own), nil
}

// indexSetting reports whether a SET key is the default of a table option.
func indexSetting(key string) (string, bool) {
	key = strings.TrimPrefix(key, "spark.")
	return key, strings.HasPrefix(key, "es.") || strings.HasPrefix(key, "eslake.")
}

// openTable opens what a table is bound to.
func (b *builder) openTable(t *catalog.Table) (Node, relation, error) {
	if t.Provider != "es" {
		node, err := b.openFile(t.Provider, "", t.Options, t.Columns)
		if err != nil {
			return nil, relation{}, err
		}
		return node, relation{cols: node.Output()}, nil
	}
	opts, err := b.env.Options(t)
	if err != nil {
		return nil, relation{}, err
	}
	resource, err := opts.Resource(esds.ReadSide)
	if err != nil {
		return nil, relation{}, err
	}
	source, err := b.env.Sources.Source(b.ctx, opts)
	if err != nil {
		return nil, relation{}, err
	}
	index, err := source.Open(b.ctx, resource, opts)
	if err != nil {
		err = b.absent(err, t, source, resource)
		gone := noIndex{err: err, schema: b.stagedSchema(err, source, resource, opts)}
		if t.Columns == nil && gone.schema == nil || !errors.Is(err, esds.ErrIndexNotFound) {
			return nil, relation{}, err
		}
		index = gone
	}
	columns, err := readColumns(t, index, opts)
	if err != nil {
		return nil, relation{}, err
	}
	rel := relation{}
	for _, f := range columns {
		rel.cols = append(rel.cols, b.newColumn(f.Name, f.Type))
	}
	for _, f := range esds.Metadata() {
		if columns.Index(f.Name) < 0 {
			rel.hidden = append(rel.hidden, b.newColumn(f.Name, f.Type))
		}
	}
	scan := &Scan{Table: t.Name, Source: source, Resource: resource, Index: index, Presence: opts.String("es.read.field.validate.presence")}
	scan.Cols = append(append(scan.Cols, rel.cols...), rel.hidden...)
	scan.NoPushdown = !opts.Bool("eslake.pushdown")
	if !opts.Bool("es.read.unmapped.fields.ignore") {
		scan.Presence = "ignore" // the documents may have what the mapping lacks
	}
	if opts.Bool("es.output.json") {
		return b.wholeDocuments(scan, rel)
	}
	if opts.Bool("es.read.metadata") {
		return b.withMetadata(scan, rel, opts)
	}
	return scan, rel, nil
}

// readColumns returns the columns of a table: those declared, or those of its
// index. With es.output.json there is one, of text.
func readColumns(t *catalog.Table, index esds.Index, opts esds.Options) (row.Schema, error) {
	switch {
	case opts.Bool("es.output.json") && t.Columns == nil:
		return row.Schema{{Name: documentColumn, Type: row.StringType}}, nil
	case opts.Bool("es.output.json") && (len(t.Columns) != 1 || t.Columns[0].Type.Kind != row.String):
		return nil, &esds.OptionError{Key: "es.output.json", Reason: "needs a table with one STRING column, which holds the document", Hint: "leave out the columns: it is called " + documentColumn + " then"}
	case t.Columns == nil:
		return index.Schema(), nil
	}
	return t.Columns, nil
}

// documentColumn holds whole documents as JSON.
const documentColumn = "_source"

// wholeDocuments puts the document in the place of the table's one column.
func (b *builder) wholeDocuments(scan *Scan, rel relation) (Node, relation, error) {
	out := rel.cols[0]
	if out.Name == documentColumn {
		return scan, rel, nil
	}
	scan.Cols = scan.Cols[1:]
	var items []Item
	for _, c := range scan.Cols {
		items = append(items, Item{Out: c, X: c})
		if c.Name == documentColumn {
			items = append(items, Item{Out: out, X: c})
		}
	}
	return &Project{Input: scan, Items: items}, rel, nil
}

// withMetadata adds the column that es.read.metadata asks for: a map of the
// document's metadata as text.
func (b *builder) withMetadata(scan *Scan, rel relation, opts esds.Options) (Node, relation, error) {
	wanted := []string{"_id", "_index", "_score"}
	if opts.Bool("es.read.metadata.version") {
		wanted = append(wanted, "_version")
	}
	call := &expr.Call{Func: "map"}
	var items []Item
	for _, c := range scan.Cols {
		items = append(items, Item{Out: c, X: c})
	}
	for _, name := range wanted {
		i := schemaOf(rel.hidden).Index(name)
		if i < 0 {
			continue // a column of the table has the name
		}
		key := &expr.Literal{Node: expr.Node{T: row.StringType}, Value: name}
		call.Args = append(call.Args, key, expr.Convert(rel.hidden[i], row.StringType))
	}
	x, err := expr.Resolve(call)
	if err != nil {
		return nil, rel, err
	}
	out := b.newColumn(opts.String("es.read.metadata.field"), x.Type())
	rel.cols = append(rel.cols, out)
	return &Project{Input: scan, Items: append(items, Item{Out: out, X: x})}, rel, nil
}

// noIndex stands for an index that is not there: a plan over it can be made and
// explained, a view of it created; reading it fails.
type noIndex struct {
	err    error
	schema row.Schema // as far as it is known
}

func (n noIndex) Schema() row.Schema                                   { return n.schema }
func (n noIndex) Pushdown(expr.Expr) esds.Pushdown                     { return esds.No }
func (n noIndex) Request(esds.Scan) string                             { return n.err.Error() }
func (n noIndex) Count(context.Context, []expr.Expr) (int64, error)    { return 0, n.err }
func (n noIndex) Estimate(context.Context, []expr.Expr) (int64, error) { return 0, nil }
func (n noIndex) Scan(context.Context, esds.Scan) (row.Reader, error)  { return nil, n.err }

// stagedSchema returns the columns of the index that an overwrite staged and did
// not come to put under its name, nil when there is none, or another error. With
// them the statement can be planned again, and resumed.
func (b *builder) stagedSchema(err error, source esds.Source, resource string, opts esds.Options) row.Schema {
	if !errors.Is(err, esds.ErrIndexNotFound) || strings.ContainsAny(resource, "*,") {
		return nil
	}
	left, err := source.Resolve(b.ctx, esds.StagingPattern(resource))
	if err != nil || len(left.Indices) != 1 {
		return nil
	}
	index, err := source.Open(b.ctx, left.Indices[0], opts)
	if err != nil {
		return nil
	}
	return index.Schema()
}

// absent words the error for a table whose index is not there. An overwrite that
// was killed between taking the old index away and putting the new one there has
// left it under another name.
func (b *builder) absent(err error, t *catalog.Table, source esds.Source, resource string) error {
	var e *esds.Error
	if !errors.Is(err, esds.ErrIndexNotFound) || !errors.As(err, &e) || e.Hint != "" {
		return err
	}
	told := *e
	if strings.ContainsAny(resource, "*,") {
		told.Hint = "no index matches it; es.index.read.missing.as.empty = true reads it as empty"
		return &told
	}
	if left, err := source.Resolve(b.ctx, esds.StagingPattern(resource)); err == nil && len(left.Indices) > 0 {
		told.Hint = fmt.Sprintf("an overwrite of it broke off; its rows are in index %s, perhaps not all: count them, or run the statement again", strings.Join(left.Indices, ", "))
		return &told
	}
	told.Hint = fmt.Sprintf("INSERT INTO %s makes it; es.index.read.missing.as.empty = true reads it as empty", row.QuoteName(t.Name))
	if t.Columns == nil {
		told.Hint = fmt.Sprintf("declare the columns of %s so that INSERT can make the index, or check the resource", row.QuoteName(t.Name))
	}
	return &told
}

// checkPresence deals with columns that are read and that the mapping lacks:
// they read as NULL, which nobody should take for an answer unawares.
func (e *Env) checkPresence(n Node) error {
	var failed error
	each(n, func(n Node) {
		scan, ok := n.(*Scan)
		if !ok || failed != nil || scan.Presence == "ignore" || scan.Index.Schema() == nil {
			return
		}
		for _, c := range scan.Cols {
			if esds.Metadata().Index(c.Name) >= 0 || hasField(scan.Index.Schema(), strings.Split(c.Name, ".")) || scan.Index.Schema().Index(c.Name) >= 0 {
				continue
			}
			message := fmt.Sprintf("the index of %s has no field %s", scan.Table, row.QuoteName(c.Name))
			if scan.Presence == "strict" {
				failed = errorAt(c.At, codeColumn, message, "es.read.field.validate.presence = warn reads it as NULL")
				return
			}
			e.notice(message + "; it reads as NULL")
		}
	})
	return failed
}

// hasField reports whether a path leads through the structs of a schema.
func hasField(s row.Schema, path []string) bool {
	i := s.Index(path[0])
	if i < 0 || len(path) == 1 {
		return i >= 0
	}
	return s[i].Type.Kind == row.Struct && hasField(s[i].Type.Fields, path[1:])
}

// rejectsFormat reads the rows of a rejects file as they were to be written.
const rejectsFormat = "rejects"

// fileTable binds csv.`path` and the like.
func (b *builder) fileTable(t *sql.FileTable) (Node, error) {
	if strings.EqualFold(t.Format.Name, rejectsFormat) {
		return b.rejectedRows(t)
	}
	provider, ok := esds.Provider(t.Format.Name)
	if !ok || provider == "es" {
		return nil, errorAt(t.Format.At, codeTable, fmt.Sprintf("%s is neither a database nor a file format", t.Format.Name), "csv, json and parquet read files, and rejects what a write did not accept")
	}
	node, err := b.openFile(provider, t.Path.Name, nil, nil)
	if err != nil {
		return nil, Located(err, t.Span())
	}
	return node, nil
}

// rejectedRows binds rejects.`path`: the documents of a rejects file, with their
// keys as columns.
func (b *builder) rejectedRows(t *sql.FileTable) (Node, error) {
	node, err := b.openFile(esds.ProviderJSON, t.Path.Name, nil, nil)
	if err != nil {
		return nil, Located(err, t.Span())
	}
	cols := node.Output()
	i := schemaOf(cols).Index("document")
	if i < 0 || cols[i].T.Kind != row.Struct || schemaOf(cols).Index("reason") < 0 {
		return nil, errorAt(t.Span(), codeTable, t.Path.Name+" is no rejects file, or holds no row that came as far as to be a document", "json.`"+t.Path.Name+"` shows what is in it")
	}
	document := cols[i]
	there, err := expr.Resolve(&expr.Call{Func: "isnotnull", Args: []expr.Expr{document}})
	if err != nil {
		return nil, err
	}
	out := &Project{Input: &Filter{Input: node, Cond: there}}
	for _, f := range document.T.Fields {
		x := &expr.Field{Node: expr.Node{T: f.Type}, X: document, Name: f.Name}
		out.Items = append(out.Items, Item{Out: b.newColumn(f.Name, f.Type), X: x})
	}
	return out, nil
}

func (b *builder) openFile(format, path string, raw map[string]string, declared row.Schema) (Node, error) {
	opts, notes, err := esds.ParseFileOptions(format, raw)
	if err != nil {
		return nil, err
	}
	for _, n := range notes {
		b.env.notice(n)
	}
	if path == "" {
		path = opts["path"]
	}
	if zone := b.env.Settings[zoneSetting]; zone != "" && opts["timeZone"] == "" && format != esds.ProviderParquet {
		opts["timeZone"] = zone
	}
	schema := declared
	if schema == nil {
		if schema, err = b.env.Engine.FileSchema(b.ctx, format, path, opts); err != nil {
			return nil, err
		}
	}
	node := &FileScan{Format: format, Path: path, Options: opts, Schema: schema}
	for _, f := range schema {
		node.Cols = append(node.Cols, b.newColumn(f.Name, f.Type))
	}
	return node, nil
}

// keepColumns returns the columns that are needed.
func keepColumns(cols []*expr.Column, needed map[int]bool) []*expr.Column {
	var out []*expr.Column
	for _, c := range cols {
		if needed[c.ID] {
			out = append(out, c)
		}
	}
	return out
}
