package local

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

func endOf(err error) error {
	if row.Ended(err) {
		return nil
	}
	return err
}

// stage loads rows that change documents into a temporary table.
func (t *transaction) stage(ctx context.Context, load *loader) error {
	parts := make([]string, 0, len(load.out))
	for _, f := range load.out {
		parts = append(parts, duckdb.Name(f.Name)+" "+duckdb.TypeSQL(f.Type))
	}
	if err := t.exec(ctx, "CREATE TEMP TABLE staged ("+strings.Join(parts, ", ")+")"); err != nil {
		return err
	}
	_, err := t.conn.Append(ctx, "staged", load)
	return err
}

// merge applies the staged rows.
func (t *transaction) merge(ctx context.Context, load *loader) error {
	if t.write.Action == esds.DeleteDoc {
		return t.delete(ctx)
	}
	if t.write.Action == esds.UpdateDoc {
		if err := t.refuseMissing(ctx); err != nil {
			return err
		}
	}
	if err := t.gather(ctx, load); err != nil {
		return err
	}
	if err := t.update(ctx, load); err != nil {
		return err
	}
	if t.write.Action == esds.UpsertDoc {
		return t.insert(ctx, load)
	}
	return nil
}

func (t *transaction) delete(ctx context.Context) error {
	staged, err := t.count(ctx, "SELECT count(*) FROM staged")
	if err != nil {
		return err
	}
	t.report.Deleted, err = t.count(ctx, "DELETE FROM %s WHERE _id IN (SELECT _id FROM staged)", t.table)
	t.report.Noop = staged - t.report.Deleted
	return err
}

// refuseMissing takes the rows of an update out whose documents are not there.
func (t *transaction) refuseMissing(ctx context.Context) error {
	missing := fmt.Sprintf("_id NOT IN (SELECT _id FROM %s)", t.table)
	document := (&stored{columns: t.stagedColumns()}).document()
	err := t.rejectEach(ctx, "SELECT _seq_no, _id, "+document+" FROM staged WHERE "+missing+" ORDER BY _seq_no",
		http.StatusNotFound, "document_missing_exception", "[%s]: document missing")
	if err != nil {
		return err
	}
	return t.exec(ctx, "DELETE FROM staged WHERE "+missing)
}

func (t *transaction) stagedColumns() (columns row.Schema) {
	for _, f := range t.target.columns {
		if t.given[f.Name] {
			columns = append(columns, f)
		}
	}
	return columns
}

// gather makes one row of all that concern one document: a later value wins, a
// NULL leaves the value before unless NULLs are to be written. Rows that are the
// only ones of their document stay where they are.
func (t *transaction) gather(ctx context.Context, load *loader) error {
	one := []string{"_id", "1::BIGINT AS _eslake_n", "_seq_no AS _eslake_last", "_null"}
	several := []string{"_id", "count(*) AS _eslake_n", "max(_seq_no) AS _eslake_last", "arg_max(_null, _seq_no) AS _null"}
	for _, f := range load.out[len(hidden):] {
		one = append(one, duckdb.Name(f.Name))
		several = append(several, t.latest(duckdb.Name(f.Name), f.Type)+" AS "+duckdb.Name(f.Name))
	}
	n, err := t.count(ctx, "CREATE TEMP TABLE repeated AS SELECT _id FROM staged GROUP BY _id HAVING count(*) > 1")
	if err != nil {
		return err
	}
	single := "SELECT " + strings.Join(one, ", ") + " FROM staged"
	if n == 0 {
		return t.exec(ctx, "CREATE TEMP VIEW gathered AS "+single)
	}
	err = t.exec(ctx, "CREATE TEMP TABLE joined AS SELECT "+strings.Join(several, ", ")+" FROM staged WHERE _id IN (SELECT _id FROM repeated) GROUP BY _id")
	if err != nil {
		return err
	}
	return t.exec(ctx, "CREATE TEMP VIEW gathered AS "+single+" WHERE _id NOT IN (SELECT _id FROM repeated) UNION ALL SELECT * FROM joined")
}

func (t *transaction) writeNull() bool { return t.write.Options.Bool("es.spark.dataframe.write.null") }

