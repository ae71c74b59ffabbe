//go:build unix

package cli_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest/servers"
)

// fails runs statements that have to fail with a code, and with an error whose
// first line matches each pattern.
func (p *place) fails(t *testing.T, code int, sql string, patterns ...string) ended {
	t.Helper()
	e := p.run(t, "-e", sql)
	e.check(t, code, patterns...)
	return e
}

func (e ended) check(t *testing.T, code int, patterns ...string) {
	t.Helper()
	if e.code != code || e.out != "" {
		t.Errorf("want exit code %d and no results: %v", code, e)
	}
	var line string
	for l := range strings.Lines(e.err) {
		if strings.HasPrefix(l, "error[") {
			line = l
			break
		}
	}
	for _, pattern := range patterns {
		if !regexp.MustCompile(pattern).MatchString(line) {
			t.Errorf("no %q in the line of the error: %v", pattern, e)
		}
	}
}

func TestE2EIndexAbsent(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		p.fails(t, 1, fmt.Sprintf("CREATE TABLE t USING es OPTIONS (resource '%snone')", p.prefix), `^error\[E4002\]`, p.prefix+"none", "not found|no such index|does not exist")
		p.fails(t, 4, "SELECT * FROM t", `^error\[E2101\]`, `"t"`)
		p.must(t, fmt.Sprintf("CREATE TABLE t USING es OPTIONS (resource '%snone-*')", p.prefix))
		p.fails(t, 1, "SELECT * FROM t", `^error\[E4002\]`, p.prefix+`none-\*`)
		p.must(t, fmt.Sprintf("CREATE TABLE u (id INT) USING es OPTIONS (resource '%snone', es.index.auto.create 'false')", p.prefix))
		p.fails(t, 1, "SELECT * FROM u", `^error\[E4002\]`, p.prefix+"none")
		p.fails(t, 1, "INSERT INTO u VALUES (1)", `^error\[E4002\]`, p.prefix+"none")
	})
}

// rejected is a line of a rejects file.
type rejected struct {
	Row                     int
	ID, Index, Type, Reason string
	Document                json.RawMessage
}

func readRejects(t *testing.T, file string) (all []rejected) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var r rejected
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b rejected) int { return cmp.Compare(a.ID, b.ID) }) // they come from several connections
	return all
}

// Documents that the mapping refuses are in the rejects file, the others are in
// the index; an overwrite with such documents leaves the old rows.
func TestE2EMappingConflict(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		file := filepath.Join(p.dir, "rejects.ndjson")
		p.must(t, fmt.Sprintf(`CREATE TABLE numbers (id INT, n INT) USING es OPTIONS (resource '%st', es.mapping.id 'id'); INSERT INTO numbers VALUES (1, 12);
			CREATE TABLE texts (id INT, n STRING) USING es OPTIONS (resource '%[1]st', es.mapping.id 'id', eslake.rejects.file '%s')`, p.prefix, file))
		e := p.fails(t, 5, "INSERT INTO texts VALUES (2, '33'), (3, 'abc'), (4, 'd\"ef')", `^error\[E4203\]: 2 of 3 rows were rejected, the others were written`)
		if !strings.Contains(e.err, "INSERT 1 -> texts (1 created, 0 updated, 2 rejected)") || !strings.Contains(e.err, file) {
			t.Error(e)
		}
		got := readRejects(t, file)
		if len(got) != 2 || got[0].Row != 2 || got[1].ID != "4" || got[0].Index != p.prefix+"t" || got[0].Reason == "" || !strings.Contains(string(got[1].Document), `"d\"ef"`) {
			t.Errorf("rejects %+v", got)
		}
		e = p.fails(t, 5, "INSERT OVERWRITE texts VALUES (7, '7'), (8, 'x')", `^error\[E4203\]: 1 of 2 rows were rejected; the old rows stay as they were`)
		if got := p.value(t, "SELECT concat_ws(' ', sort_array(collect_list(n))) FROM numbers"); got != "12 33" {
			t.Errorf("the index holds %s", got)
		}
		if got := readRejects(t, file); len(got) != 3 || got[2].ID != "8" {
			t.Errorf("rejects %+v\n%v", got, e)
		}
		if p.url != "" && len(p.staged(t, "t")) > 0 {
			t.Errorf("left %v", p.indices(t))
		}
	})
}

