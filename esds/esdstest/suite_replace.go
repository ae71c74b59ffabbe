package esdstest

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
)

var replaceTests = map[string]func(*env){
	"replace/recreate":         testRecreate,
	"replace/recreate absent":  testRecreateAbsent,
	"replace/swap alias":       testSwapAlias,
	"replace/swap concrete":    testSwapConcrete,
	"replace/swap alias again": testSwapAgain,
	"replace/absent staging":   testReplaceNothing,
	"replace/again":            testReplaceAgain,
	"replace/changed":          testReplaceChanged,
	"replace/gone":             testReplaceGone,
	"replace/configure":        testConfigure,
	"replace/clear":            testClear,
	"replace/clear routed":     testClearRouted,
}

// stage makes a complete staging index like another one, with rows of its own.
func (e *env) stage(like string, rows ...[]any) string {
	e.Helper()
	d, err := e.src.Definition(e.ctx, like)
	e.must(err)
	d.Aliases = nil
	name := e.name("staging")
	e.must(e.src.Create(e.ctx, name, d))
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, rows...)
	return name
}

func (e *env) resolve(name string) esds.Target {
	e.Helper()
	target, err := e.src.Resolve(e.ctx, name)
	e.must(err)
	return target
}

// old makes an index with rows and an alias.
func (e *env) old() (name, alias string) {
	name, alias = e.fill("old", idAndN, numbered(5)...), e.prefix+"alias"
	d, err := e.src.Definition(e.ctx, name)
	e.must(err)
	e.must(e.src.Drop(e.ctx, name))
	d.Aliases = []byte(`{"` + alias + `": {}}`)
	e.must(e.src.Create(e.ctx, name, d))
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(5)...)
	return name, alias
}

func testRecreate(e *env) {
	name, alias := e.old()
	before, err := e.src.Definition(e.ctx, name)
	e.must(err)
	staging := e.stage(name, numbered(2)...)
	e.wantCount(name, 5) // the old rows are there until the exchange
	e.must(e.src.Replace(e.ctx, esds.Replacement{Staging: staging, Target: e.resolve(name), Mode: esds.Recreate}))

	e.wantAll(e.open(name), 2)
	e.wantAll(e.open(alias), 2)
	if got := e.resolve(name); got.Kind != esds.Concrete {
		e.Errorf("%s is now %s, want an index", name, got.Kind)
	}
	if got := e.resolve(staging); got.Kind != esds.Absent {
		e.Errorf("the staging name is still there: %+v", got)
	}
	after, err := e.src.Definition(e.ctx, name)
	e.must(err)
	if !sameJSON(before.Settings, after.Settings) || !sameJSON(before.Mappings, after.Mappings) || !sameJSON(before.Aliases, after.Aliases) {
		e.Errorf("definition became\n%s %s %s, was\n%s %s %s", after.Settings, after.Mappings, after.Aliases, before.Settings, before.Mappings, before.Aliases)
	}
	// It takes writes.
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(7)...)
	e.wantAll(e.open(name), 7)
}

func sameJSON(a, b []byte) bool {
	return string(encode(decode(a))) == string(encode(decode(b)))
}

func testRecreateAbsent(e *env) {
	like := e.make("like", idAndN)
	staging, name := e.stage(like, numbered(3)...), e.name("new")
	e.must(e.src.Replace(e.ctx, esds.Replacement{Staging: staging, Target: e.resolve(name), Mode: esds.Recreate}))
	e.wantAll(e.open(name), 3)
	if got := e.resolve(staging); got.Kind != esds.Absent {
		e.Errorf("the staging name is still there: %+v", got)
	}
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(4)...)
	e.wantAll(e.open(name), 4)
}

func testSwapAlias(e *env) {
	name, alias := e.old()
	staging := e.stage(name, numbered(2)...)
	e.wantAll(e.open(alias), 5)
	e.must(e.src.Replace(e.ctx, esds.Replacement{Staging: staging, Target: e.resolve(alias), Mode: esds.Swap}))
	e.wantSwapped(alias, 2)
}

