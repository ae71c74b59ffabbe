package esdstest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

var scanTests = map[string]func(*env){
	"scan/columns":     testColumns,
	"scan/metadata":    testMetadata,
	"scan/limit":       testLimit,
	"scan/options":     testScanOptions,
	"scan/many":        testMany,
	"scan/pages":       testPages,
	"scan/close early": testCloseEarly,
	"scan/cancel":      testScanCancel,
	"scan/at once":     testAtOnce,
	"scan/end":         testEnd,
	"scan/snapshot":    testVisibility,
}

func testColumns(e *env) {
	schema := fields(
		"id", row.StringType, "Name", row.StringType, "a", row.BigIntType,
		"s", row.StructType(row.Field{Name: "x", Type: row.IntType}, row.Field{Name: "t", Type: row.StructType(row.Field{Name: "y", Type: row.StringType})}),
	)
	name := e.fill("a", schema, []any{"1", "n", int64(5), map[string]any{"x": int64(7), "t": map[string]any{"y": "deep"}}}, []any{"2", nil, nil, nil})
	index := e.open(name)
	for _, tt := range []struct {
		name    string
		columns row.Schema
		want    [][]any
	}{
		{"one", fields("a", row.BigIntType), [][]any{{int64(5)}, {nil}}},
		{"another order", fields("a", row.BigIntType, "id", row.StringType), [][]any{{int64(5), "1"}, {nil, "2"}}},
		{"twice", fields("a", row.BigIntType, "a", row.BigIntType), [][]any{{int64(5), int64(5)}, {nil, nil}}},
		{"twice with other types", fields("a", row.BigIntType, "a", row.StringType), [][]any{{int64(5), "5"}, {nil, nil}}},
		{"absent is NULL", fields("id", row.StringType, "zz", row.DoubleType), [][]any{{"1", nil}, {"2", nil}}},
		{"absent below an object", fields("s.zz", row.StringType, "id", row.StringType), [][]any{{nil, "1"}, {nil, "2"}}},
		{"paths", fields("s.x", row.IntType, "s.t.y", row.StringType), [][]any{{int64(7), "deep"}, {nil, nil}}},
		{"part of a struct", fields("s", row.StructType(row.Field{Name: "t", Type: row.StructType(row.Field{Name: "y", Type: row.StringType})})), [][]any{
			{map[string]any{"t": map[string]any{"y": "deep"}}}, {nil},
		}},
	} {
		got := e.scan(index, esds.Scan{Columns: tt.columns})
		slices.SortFunc(tt.want, func(a, b []any) int { return compare(fmt.Sprint(a), fmt.Sprint(b)) })
		e.wantRows(tt.name, got, tt.want...)
	}
	if got := e.scan(index, esds.Scan{}); len(got) != 2 {
		e.Errorf("rows without columns = %d, want 2", len(got))
	}
}

func testMetadata(e *env) {
	name := e.fill("a", idAndN, []any{"x", int64(1)})
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, []any{"x", int64(2)})
	index := e.open(name)
	e.wantRows("metadata", e.scan(index, esds.Scan{Columns: fields("_index", row.StringType, "_id", row.StringType, "_version", row.BigIntType, "_routing", row.StringType)}),
		[]any{name, "x", int64(2), nil})
	got := e.scan(index, esds.Scan{Columns: fields("_seq_no", row.BigIntType, "_source", row.StringType)})
	if n, ok := got[0][0].(int64); !ok || n < 1 {
		e.Errorf("_seq_no = %v, want 1 or more", got[0][0])
	}
	if doc, ok := decode([]byte(fmt.Sprint(got[0][1]))).(object); !ok || fmt.Sprint(doc["n"]) != "2" {
		e.Errorf("_source = %v", got[0][1])
	}
	id := &expr.Column{Node: expr.Node{T: row.StringType}, ID: 1, Name: "_id"}
	for _, value := range []string{"x", "y"} {
		e.checkFilter(index, equal(id, value), map[string]bool{"x": value == "x"})
	}
}

func equal(c *expr.Column, value any) expr.Expr {
	lit := &expr.Literal{Node: expr.Node{T: c.T}, Value: value}
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "=", Args: []expr.Expr{c, lit}}
}