// A value that does not fit its column is named by index, document and field.
func TestE2EValueDoesNotFit(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		p.must(t, fmt.Sprintf(`CREATE TABLE texts (id INT, n STRING) USING es OPTIONS (resource '%st', es.mapping.id 'id'); INSERT INTO texts VALUES (1, '12'), (2, 'abc');
			CREATE TABLE numbers (id INT, n INT) USING es OPTIONS (resource '%[1]st', es.mapping.id 'id')`, p.prefix))
		for _, query := range []string{"SELECT * FROM numbers", "SELECT sum(n) FROM numbers"} {
			p.fails(t, 1, query, `^error\[E4101\]`, p.prefix+"t", "document 2", "field n", "abc")
		}
		if got := p.value(t, "SET eslake.read.lenient = true; SELECT count(n) FROM numbers"); !strings.HasSuffix(got, "1") {
			t.Errorf("leniently %s numbers, want 1", got)
		}
	})
}

var writtenRows = regexp.MustCompile(`; ([0-9]+) rows had been written to`)

// said returns how many rows an error says had been written.
func (e ended) said(t *testing.T) int {
	t.Helper()
	m := writtenRows.FindStringSubmatch(e.err)
	if m == nil {
		t.Fatalf("it does not say what was written: %v", e)
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A file that ends within a line stops the load, which says how many rows are
// in the index by then.
func TestE2EHalfALine(t *testing.T) {
	t.Parallel()
	lines := func(format string) string {
		var b strings.Builder
		for i := range 3000 {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := []struct{ name, provider, options, content string }{
		{"csv", "csv", "", lines("%d,row\n") + `3000,"ro`},
		{"ndjson", "json", "", lines(`{"id":%d,"s":"row"}`+"\n") + `{"id":3000,"s":"r`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, p *place) {
				file := filepath.Join(p.dir, "half")
				if err := os.WriteFile(file, []byte(tt.content), 0o600); err != nil {
					t.Fatal(err)
				}
				insert := makeLoad(t, p, ", es.mapping.id 'id'")
				p.must(t, fmt.Sprintf("CREATE TABLE source (id BIGINT, s STRING) USING %s OPTIONS (path '%s')", tt.provider, file))
				e := p.fails(t, 1, "INSERT INTO t SELECT * FROM source", `^error\[E6002\]: `+regexp.QuoteMeta(file), "line 3001")
				said := e.said(t)
				if p.url != "" {
					p.refresh(t)
				}
				if got := p.count(t, "t"); got != said {
					t.Errorf("%d rows are there, it said %d: %v", got, said, e)
				}
				p.must(t, insert)
				if got := p.count(t, "t"); got != loadRows {
					t.Errorf("%d rows after a whole load, want %d", got, loadRows)
				}
			})
		})
	}
}

// A cluster that goes away in a load: what was written is said.
func TestE2EClusterGoesAway(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		insert := makeLoad(t, p, ", es.mapping.id 'id', eslake.write.connections '1'")
		once := []string{"--set", "es.batch.write.retry.count=0", "--set", "es.http.retries=0", "-e"}
		front := newTap(t, p.url)
		front.before(4, isBulk, func() bool { return true })
		e := p.at(front.url).run(t, append(once, insert)...)
		e.check(t, 1, `^error\[E3001\]`, regexp.QuoteMeta(front.url), "; 750 rows had been written to "+p.prefix+"t")
		front.set(nil)
		p.refresh(t)
		if got := p.count(t, "t"); got != 750 {
			t.Errorf("%d rows are there: %v", got, e)
		}
		makeOld(t, p, "o")
		front.before(3, isBulk, func() bool { return true })
		p.at(front.url).run(t, append(once, overwriteOf("o"))...).check(t, 3, `^error\[E3001\]`, "keeps its old rows")
		if state := p.state(t, "", "o"); state != "old" {
			t.Errorf("after an overwrite that could not be done: %s", state)
		}
	})
}