// wantSwapped wants a name that is an alias of one index that takes writes.
func (e *env) wantSwapped(alias string, rows int) {
	e.Helper()
	e.wantAll(e.open(alias), rows)
	got := e.resolve(alias)
	if got.Kind != esds.Alias || len(got.Indices) != 1 || got.Write == "" {
		e.Fatalf("%s is now %+v, want an alias of one index", alias, got)
	}
	for _, index := range got.Indices {
		e.name(strings.TrimPrefix(index, e.prefix)) // to drop
	}
	e.write(esds.Write{Index: alias, ID: "id"}, idAndN, numbered(rows+3)...)
	e.wantAll(e.open(alias), rows+3)
}

func testSwapConcrete(e *env) {
	name, alias := e.old()
	staging := e.stage(name, numbered(2)...)
	e.must(e.src.Replace(e.ctx, esds.Replacement{Staging: staging, Target: e.resolve(name), Mode: esds.Swap}))
	e.wantSwapped(name, 2)
	e.wantAll(e.open(alias), 5) // the aliases of the old index are now the new one's
}

func testSwapAgain(e *env) {
	name, alias := e.old()
	for n := 1; n < 4; n++ {
		staging := e.name("staging" + strings.Repeat("i", n))
		d, err := e.src.Definition(e.ctx, e.resolve(alias).Write)
		e.must(err)
		d.Aliases = nil
		e.must(e.src.Create(e.ctx, staging, d))
		e.write(esds.Write{Index: staging, ID: "id"}, idAndN, numbered(n)...)
		e.must(e.src.Replace(e.ctx, esds.Replacement{Staging: staging, Target: e.resolve(alias), Mode: esds.Swap}))
		e.wantAll(e.open(alias), n)
	}
	if got := e.resolve(name); slices.Contains(e.resolve(alias).Indices, name) {
		e.Errorf("the old index is still behind the alias: %+v", got)
	}
}

func testReplaceNothing(e *env) {
	name, alias := e.old()
	for _, mode := range []esds.ReplaceMode{esds.Recreate, esds.Swap} {
		if err := e.src.Replace(e.ctx, esds.Replacement{Staging: e.prefix + "none", Target: e.resolve(name), Mode: mode}); err == nil {
			e.Errorf("%s with an absent staging index was done", mode)
		}
		e.wantAll(e.open(name), 5)
		e.wantAll(e.open(alias), 5)
	}
	if err := e.src.Replace(e.ctx, esds.Replacement{Staging: e.prefix + "none", Target: e.resolve(alias), Mode: esds.Swap}); err == nil {
		e.Error("swap of the alias with an absent staging index was done")
	}
	e.wantAll(e.open(alias), 5)
}

// testReplaceAgain calls Replace with what it was called with before, as a resume
// does that does not know whether it came to its end.
func testReplaceAgain(e *env) {
	name, alias := e.old()
	for i, mode := range []esds.ReplaceMode{esds.Recreate, esds.Swap} {
		target, staging := e.resolve(name), e.name("staging"+strings.Repeat("i", i))
		d, err := e.src.Definition(e.ctx, name)
		e.must(err)
		r := esds.Replacement{Staging: staging, Target: target, Mode: mode, Aliases: d.Aliases, Identity: d.Identity}
		d.Aliases, d.Hidden = nil, true
		e.must(e.src.Create(e.ctx, staging, d))
		e.write(esds.Write{Index: staging, ID: "id"}, idAndN, numbered(2+i)...)
		var steps []esds.ReplaceStep
		r.Reached = func(s esds.ReplaceStep) { steps = append(steps, s) }
		for range 3 {
			e.must(e.src.Replace(e.ctx, r))
			e.wantAll(e.open(name), 2+i)
			e.wantAll(e.open(alias), 2+i)
			r.Placed = slices.Contains(steps, esds.InPlace)
		}
		if !slices.Contains(steps, esds.InPlace) {
			e.Errorf("%s told the steps %v", mode, steps)
		}
	}
}

