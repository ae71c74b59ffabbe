package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// index is an opened resource: the indices as they were when it was opened.
type index struct {
	source   *Source
	resource string
	opts     esds.Options
	members  []*stored
	fields   []esds.Field
}

// Open reads the mappings of a resource.
func (s *Source) Open(ctx context.Context, resource string, opts esds.Options) (esds.Index, error) {
	if base, err := opts.BaseQuery(os.ReadFile); err != nil || base != nil {
		if err == nil {
			err = &esds.OptionError{Key: "es.query", Reason: "the embedded lake has no query DSL", Hint: "put the condition in WHERE"}
		}
		return nil, err
	}
	names, err := s.indexNames(ctx, "describe", resource)
	if errors.Is(err, esds.ErrIndexNotFound) && opts.Bool("es.index.read.missing.as.empty") {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	x := &index{source: s, resource: resource, opts: opts}
	all := map[string][]esds.Field{}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if m := s.indices[name]; m != nil {
			x.members = append(x.members, m)
			all[name] = m.fields
		}
	}
	x.fields = esds.ReadFields(esds.MergeMappings(all), opts)
	return x, nil
}

// Schema returns the columns that the mapping gives.
func (x *index) Schema() row.Schema { return esds.SchemaOf(x.fields) }

// Request returns the query that a scan runs.
func (x *index) Request(s esds.Scan) string {
	text, err := x.query(s)
	if err != nil {
		return err.Error()
	}
	return text
}

// Count returns the number of documents that the filter selects.
func (x *index) Count(ctx context.Context, filter []expr.Expr) (int64, error) {
	text, err := x.query(esds.Scan{Filter: filter})
	if err != nil {
		return 0, err
	}
	return x.count(ctx, "SELECT count(*) FROM ("+text+")")
}

// Estimate returns how many documents there are in all.
func (x *index) Estimate(ctx context.Context, _ []expr.Expr) (int64, error) {
	names := make([]string, len(x.members))
	for i, m := range x.members {
		names[i] = duckdb.Text(m.name)
	}
	if len(names) == 0 {
		return 0, nil
	}
	return x.count(ctx, fmt.Sprintf("SELECT coalesce(sum(estimated_size), 0)::BIGINT FROM duckdb_tables() WHERE database_name = %s AND table_name IN (%s)",
		duckdb.Text(x.source.catalog), strings.Join(names, ", ")))
}

func (x *index) count(ctx context.Context, sql string) (int64, error) {
	c, err := x.source.conn(ctx)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	n, err := c.Count(ctx, sql)
	return n, x.fail(err)
}

// Scan reads documents as rows.
func (x *index) Scan(ctx context.Context, s esds.Scan) (row.Reader, error) {
	text, err := x.query(s)
	if err != nil {
		return nil, err
	}
	want := s.Columns
	if len(want) == 0 {
		want = row.Schema{{Name: "count", Type: row.IntType}}
	}
	r, err := x.source.db.Query(ctx, text, want)
	if err != nil {
		return nil, x.fail(err)
	}
	return &reader{Reader: r, index: x, schema: s.Columns, trace: esds.TraceOf(ctx)}, nil
}

// Relation returns the scan as an item of FROM.
func (x *index) Relation(s esds.Scan) (string, error) {
	text, err := x.query(s)
	return "(" + text + ")", err
}

// reader puts the index's name before errors.
type reader struct {
	row.Reader
	index  *index
	schema row.Schema
	trace  *esds.Trace
}

// Schema returns the columns of the scan.
func (r *reader) Schema() row.Schema { return r.schema }

// Next returns the next batch.
func (r *reader) Next(ctx context.Context) (*row.Batch, error) {
	b, err := r.Reader.Next(ctx)
	if b != nil {
		r.trace.Page(int64(b.Len), 0)
		b.Columns = b.Columns[:len(r.schema)]
	}
	return b, r.index.failRead(err)
}

func (x *index) failRead(err error) error {
	var duck *duckdb.Error
	if errors.As(err, &duck) {
		return x.fail(err)
	}
	return err // io.EOF among others
}

func (x *index) fail(err error) error { return x.source.fail("scan", x.resource, err) }

// query is the SELECT of a scan. Without columns it has a row for each document.
func (x *index) query(s esds.Scan) (string, error) {
	for _, f := range s.Columns {
		if m := esds.Find(x.fields, f.Name); m != nil && m.Clash != "" {
			return "", &esds.Error{Op: "scan", Index: x.resource, Err: fmt.Errorf("the field %s is %s", f.Name, m.Clash), Hint: "select from one of the indices, or leave the column out"}
		}
	}
	parts := make([]string, len(x.members))
	for i, m := range x.members {
		var err error
		if parts[i], err = x.selectFrom(m, s); err != nil {
			return "", err
		}
	}
	text := strings.Join(parts, " UNION ALL ")
	if len(parts) == 0 {
		text = emptySelect(s.Columns)
	}
	if limit := x.limit(s.Limit); limit >= 0 {
		text = fmt.Sprintf("SELECT * FROM (%s) LIMIT %d", text, limit)
	}
	return text, nil
}

// limit is the smaller of the limits of the scan, where 0 is none, and of the
// table; -1 for none.
func (x *index) limit(scan int64) int64 {
	table := int64(x.opts.Int("es.scroll.limit"))
	switch {
	case scan <= 0:
		return max(table, -1)
	case table < 0:
		return scan
	}
	return min(scan, table)
}

func emptySelect(columns row.Schema) string {
	items := []string{}
	for _, f := range columns {
		items = append(items, fmt.Sprintf("NULL::%s AS %s", duckdb.TypeSQL(f.Type), duckdb.Name(f.Name)))
	}
	if len(items) == 0 {
		items = append(items, "1")
	}
	return "SELECT " + strings.Join(items, ", ") + " WHERE false"
}

func (x *index) selectFrom(m *stored, s esds.Scan) (string, error) {
	items := make([]string, 0, len(s.Columns)+1)
	for _, f := range s.Columns {
		items = append(items, x.column(m, f)+" AS "+duckdb.Name(f.Name))
	}
	if len(items) == 0 {
		items = append(items, "1")
	}
	text := "SELECT " + strings.Join(items, ", ") + " FROM " + x.source.table(m.name)
	for i, e := range s.Filter {
		word := " AND "
		if i == 0 {
			word = " WHERE "
		}
		cond, ok := x.predicate(m, e)
		if !ok {
			return "", &esds.Error{Op: "scan", Index: m.name, Err: fmt.Errorf("%s cannot be pushed down", e)}
		}
		text += word + "(" + cond + ")"
	}
	return text, nil
}
