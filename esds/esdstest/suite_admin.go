package esdstest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

var adminTests = map[string]func(*env){
	"admin/absent":       testAbsent,
	"admin/create twice": testCreateTwice,
	"admin/definition":   testDefinition,
	"admin/resolve":      testResolve,
	"admin/schema":       testSchema,
	"admin/several":      testSeveral,
	"admin/count":        testCount,
	"admin/name":         testName,
}

func testAbsent(e *env) {
	name := e.prefix + "none"
	_, err := e.src.Open(e.ctx, name, nil)
	e.wantError("open", err, esds.ErrIndexNotFound)
	_, err = e.src.Open(e.ctx, e.prefix+"none*", nil)
	e.wantError("open a wildcard without index", err, esds.ErrIndexNotFound)
	_, err = e.src.Definition(e.ctx, name)
	e.wantError("definition", err, esds.ErrIndexNotFound)
	_, err = e.src.Count(e.ctx, name)
	e.wantError("count", err, esds.ErrIndexNotFound)
	e.wantError("refresh", e.src.Refresh(e.ctx, name), esds.ErrIndexNotFound)
	e.wantError("drop", e.src.Drop(e.ctx, name), esds.ErrIndexNotFound)

	for _, resource := range []string{name, e.prefix + "none*"} {
		index, err := e.src.Open(e.ctx, resource, e.options("es.index.read.missing.as.empty", "true"))
		if err != nil {
			e.Errorf("open %s as empty: %v", resource, err)
			continue
		}
		e.wantRows("an absent index read as empty", e.scan(index, esds.Scan{Columns: idAndN}))
		if n, err := index.Count(e.ctx, nil); n != 0 || err != nil {
			e.Errorf("count of an absent index = %d, %v", n, err)
		}
	}
}

func testCreateTwice(e *env) {
	name := e.make("a", idAndN)
	e.wantError("create again", e.src.Create(e.ctx, name, esds.Definition{}), esds.ErrIndexExists)
	e.must(e.src.Drop(e.ctx, name))
	_, err := e.src.Open(e.ctx, name, nil)
	e.wantError("open after drop", err, esds.ErrIndexNotFound)
	e.must(e.src.Create(e.ctx, name, esds.Definition{}))
	e.wantRows("an index without a mapping", e.scan(e.open(name), esds.Scan{Columns: idAndN}))
}

func testDefinition(e *env) {
	schema := fields("a", row.ArrayType(row.StringType), "d", row.DecimalType(10, 2), "id", row.StringType)
	name := e.make("a", schema)
	d, err := e.src.Definition(e.ctx, name)
	e.must(err)
	for part, raw := range map[string][]byte{"mappings": d.Mappings, "settings": d.Settings} {
		if !json.Valid(raw) {
			e.Errorf("%s are not JSON: %s", part, raw)
		}
	}
	if s := string(d.Settings); strings.Contains(s, "uuid") || strings.Contains(s, "creation_date") || strings.Contains(s, "provided_name") {
		e.Errorf("settings hold what the server sets itself: %s", s)
	}
	other := e.name("b")
	e.must(e.src.Create(e.ctx, other, d))
	if got, want := e.open(other).Schema(), e.open(name).Schema(); !sameColumns(got, want) {
		e.Errorf("schema of the copy = %v, want %v", got, want)
	}
	again, err := e.src.Definition(e.ctx, other)
	e.must(err)
	if string(again.Settings) != string(d.Settings) {
		e.Errorf("settings of the copy = %s, want %s", again.Settings, d.Settings)
	}
}