func TestE2ETLS(t *testing.T) {
	t.Parallel()
	srv := servers.TLS(t)
	p := newPlace(t, "tls", srv.URL)
	password := func(text string) string {
		file := filepath.Join(t.TempDir(), "password")
		if err := os.WriteFile(file, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good, bad := password(srv.Password), password("not-it")
	const create = "CREATE TABLE c USING es OPTIONS (resource 'limited-e2e-none')"
	p.run(t, "-u", srv.User, "--password-file", good, "-e", create).check(t, 3, `^error\[E3002\]`, regexp.QuoteMeta(srv.URL))
	p.run(t, "--ca-cert", srv.CAFile, "-u", srv.User, "--password-file", bad, "-e", create).check(t, 3, `^error\[E3003\]`, regexp.QuoteMeta(srv.URL))
	p.run(t, "--ca-cert", srv.CAFile, "-e", create).check(t, 3, `^error\[E3003\]`, regexp.QuoteMeta(srv.URL))
	for _, e := range []ended{
		p.run(t, "-u", srv.User, "--password-file", good, "-e", create),
		p.run(t, "--ca-cert", srv.CAFile, "-u", srv.User, "--password-file", bad, "-e", create),
	} {
		if strings.Contains(e.err, srv.Password) || strings.Contains(e.err, "not-it") {
			t.Errorf("a password is shown: %v", e)
		}
	}

	// A user who may use some indices only, and not even ask for the version.
	limited := []string{"--ca-cert", srv.CAFile, "-u", srv.Limited, "--password-file", good}
	as := func(sql string) ended { return p.run(t, append(limited, "-e", sql)...) }
	index := "limited-" + p.prefix + "t"
	e := as(fmt.Sprintf(`CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '%s', es.mapping.id 'id'); DROP TABLE t PURGE;
		CREATE TABLE t (id INT, s STRING) USING es OPTIONS (resource '%[1]s', es.mapping.id 'id');
		INSERT INTO t VALUES (1, 'a'), (2, 'b'); INSERT OVERWRITE t SELECT id + 10, s FROM t; SELECT * FROM t ORDER BY id`, index))
	if e.code != 0 || e.out != "id,s\n11,a\n12,b\n" {
		t.Errorf("a limited user: %v", e)
	}
	if e := as("DROP TABLE t PURGE"); e.code != 0 {
		t.Error(e)
	}
	as("CREATE TABLE other USING es OPTIONS (resource 'other')").check(t, 1, `^error\[E3004\]`, "other")
}

// limitedFiles is the program with files of at most so many KiB.
func (p *place) limitedFiles(kib int, args ...string) *exec.Cmd {
	cmd := p.command(args...)
	script := fmt.Sprintf(`ulimit -f %d && exec "$@"`, kib)
	shell := "bash" // its blocks are of 1024 bytes
	cmd.Path, cmd.Err = exec.LookPath(shell)
	cmd.Args = append([]string{shell, "-c", script, shell}, cmd.Args...)
	return cmd
}

func needShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("needs bash, to limit the size of files")
	}
}

