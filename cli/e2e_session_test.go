//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Processes that make tables at the same time lose none.
func TestE2ECatalogOfManyProcesses(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "lake", "")
	var all []*running
	for i := range 20 {
		all = append(all, start(t, p.command("-e", fmt.Sprintf("CREATE TABLE t%02d (id INT) USING es OPTIONS (resource 't%[1]d', es.net.http.auth.user 'u%[1]d', es.net.http.auth.pass 'secret-%[1]d', es.nodes 'http://h%[1]d:9200')", i))))
	}
	for _, r := range all {
		if e := r.wait(t); e.code != 0 {
			t.Error(e)
		}
	}
	if got := strings.Count(p.value(t, "SHOW TABLES"), "default,t"); got != 20 {
		t.Errorf("%d tables, want 20", got)
	}
	data, err := os.ReadFile(p.dir + "/data/eslake/catalog.json")
	if err != nil || bytes.Contains(data, []byte("secret-")) {
		t.Errorf("the catalog holds a password, or cannot be read: %v", err)
	}
}

// A reader that leaves after the first line is no error, and what was open at
// the server is closed.
func TestE2EReaderLeaves(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		p.must(t, makeLoad(t, p, ", es.scroll.size '100'"))
		for _, query := range []string{"SELECT * FROM t", "SELECT * FROM t ORDER BY s"} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			cmd := p.command("-q", "-e", "SELECT 'first' AS f; "+strings.Repeat(query+";", 20)) // more than a pipe holds
			cmd.Stdout = w
			program := start(t, cmd)
			_ = w.Close()
			line, err := bufio.NewReaderSize(r, 16).ReadString('\n')
			_ = r.Close()
			if e := program.wait(t); line != "f\n" || err != nil || e.code != 0 || e.err != "" {
				t.Errorf("%s: read %q, %v: %v", query, line, err, e)
			}
		}
	})
}

// A reader that takes its time does not make the program hold the rows: they
// are more than it may need.
func TestE2EMemoryOfALongSelect(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		const n, length = 350_000, 1000
		if p.name == "fake" || p.name != "lake" && os.Getenv("ESLAKE_TEST_LARGE") == "" {
			t.Skip("takes long on a server: ESLAKE_TEST_LARGE=1 asks for it")
		}
		p.must(t, fmt.Sprintf(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '%st', es.mapping.id 'id', eslake.index.settings.number_of_shards '2');
			INSERT INTO t SELECT id, repeat(cast(id %% 10 AS STRING), %d) FROM range(%d)`, p.prefix, length, n))
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		read := make(chan int64)
		go func() {
			var total int64
			small := make([]byte, 512) // so that the program waits for the reader
			for {
				got, err := r.Read(small)
				total += int64(got)
				if err != nil {
					break
				}
			}
			read <- total
		}()
		cmd := p.command("-q", "--format", "ndjson", "-e", "SELECT * FROM t")
		cmd.Stdout = w
		e := measure(t, cmd)
		_ = w.Close()
		if total := <-read; e.code != 0 || total < n*length {
			t.Errorf("%d bytes: %v", total, e)
		}
	})
}