func testResolve(e *env) {
	a, b, one, two := e.make("a", idAndN), e.name("b"), e.prefix+"one", e.prefix+"two"
	e.must(e.src.Create(e.ctx, b, esds.Definition{Aliases: []byte(`{"` + one + `": {}, "` + two + `": {}}`)}))
	c := e.name("c")
	e.must(e.src.Create(e.ctx, c, esds.Definition{Aliases: []byte(`{"` + two + `": {}}`)}))
	d, three := e.name("d"), e.prefix+"three"
	e.must(e.src.Create(e.ctx, d, esds.Definition{Aliases: []byte(`{"` + three + `": {"is_write_index": true}}`)}))
	f := e.name("f")
	e.must(e.src.Create(e.ctx, f, esds.Definition{Aliases: []byte(`{"` + three + `": {"is_write_index": false}}`)}))

	for _, want := range []esds.Target{
		{Name: e.prefix + "none", Kind: esds.Absent},
		{Name: a, Kind: esds.Concrete, Indices: []string{a}, Write: a},
		{Name: one, Kind: esds.Alias, Indices: []string{b}, Write: b},
		{Name: two, Kind: esds.Alias, Indices: []string{b, c}},
		{Name: three, Kind: esds.Alias, Indices: []string{d, f}, Write: d},
		{Name: e.prefix + "*", Kind: esds.Pattern, Indices: []string{a, b, c, d, f}},
		{Name: a + "," + b, Kind: esds.Pattern, Indices: []string{a, b}},
	} {
		got, err := e.src.Resolve(e.ctx, want.Name)
		slices.Sort(got.Indices)
		if err != nil || got.Name != want.Name || got.Kind != want.Kind || !slices.Equal(got.Indices, want.Indices) || got.Write != want.Write {
			e.Errorf("resolve %s = %+v, %v, want %+v", want.Name, got, err, want)
		}
	}

	e.write(esds.Write{Index: three, ID: "id"}, idAndN, numbered(2)...)
	e.must(e.src.Refresh(e.ctx, d))
	if n, err := e.src.Count(e.ctx, d); n != 2 || err != nil {
		e.Errorf("rows in the alias's write index = %d, %v, want 2", n, err)
	}
	report, err := e.src.Write(e.ctx, esds.Write{Index: two, ID: "id"}, row.NewBatches(idAndN, e.batches(idAndN, numbered(2))...))
	if err == nil && report.Accepted() > 0 {
		e.Error("a write to an alias without a write index was taken")
	}
}

func testSchema(e *env) {
	mapping := `{"properties": {
		"b": {"type": "keyword"}, "a": {"type": "long"}, "c": {"properties": {"y": {"type": "date"}, "x": {"type": "double"}}},
		"t": {"type": "text", "fields": {"keyword": {"type": "keyword"}}}, "f": {"type": "boolean"}, "bin": {"type": "binary"}, "i": {"type": "integer"}}}`
	got := e.open(e.makeMapped("a", []byte(mapping))).Schema()
	want := fields(
		"a", row.BigIntType, "b", row.StringType, "bin", row.BinaryType,
		"c", row.StructType(row.Field{Name: "x", Type: row.DoubleType}, row.Field{Name: "y", Type: row.TimestampType}),
		"f", row.BooleanType, "i", row.IntType, "t", row.StringType,
	)
	if !sameColumns(got, want) {
		e.Errorf("schema = %v, want %v", row.StructType(got...), row.StructType(want...))
	}
}

// testSeveral reads two indices as one table.
func testSeveral(e *env) {
	a := e.fill("s1", idAndN, []any{"1", int64(1)})
	wide := fields("id", row.StringType, "m", row.StringType, "n", row.BigIntType)
	b := e.fill("s2", wide, []any{"1", "x", int64(2)})
	for _, resource := range []string{a + "," + b, e.prefix + "s*"} {
		index := e.open(resource)
		if !sameColumns(index.Schema(), wide) {
			e.Errorf("schema of %s = %v, want %v", resource, row.StructType(index.Schema()...), row.StructType(wide...))
		}
		columns := fields("_index", row.StringType, "id", row.StringType, "m", row.StringType, "n", row.BigIntType)
		e.wantRows(resource, e.scan(index, esds.Scan{Columns: columns}), []any{a, "1", nil, int64(1)}, []any{b, "1", "x", int64(2)})
		if n, err := index.Count(e.ctx, nil); n != 2 || err != nil {
			e.Errorf("count of %s = %d, %v, want 2", resource, n, err)
		}
	}
}

func testCount(e *env) {
	name := e.fill("a", idAndN, numbered(30)...)
	n, err := e.src.Count(e.ctx, name)
	if n != 30 || err != nil {
		e.Errorf("count = %d, %v, want 30", n, err)
	}
	index := e.open(name)
	if n, err = index.Count(e.ctx, nil); n != 30 || err != nil {
		e.Errorf("count of the index = %d, %v, want 30", n, err)
	}
	if n, err = index.Estimate(e.ctx, nil); n != 30 || err != nil {
		e.Errorf("estimate = %d, %v, want 30", n, err)
	}
	if index.Request(esds.Scan{Columns: idAndN}) == "" {
		e.Error("the request of a scan is not shown")
	}
}

func testName(e *env) {
	if s := e.src.String(); s == "" || strings.Contains(s, "@") {
		e.Errorf("name of the source = %q", s)
	}
}