// A disk that is full is said, and what was there before is there still.
func TestE2EFullDisk(t *testing.T) {
	t.Parallel()
	needShell(t)
	p := newPlace(t, "lake", "")
	const space = `no space|file too large|File too large|too large|full|write`
	t.Run("output", func(t *testing.T) {
		out := filepath.Join(p.dir, "out.csv")
		if err := os.WriteFile(out, []byte("before\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e := runCommand(t, p.limitedFiles(64, "-q", "-o", out, "-e", "SELECT * FROM range(100000)"))
		e.check(t, 1, `^error\[`, regexp.QuoteMeta(out), "file too large")
		if data, err := os.ReadFile(out); string(data) != "before\n" || err != nil {
			t.Errorf("%q, %v", data, err)
		}
		if left, _ := filepath.Glob(filepath.Join(p.dir, ".out.csv*")); len(left) > 0 {
			t.Errorf("left %v", left)
		}
	})
	t.Run("rejects", func(t *testing.T) {
		file := filepath.Join(p.dir, "rejects.ndjson")
		onClusters(t, func(t *testing.T, p *place) {
			p.must(t, fmt.Sprintf(`CREATE TABLE numbers (id INT, n INT) USING es OPTIONS (resource '%st', es.mapping.id 'id'); INSERT INTO numbers VALUES (1, 12);
				CREATE TABLE texts (id INT, n STRING) USING es OPTIONS (resource '%[1]st', es.mapping.id 'id', eslake.rejects.file '%s')`, p.prefix, file))
			e := runCommand(t, p.limitedFiles(16, "-e", "INSERT INTO texts SELECT id, 'abc' FROM range(3000)"))
			e.check(t, 1, `^error\[`, regexp.QuoteMeta(file), "file too large")
		})
	})
	t.Run("lake", func(t *testing.T) {
		p.must(t, `CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource 't', es.mapping.id 'id'); INSERT INTO t VALUES (-1, 'old'), (-2, 'old')`)
		for _, statement := range []string{
			"INSERT INTO t SELECT id, concat(md5(cast(id AS STRING)), md5(cast(-id AS STRING))) FROM range(100000)",
			"INSERT OVERWRITE t SELECT id, concat(md5(cast(id AS STRING)), md5(cast(-id AS STRING))) FROM range(100000)",
		} {
			e := runCommand(t, p.limitedFiles(2048, "-e", statement))
			e.check(t, 1, `^error\[`, "lake.db", space)
			if got := p.value(t, "SELECT concat_ws(' ', count(*), min(s), max(s)) FROM t"); got != "2 old old" {
				t.Errorf("%s on a full disk left %q, it said %v", statement, got, e)
			}
		}
		p.must(t, "INSERT INTO t SELECT id, concat(md5(cast(id AS STRING)), md5(cast(-id AS STRING))) FROM range(100000)")
		if got := p.count(t, "t"); got != 100002 {
			t.Errorf("%d rows with space again", got)
		}
	})
	t.Run("catalog", func(t *testing.T) {
		before := p.value(t, "SHOW TABLES")
		var script strings.Builder
		for i := range 200 {
			fmt.Fprintf(&script, "CREATE TABLE x%d (id BIGINT, s STRING) USING es OPTIONS (resource 'x%[1]d');", i)
		}
		e := runCommand(t, p.limitedFiles(8, "-q", "-e", script.String()))
		e.check(t, 1, `^error\[E6001\]`, "catalog.json", "file too large")
		after := p.value(t, "SHOW TABLES")
		if !strings.Contains(after, before) || strings.Contains(after, "x199") {
			t.Errorf("the catalog holds\n%s\nit held\n%s", after, before)
		}
		if left, _ := filepath.Glob(filepath.Join(p.dir, "data", "eslake", "catalog.json?*")); len(left) > 1 { // the lock
			t.Errorf("left %v", left)
		}
	})
}

// A torn catalog is named, and left as it is.
func TestE2ETornCatalog(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "lake", "")
	p.must(t, "CREATE TABLE t (id BIGINT) USING es OPTIONS (resource 't'); CREATE VIEW v AS SELECT 1 AS one")
	file := filepath.Join(p.dir, "data", "eslake", "catalog.json")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, torn := range [][]byte{whole[:len(whole)/2], whole[:len(whole)-2], append(bytes.Clone(whole), whole...), make([]byte, 512)} {
		if err := os.WriteFile(file, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{"SELECT * FROM t", "CREATE TABLE u (id INT) USING es OPTIONS (resource 'u')", "DROP TABLE t"} {
			p.fails(t, 1, sql, `^error\[E6001\]`, regexp.QuoteMeta(file))
		}
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, torn) {
			t.Errorf("the file was changed: %q, %v", now, err)
		}
	}
}
