package session_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// TestChangesFollowAModel draws tables, and statements that change them, and
// compares what they say and leave with a model in memory. More of them:
// -rapid.checks=500 -rapid.seed=N.
func TestChangesFollowAModel(t *testing.T) {
	for _, f := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(f.Name, func(t *testing.T) { changesFollowAModel(t, at(esdstest.New(t, f).URL)) })
	}
	t.Run("lake", func(t *testing.T) { changesFollowAModel(t, hermetic()[0]) })
}

// TestChangesFollowAModelOnRealServers does so there.
func TestChangesFollowAModelOnRealServers(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) { changesFollowAModel(t, at(url)) })
}

func changesFollowAModel(t *testing.T, c configuration) {
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		set := func(n string) {
			if err := f.Value.Set(n); err != nil {
				t.Fatal(err)
			}
		}
		set("8") // each is a table and about eight statements
		defer set(f.DefValue)
	}
	w := newWorld(t, c)
	n, statements := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		m := &modelled{r: r, w: w, lake: c.name == "lake"}
		defer m.end()
		m.begin(n)
		statements += m.sequence()
	})
	t.Logf("%d sequences, %d statements", n, statements)
}

// modelled is a table beside its model.
type modelled struct {
	r       *rapid.T
	w       *world
	g       drawer
	lake    bool
	dir     string // of this session
	table   *modelTable
	history []string
}

// columns are those that a table may have besides its key.
var columns = []field{
	{"n", intKind},
	{"l", longKind},
	{"name", textKind},
	{"u", textKind},
	{"d", realKind},
	{"m", decKind},
	{"b", boolKind},
	{"day", dayKind},
	{"at", stampKind},
	{"tags", tagsKind},
	{"nums", numsKind},
	{"st", pairKind},
}

// begin makes a session with a source and a target.
func (m *modelled) begin(n int) {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		m.r.Fatal(err)
	}
	m.dir = dir
	cfg := m.w.cfg
	cfg.StateDir, cfg.Catalog = dir, catalog.Open(filepath.Join(dir, "catalog.json"))
	m.w.session = session.New(cfg)
	m.g = drawer{r: m.r, lake: m.lake}
	cols := []field{{"k", anyOf(m.g, "key", []kind{intKind, textKind, textKind, longKind, dayKind, decKind})}}
	t := &modelTable{name: "t", wide: "wide", keyed: m.g.chance(75), docs: map[string]*document{}}
	t.routed, t.nulls = t.keyed && m.g.chance(30), m.g.chance(25)
	for _, c := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(columns)-1), 2, 5, rapid.ID[int]).Draw(m.r, "columns") {
		if columns[c].kind != pairKind || !t.nulls { // which would tell y: null from no y
			cols = append(cols, columns[c])
		}
	}
	if m.g.chance(30) {
		t.defaults = record{}
		for _, c := range cols {
			if c.name == "n" || c.name == "name" || c.name == "day" {
				t.defaults[c.name] = values[c.kind][1]
			}
		}
	}
	if t.routed {
		cols = append(cols, field{"r", textKind})
	}
	t.cols, m.table = cols, t
	m.g.source = &sourceTable{name: "src", cols: cols, records: m.g.records(cols, 5)}
	m.create(n)
}

// create makes the tables.
func (m *modelled) create(n int) {
	t := m.table
	opts := fmt.Sprintf("'eslake.backup' '%t'", m.g.chance(50))
	if m.g.chance(30) {
		opts += fmt.Sprintf(", 'es.batch.size.entries' '%d', 'es.scroll.size' '2'", 1+m.g.upto(2))
	}
	if t.truncates = m.g.chance(20); t.truncates {
		opts += ", 'eslake.overwrite.mode' 'truncate'"
	}
	if t.nulls {
		opts += ", 'es.spark.dataframe.write.null' 'true'"
	}
	m.must("SET eslake.pushdown = %t", m.g.chance(70))
	if t.keyed {
		opts += ", 'es.mapping.id' 'k'"
	}
	if t.routed {
		opts += ", 'es.mapping.routing' 'r', 'eslake.index.settings.number_of_shards' '3'"
	}
	index := fmt.Sprintf("%smodel%d", m.w.prefix, n)
	m.must("CREATE TABLE t (%s) USING es OPTIONS (resource '%s', %s)", declared(t.cols, t.defaults), index, opts)
	m.must("CREATE TABLE wide (%s, extra INT) USING es OPTIONS (resource '%s', %s)", declared(t.cols, t.defaults), index, opts)
	for _, operation := range operations {
		if t.keyed {
			m.must("CREATE TABLE t%s (%s) USING es OPTIONS (resource '%s', %s, 'es.write.operation' '%s')", operation, declared(t.cols, t.defaults), index, opts, operation)
		}
	}
	m.must("CREATE TABLE src (%s) USING es OPTIONS (resource '%ssrc')", declared(t.cols, nil), index)
	m.must("INSERT INTO src SELECT * FROM src WHERE false")
	if list := m.g.source.records; len(list) > 0 {
		m.must("INSERT INTO src VALUES %s", valuesOf(t.cols, list))
	}
	first := append(m.g.records(t.cols, 6), m.g.record(t.cols))
	m.do(change{"INSERT INTO t VALUES " + valuesOf(t.cols, first), "INSERT", "t", func() effect { return t.insert("index", t.cols, first) }, nil})
}