func testLimit(e *env) {
	const total = 50
	name := e.fill("a", idAndN, numbered(total)...)
	small := []string{"es.scroll.size", "7"}
	filter := less(30)
	for _, pairs := range [][]string{nil, small} {
		index := e.open(name, pairs...)
		for _, n := range []int64{1, 6, 7, 8, total - 1, total, total + 5} {
			if got := e.scan(index, esds.Scan{Columns: idAndN, Limit: n}); int64(len(got)) != min(n, total) {
				e.Errorf("limit %d gave %d rows, want %d", n, len(got), min(n, total))
			}
			if index.Pushdown(filter) != esds.Exact {
				continue
			}
			got := e.scan(index, esds.Scan{Columns: idAndN, Limit: n, Filter: []expr.Expr{filter}})
			if int64(len(got)) != min(n, 30) {
				e.Errorf("limit %d under a filter gave %d rows, want %d", n, len(got), min(n, 30))
			}
		}
	}
}

func testScanOptions(e *env) {
	inner := row.StructType(row.Field{Name: "x", Type: row.IntType}, row.Field{Name: "y", Type: row.IntType})
	schema := fields("a", row.StringType, "ab", row.BigIntType, "o", inner, "z", row.DoubleType)
	name := e.fill("a", schema, []any{"1", int64(1), map[string]any{"x": int64(1), "y": int64(2)}, 1.5}, []any{"2", int64(2), nil, nil})
	x := row.StructType(row.Field{Name: "x", Type: row.IntType})
	for _, tt := range []struct {
		name  string
		pairs []string
		want  row.Schema
	}{
		{"all", nil, schema},
		{"include", []string{"es.read.field.include", "a*"}, fields("a", row.StringType, "ab", row.BigIntType)},
		{"include a field of an object", []string{"es.read.field.include", "z,o.x"}, fields("o", x, "z", row.DoubleType)},
		{"exclude", []string{"es.read.field.exclude", "o.y,z"}, fields("a", row.StringType, "ab", row.BigIntType, "o", x)},
		{"arrays", []string{"es.read.field.as.array.include", "ab,z:2", "es.read.field.exclude", "o"}, fields(
			"a", row.StringType, "ab", row.ArrayType(row.BigIntType), "z", row.ArrayType(row.ArrayType(row.DoubleType)),
		)},
	} {
		index := e.open(name, tt.pairs...)
		if got := index.Schema(); !sameColumns(got, tt.want) {
			e.Errorf("%s: schema = %v, want %v", tt.name, row.StructType(got...), row.StructType(tt.want...))
		}
	}
	for limit, want := range map[string]int{"0": 0, "1": 1, "5": 2, "-1": 2} {
		index := e.open(name, "es.scroll.limit", limit)
		if got := e.scan(index, esds.Scan{Columns: schema}); len(got) != want {
			e.Errorf("es.scroll.limit %s gave %d rows, want %d", limit, len(got), want)
		}
		if n, err := index.Count(e.ctx, nil); n != int64(want) || err != nil {
			e.Errorf("es.scroll.limit %s counted %d, %v, want %d", limit, n, err, want)
		}
	}
}

// less is n < limit.
func less(limit int64) expr.Expr {
	n := &expr.Column{Node: expr.Node{T: row.BigIntType}, ID: 2, Name: "n"}
	return &expr.Call{Node: expr.Node{T: row.BooleanType}, Func: "<", Args: []expr.Expr{n, &expr.Literal{Node: expr.Node{T: row.BigIntType}, Value: limit}}}
}

// testMany reads more than a page can hold.
func testMany(e *env) {
	const total = 12_000
	name := e.fill("a", idAndN, numbered(total)...)
	e.wantAll(e.open(name), total)
}

func testPages(e *env) {
	const total = 700
	name := e.fill("a", idAndN, numbered(total)...)
	for _, slices := range []string{"0", "1", "2", "3", "5", "40"} {
		e.wantAll(e.open(name, "es.scroll.size", "60", "eslake.read.slices", slices), total)
	}
	// Documents that were replaced and deleted leave gaps.
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(300)...)
	e.write(esds.Write{Index: name, ID: "id", Action: esds.DeleteDoc}, fields("id", row.StringType), numberedIDs(total-100, total)...)
	e.wantAll(e.open(name, "es.scroll.size", "60"), total-100)
	e.wantAll(e.open(name+","+e.fill("b", idAndN)), total-100)
}

