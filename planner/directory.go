package planner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// Directory is a planned INSERT OVERWRITE DIRECTORY.
type Directory struct {
	Path   string // absolute
	Format string // csv, json or parquet
	Input  Node   // of one or more text columns, but for parquet
	Names  []string
	Dir    exec.Directory
}

// directoryOptions are the options of each format, in lower case.
var directoryOptions = map[string]string{
	"csv":     "header sep delimiter quote quoteall escape nullvalue emptyvalue dateformat timestampformat compression codec linesep",
	"json":    "dateformat timestampformat ignorenullfields compression codec linesep",
	"parquet": "compression",
}

const (
	defaultDateFormat      = "yyyy-MM-dd"
	defaultTimestampFormat = "yyyy-MM-dd'T'HH:mm:ss.SSSXXX"
)

// PlanDirectory plans INSERT OVERWRITE DIRECTORY.
func PlanDirectory(ctx context.Context, env *Env, st *sql.InsertDirectory) (*Directory, error) {
	d := &Directory{Format: strings.ToLower(st.Provider.Name)}
	known, ok := directoryOptions[d.Format]
	if !ok {
		return nil, errorAt(st.Provider.At, codeOption, fmt.Sprintf("a directory is written USING csv, json or parquet, not %s", st.Provider.Name), "")
	}
	options := map[string]string{}
	for _, o := range st.Options {
		key := strings.ToLower(o.Key.Name)
		if !contains(strings.Fields(known), key) {
			return nil, errorAt(o.Key.At, codeOption, fmt.Sprintf("%s is no option of a %s directory", o.Key.Name, d.Format), "the options are "+strings.Join(strings.Fields(known), ", "))
		}
		if key == "codec" {
			key = "compression"
		}
		options[key] = o.Value.Name
		if err := writtenBy(d.Format, key, o.Value.Name); err != "" {
			return nil, errorAt(o.Value.At, codeOption, fmt.Sprintf("%s = %s: %s", o.Key.Name, o.Value.Name, err), "")
		}
	}
	path := strings.TrimPrefix(strings.TrimPrefix(st.Path.Name, "file:"), "//")
	if strings.Contains(path, "://") {
		return nil, errorAt(st.Path.At, codeOption, fmt.Sprintf("%s is not a local path", st.Path.Name), "write to a local directory, then copy it")
	}
	var err error
	if d.Path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if d.Input, err = PlanQuery(ctx, env, st.Query); err != nil {
		return nil, err
	}
	for _, c := range d.Input.Output() {
		d.Names = append(d.Names, c.Name)
		if err := writable(d.Format, c); err != nil {
			return nil, errorAt(st.Query.At, codeStore, err.Error(), "")
		}
	}
	d.Dir = exec.Directory{Path: d.Path, Format: d.Format, Names: d.Names, Options: options}
	if d.Format == "parquet" {
		return d, nil
	}
	b := newBuilder(ctx, env)
	d.Input, err = b.asText(d.Input, d.Format, options)
	return d, err
}

// writtenBy says why a directory is not written by the value of an option, "" when
// it is.
func writtenBy(format, key, value string) string {
	switch {
	case key == "compression" && format != "parquet" && !contains([]string{"none", "uncompressed", "gzip", "deflate", "zstd", "snappy"}, strings.ToLower(value)):
		return "files of " + format + " are written with none, gzip, deflate, zstd or snappy"
	case key == "linesep" && !slices.Contains([]string{"\n", "\r\n", "\r", `\n`, `\r\n`, `\r`}, value):
		return "lines end with \\n, \\r\\n or \\r"
	case (key == "quoteall" || key == "ignorenullfields" || key == "header") && !strings.EqualFold(value, "true") && !strings.EqualFold(value, "false"):
		return "it is true or false"
	}
	return ""
}

func writable(format string, c *expr.Column) error {
	switch {
	case format == "csv" && (c.T.Nested() || c.T.Kind == row.Binary || c.T.Kind == row.Interval || c.T.Kind == row.Void):
		return fmt.Errorf("CSV has no form for column %s of type %s; cast it to STRING, or to_json(%s)", c.Name, c.T.SQL(), row.QuoteName(c.Name))
	case c.T.Kind == row.Interval || c.T.Kind == row.Void:
		return fmt.Errorf("column %s is of type %s, which %s does not have", c.Name, c.T.SQL(), format)
	}
	return nil
}

// asText makes one text column of each column for CSV, and one of all for JSON.
func (b *builder) asText(n Node, format string, options map[string]string) (Node, error) {
	text := func(s string) expr.Expr { return &expr.Literal{Node: expr.Node{T: row.StringType}, Value: s} }
	pattern := func(key, standard string) string {
		if p, ok := options[key]; ok {
			return p
		}
		return standard
	}
	var items []Item
	var fields []expr.Expr
	for _, c := range n.Output() {
		var x expr.Expr = c
		var err error
		switch c.T.Kind {
		case row.Date:
			x, err = expr.Resolve(&expr.Call{Func: "date_format", Args: []expr.Expr{c, text(pattern("dateformat", defaultDateFormat))}})
		case row.Timestamp, row.TimestampNTZ:
			p := defaultTimestampFormat
			if c.T.Kind == row.TimestampNTZ {
				p = strings.TrimSuffix(p, "XXX")
			}
			x, err = expr.Resolve(&expr.Call{Func: "date_format", Args: []expr.Expr{c, text(pattern("timestampformat", p))}})
		}
		if err != nil {
			return nil, err
		}
		fields = append(fields, text(c.Name), x)
		items = append(items, Item{Out: b.newColumn(c.Name, row.StringType), X: expr.Convert(x, row.StringType)})
	}
	if format == "json" {
		record, err := expr.Resolve(&expr.Call{Func: "named_struct", Args: fields})
		if err != nil {
			return nil, err
		}
		args := []expr.Expr{record}
		if strings.EqualFold(options["ignorenullfields"], "false") {
			nulls, err := expr.Resolve(&expr.Call{Func: "map", Args: []expr.Expr{text("ignoreNullFields"), text("false")}})
			if err != nil {
				return nil, err
			}
			args = append(args, nulls)
		}
		line, err := expr.Resolve(&expr.Call{Func: "to_json", Args: args})
		if err != nil {
			return nil, err
		}
		items = []Item{{Out: b.newColumn("value", row.StringType), X: line}}
	}
	return &Project{Input: n, Items: items}, nil
}

// Run writes the directory and returns the number of rows.
func (d *Directory) Run(ctx context.Context, env *Env) (int64, error) {
	if d.Format != "parquet" {
		return d.Dir.Write(ctx, env.Run(d.Input))
	}
	return d.Dir.Replace(func(folder string) (int64, error) {
		return env.parquet(ctx, d.Input, filepath.Join(folder, "part-00000.parquet"), d.Dir.Options["compression"])
	})
}

// parquet lets the local engine write one file.
func (e *Env) parquet(ctx context.Context, n Node, file, compression string) (int64, error) {
	g, err := e.generator(ctx)
	if err != nil {
		return 0, err
	}
	defer g.close()
	text, err := g.namedResult(n)
	if err != nil {
		return 0, err
	}
	return e.Engine.Copy(ctx, text, file, compression)
}