func declared(cols []field, defaults record) string {
	var list []string
	for _, c := range cols {
		text := c.name + " " + string(c.kind)
		if v, ok := defaults[c.name]; ok {
			text += " DEFAULT " + spell(c.kind, v)
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// must runs a statement that prepares.
func (m *modelled) must(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	m.history = append(m.history, text)
	if out := m.w.run(text, false); strings.Contains(out, "error") {
		m.r.Fatalf("%s\n%s", text, out)
	}
}

// end removes what a sequence made.
func (m *modelled) end() {
	m.w.drop()
	if err := os.RemoveAll(m.dir); err != nil {
		m.r.Error(err)
	}
}

// sequence runs statements, and returns how many.
func (m *modelled) sequence() int {
	n := 3 + m.g.upto(12)
	for range n {
		m.do(m.g.change(m.table))
	}
	return n
}

// do runs a statement, and compares.
func (m *modelled) do(c change) {
	want := guarded(c.apply)
	m.history = append(m.history, c.text)
	delete(m.w.vars, "job")
	out := m.w.run(c.text, false)
	if why := m.said(c, want, out); why != "" {
		m.fatal("it says %s%s", out, why)
	}
	before := len(m.table.docs)
	m.keep(c, want, out)
	if why := m.differs(); why != "" {
		m.fatal("it says %sthere were %d documents\n%s", out, before, why)
	}
}

func (m *modelled) fatal(format string, args ...any) {
	m.r.Fatalf("%s\n\n%s", strings.Join(m.history, ";\n"), fmt.Sprintf(format, args...))
}

// said compares the message of a statement with what it ought to be, "" when it is.
func (m *modelled) said(c change, want effect, out string) string {
	message, problem, failed := strings.Cut("\n"+out, "\nerror")
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(message), "\n"), func(line string) bool { return strings.HasPrefix(line, "note: ") })
	if want.err != "" {
		if !failed || strings.Join(lines, "") != "" {
			return "want an error: " + want.err
		}
		return ""
	}
	say := want.say(c.word, c.table)
	got := strings.Join(lines, " ")
	if c.word == "TRUNCATE" {
		say = fmt.Sprintf("TRUNCATE t (%d documents deleted)", want.replaced)
	}
	if c.undoes != nil && c.undoes.saved != nil && strings.Contains(got, anew) { // where the mapping is another one
		say = fmt.Sprintf("UNDO %d -> %s (%d documents replaced; %s)", len(c.undoes.saved), c.table, len(m.table.docs), anew)
	}
	if rest, ok := strings.CutPrefix(got, say); !ok || rest != "" && rest[0] != ';' && rest[0] != ',' {
		return "want " + say
	}
	if failed != (want.rejected > 0) || failed && !strings.Contains(problem, fmt.Sprintf(": %d of ", want.rejected)) {
		return fmt.Sprintf("want %d rejected rows", want.rejected)
	}
	return ""
}

const anew = "the index was made anew, with its mapping and settings of before"

// keep makes the model what it ought to be now.
func (m *modelled) keep(c change, want effect, out string) {
	if want.err != "" {
		return
	}
	j := &modelJob{id: m.w.vars["job"], table: c.table, changes: want.changes}
	if c.word == "INSERT OVERWRITE" || c.word == "TRUNCATE" || strings.Contains(out, anew) {
		j.saved = m.table.docs
	}
	m.table.docs = cloned(m.table.docs)
	m.table.commit(want)
	if j.left = len(m.table.docs); c.undoes != nil && want.rejected == 0 {
		c.undoes.undone = true
	}
	if j.id != "" {
		m.table.jobs = append(m.table.jobs, j)
	}
}

func cloned(docs map[string]*document) map[string]*document {
	out := map[string]*document{}
	for id, d := range docs {
		out[id] = d
	}
	return out
}

// differs compares the documents with those of the model, "" when they are alike.
func (m *modelled) differs() string {
	t := m.table
	query := "SELECT " + names(t.cols) + ", extra, _id, _routing FROM wide"
	got, _, err := m.w.ask(query)
	if err != nil {
		return problem(err, query)
	}
	want := [][]any{}
	for _, d := range t.docs {
		want = append(want, m.cells(d))
	}
	for _, r := range got {
		if id := len(r) - 2; !t.keyed {
			r[id] = nil
		}
	}
	for _, list := range [][][]any{got, want} {
		slices.SortFunc(list, func(a, b []any) int { return strings.Compare(exactKey(a), exactKey(b)) })
	}
	if !reflect.DeepEqual(got, want) {
		return fmt.Sprintf("got  %v\nwant %v", got, want)
	}
	counted, _, err := m.w.ask("SELECT count(*) FROM wide")
	if err != nil || fmt.Sprint(counted[0][0]) != fmt.Sprint(len(want)) {
		return fmt.Sprintf("count(*) is %v (%v), want %d", counted, err, len(want))
	}
	return ""
}

// cells is a document as a row of differs.
func (m *modelled) cells(d *document) []any {
	var out []any
	for _, c := range m.table.cols {
		out = append(out, shown(d.values[c.name]))
	}
	out = append(out, shown(d.values["extra"]), nil, nil)
	if m.table.keyed {
		out[len(out)-2] = d.id
	}
	if m.table.routed && !m.lake && d.routing != "" {
		out[len(out)-1] = d.routing
	}
	return out
}