func (t *transaction) latest(x string, typ row.Type) string {
	if t.writeNull() {
		return "arg_max_null(" + x + ", _seq_no)"
	}
	if typ.Kind != row.Struct {
		return "arg_max(" + x + ", _seq_no)"
	}
	parts := make([]string, len(typ.Fields))
	for i, f := range typ.Fields {
		parts[i] = duckdb.Name(f.Name) + " := " + t.latest(fmt.Sprintf("struct_extract(%s, %s)", x, duckdb.Text(f.Name)), f.Type)
	}
	return fmt.Sprintf("CASE WHEN count(%s) > 0 THEN struct_pack(%s) END", x, strings.Join(parts, ", "))
}

// merged spells the value of a document after the change: objects are merged,
// anything else is replaced, and what the rows do not have is kept.
func (t *transaction) merged(before, after string, f filler) string {
	switch {
	case f.empty():
		return before
	case f.typ.Kind != row.Struct && t.writeNull():
		return after
	case f.typ.Kind != row.Struct:
		return "coalesce(" + after + ", " + before + ")"
	}
	parts := make([]string, len(f.typ.Fields))
	for i, inner := range f.typ.Fields {
		from := filler{typ: inner.Type, col: f.col}
		if f.fields != nil {
			from = f.fields[i]
		}
		name := duckdb.Text(inner.Name)
		parts[i] = duckdb.Name(inner.Name) + " := " + t.merged("struct_extract("+before+", "+name+")", "struct_extract("+after+", "+name+")", from)
	}
	kept := before
	if t.writeNull() && f.col >= 0 {
		kept = "NULL"
	}
	return fmt.Sprintf("CASE WHEN %s IS NULL THEN %s WHEN %s IS NULL THEN %s ELSE struct_pack(%s) END", after, kept, before, after, strings.Join(parts, ", "))
}

// update changes the documents that are there. One that would stay as it is, is
// left alone.
func (t *transaction) update(ctx context.Context, load *loader) error {
	set, differ := []string{"t._version + g._eslake_n AS _version", "g._eslake_last AS _seq_no", "list_concat(t._null, g._null) AS _null"}, []string{"g._null IS NOT NULL AND NOT coalesce(list_has_all(t._null, g._null), false)"}
	for i, f := range load.out[len(hidden):] {
		name := duckdb.Name(f.Name)
		after := t.merged("t."+name, "g."+name, load.fill[i])
		set = append(set, after+" AS "+name)
		differ = append(differ, after+" IS DISTINCT FROM t."+name)
	}
	err := t.exec(ctx, "CREATE TEMP TABLE changed AS SELECT t.* REPLACE (%s), g._eslake_n FROM %s t JOIN gathered g USING (_id) WHERE %s",
		strings.Join(set, ", "), t.table, strings.Join(differ, " OR "))
	if err != nil {
		return err
	}
	matched, err := t.count(ctx, "SELECT coalesce(sum(_eslake_n), 0)::BIGINT FROM gathered WHERE _id IN (SELECT _id FROM %s)", t.table)
	if err != nil {
		return err
	}
	if t.report.Updated, err = t.count(ctx, "SELECT coalesce(sum(_eslake_n), 0)::BIGINT FROM changed"); err != nil {
		return err
	}
	t.report.Noop = matched - t.report.Updated
	return t.exec(ctx, "DELETE FROM %s WHERE _id IN (SELECT _id FROM changed); INSERT INTO %[1]s BY NAME SELECT * EXCLUDE (_eslake_n) FROM changed", t.table)
}

// insert makes the documents of an upsert that are not there.
func (t *transaction) insert(ctx context.Context, load *loader) error {
	items := []string{"_id", "_eslake_last AS _seq_no", "_eslake_n AS _version", "_null"}
	for _, f := range load.out[len(hidden):] {
		items = append(items, duckdb.Name(f.Name))
	}
	fresh := fmt.Sprintf("FROM gathered WHERE _id NOT IN (SELECT _id FROM %s)", t.table)
	repeated, err := t.conn.Count(ctx, "SELECT coalesce(sum(_eslake_n - 1), 0)::BIGINT "+fresh)
	if err != nil {
		return err
	}
	t.report.Updated += repeated
	t.report.Created, err = t.conn.Count(ctx, "INSERT INTO "+t.table+" BY NAME SELECT "+strings.Join(items, ", ")+" "+fresh)
	return err
}