func numberedIDs(from, to int) [][]any {
	var rows [][]any
	for i := from; i < to; i++ {
		rows = append(rows, []any{fmt.Sprintf("x%05d", i)})
	}
	return rows
}

// wantAll wants each of the rows that numbered made, once.
func (e *env) wantAll(index esds.Index, total int) {
	e.Helper()
	rows, err := e.tryScan(index, esds.Scan{Columns: idAndN})
	e.must(err)
	seen := map[int64]int{}
	for _, r := range rows {
		n, _ := r[1].(int64)
		seen[n]++
		if r[0] != fmt.Sprintf("x%05d", n) {
			e.Fatalf("row = %v", r)
		}
	}
	for n := range int64(total) {
		if seen[n] != 1 {
			e.Fatalf("row %d came %d times; %d rows came, %d are there", n, seen[n], len(rows), total)
		}
	}
	if len(rows) != total {
		e.Errorf("rows = %d, want %d", len(rows), total)
	}
}

func testCloseEarly(e *env) {
	name := e.fill("a", idAndN, numbered(600)...)
	index := e.open(name, "es.scroll.size", "20")
	for reads := range 3 {
		r, err := index.Scan(e.ctx, esds.Scan{Columns: idAndN})
		e.must(err)
		for range reads {
			if _, err := r.Next(e.ctx); err != nil && !errors.Is(err, io.EOF) {
				e.Fatal(err)
			}
		}
		e.must(r.Close())
		if err := r.Close(); err != nil {
			e.Errorf("closed twice: %v", err)
		}
	}
}

func testScanCancel(e *env) {
	name := e.fill("a", idAndN, numbered(3000)...)
	index := e.open(name, "es.scroll.size", "10")
	ctx, cancel := context.WithCancel(e.ctx)
	r, err := index.Scan(ctx, esds.Scan{Columns: idAndN})
	e.must(err)
	_, err = r.Next(ctx)
	e.must(err)
	cancel()
	rows := 0
	for err == nil {
		var b *row.Batch
		if b, err = r.Next(ctx); err == nil {
			rows += b.Len
		}
	}
	if !errors.Is(err, context.Canceled) && !errors.Is(err, io.EOF) {
		e.Errorf("error after cancel = %v, want %v", err, context.Canceled)
	}
	if errors.Is(err, io.EOF) && rows < 2000 {
		e.Errorf("a cancelled scan ended after %d rows as if it were complete", rows)
	}
	e.must(r.Close())
	e.wantAll(index, 3000)

	r, err = index.Scan(ctx, esds.Scan{Columns: idAndN})
	if err == nil { // it may begin; its first Next must fail
		_, err = r.Next(ctx)
		e.must(r.Close())
	}
	e.wantError("scan with a cancelled context", err, context.Canceled)
}

func testAtOnce(e *env) {
	name := e.fill("a", idAndN, numbered(400)...)
	index := e.open(name, "es.scroll.size", "50")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			rows, err := row.ReadAll(e.ctx, mustScan(e, index))
			if err != nil || len(rows) != 400 {
				e.Errorf("rows = %d, %v, want 400", len(rows), err)
			}
		})
	}
	group.Wait()
}

func mustScan(e *env, index esds.Index) row.Reader {
	r, err := index.Scan(e.ctx, esds.Scan{Columns: idAndN})
	if err != nil {
		e.Error(err)
		return row.NewBatches(idAndN)
	}
	return r
}

func testEnd(e *env) {
	name := e.fill("a", idAndN, numbered(3)...)
	r := mustScan(e, e.open(name))
	defer r.Close()
	for {
		b, err := r.Next(e.ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		e.must(err)
		if b.Len == 0 {
			e.Error("a batch is empty")
		}
	}
	if _, err := r.Next(e.ctx); !errors.Is(err, io.EOF) {
		e.Errorf("error after the end = %v, want EOF again", err)
	}
}

// testVisibility writes and refreshes between two reads of one opened index.
func testVisibility(e *env) {
	name := e.fill("a", idAndN, numbered(3)...)
	index := e.open(name)
	e.wantAll(index, 3)
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(5)...)
	e.wantAll(index, 5)
}