// testReplaceChanged replaces an index that somebody made anew meanwhile.
func testReplaceChanged(e *env) {
	name, _ := e.old()
	d, err := e.src.Definition(e.ctx, name)
	e.must(err)
	if d.Identity == "" {
		return // it cannot tell
	}
	staging := e.stage(name, numbered(2)...)
	r := esds.Replacement{Staging: staging, Target: e.resolve(name), Mode: esds.Recreate, Identity: d.Identity}
	e.must(e.src.Drop(e.ctx, name))
	e.must(e.src.Create(e.ctx, name, d))
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(4)...)
	e.wantError("replace", e.src.Replace(e.ctx, r), esds.ErrChanged)
	e.wantAll(e.open(name), 4)
	e.wantAll(e.open(staging), 2)
}

// testReplaceGone goes on after the old index was removed.
func testReplaceGone(e *env) {
	for i, mode := range []esds.ReplaceMode{esds.Recreate, esds.Swap} {
		name, alias := e.old()
		d, err := e.src.Definition(e.ctx, name)
		e.must(err)
		r := esds.Replacement{Staging: e.stage(name, numbered(2+i)...), Target: e.resolve(name), Mode: mode, Aliases: d.Aliases, Identity: d.Identity}
		e.must(e.src.Drop(e.ctx, name))
		e.must(e.src.Replace(e.ctx, r))
		e.wantAll(e.open(name), 2+i)
		e.wantAll(e.open(alias), 2+i)
		for _, index := range e.resolve(name).Indices {
			e.must(e.src.Drop(e.ctx, index))
		}
	}
}

func testConfigure(e *env) {
	name := e.make("a", idAndN)
	e.must(e.src.Configure(e.ctx, name, []byte(`{"index":{"refresh_interval":"7s"}}`)))
	d, err := e.src.Definition(e.ctx, name)
	e.must(err)
	if !strings.Contains(string(d.Settings), `"refresh_interval":"7s"`) {
		e.Errorf("settings = %s", d.Settings)
	}
	e.must(e.src.Configure(e.ctx, name, []byte(`{"index":{"refresh_interval":null}}`)))
	if d, err = e.src.Definition(e.ctx, name); err != nil || strings.Contains(string(d.Settings), "7s") {
		e.Errorf("settings = %s, %v", d.Settings, err)
	}
	e.wantError("configure what is absent", e.src.Configure(e.ctx, e.prefix+"none", []byte(`{"index":{"refresh_interval":"7s"}}`)), esds.ErrIndexNotFound)
	e.must(e.src.Blocked(e.ctx, name))
	e.must(e.src.Blocked(e.ctx, e.prefix+"none"))
}

func testClear(e *env) {
	name, alias := e.old()
	for _, want := range []int64{5, 0} {
		if n, err := e.src.Clear(e.ctx, alias); n != want || err != nil {
			e.Errorf("clear = %d, %v, want %d", n, err, want)
		}
		e.wantCount(name, 0)
	}
	_, err := e.src.Clear(e.ctx, e.prefix+"none")
	e.wantError("clear what is absent", err, esds.ErrIndexNotFound)
	e.write(esds.Write{Index: name, ID: "id"}, idAndN, numbered(3)...)
	e.wantAll(e.open(name), 3)
	if n, err := e.src.Clear(e.ctx, name); n != 3 || err != nil {
		e.Errorf("clear = %d, %v, want 3", n, err)
	}
}

// testClearRouted clears documents that are found only by their routing.
func testClearRouted(e *env) {
	name, _ := e.old()
	row := changeOf(esds.IndexDoc, "routed", `{"id":"routed"}`)
	row[3] = "elsewhere"
	_, err := e.tryWrite(esds.Write{Index: name, Changes: true}, esds.ChangeSchema(), row)
	e.must(err)
	if n, err := e.src.Clear(e.ctx, name); n != 6 || err != nil {
		e.Errorf("clear = %d, %v, want 6", n, err)
	}
	e.wantCount(name, 0)
}
