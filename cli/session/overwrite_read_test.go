package session_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// overwrittenRows is how many rows TestReaderDuringSwap writes: ESLAKE_TEST_ROWS,
// or a few.
func overwrittenRows(t *testing.T) int {
	t.Helper()
	text := os.Getenv("ESLAKE_TEST_ROWS")
	if text == "" {
		return 2000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// testReaderDuringSwap counts and reads in a loop while an index is overwritten
// by swap: all old rows, or all new ones, each time.
func testReaderDuringSwap(t *testing.T, url string) {
	rows := overwrittenRows(t)
	w, reader := newWorld(t, at(url)), newWorld(t, at(url))
	w.run(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '${prefix}t', 'es.mapping.id' 'id', 'eslake.overwrite.mode' 'swap');
		INSERT OVERWRITE t SELECT id, 'old' FROM range(300)`, false)
	reader.run(`CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '`+w.prefix+`t')`, false)
	old, fresh := "n,a,b\n300,old,old\n", fmt.Sprintf("n,a,b\n%d,new,new\n", rows)
	seen := map[string]int{}
	read := func() {
		seen[reader.run("SELECT count(*) AS n, min(s) AS a, max(s) AS b FROM (SELECT id, s FROM t WHERE length(s) = 3)", true)]++
	}
	read()
	written := make(chan string, 1)
	go func() {
		written <- w.run(fmt.Sprintf("INSERT OVERWRITE t SELECT id, 'new' FROM range(%d)", rows), true)
	}()
	for out := ""; out == ""; {
		read()
		select {
		case out = <-written:
			t.Logf("%q", out)
		default:
		}
	}
	read()
	for got, n := range seen {
		t.Logf("%d times %q", n, got)
		if got != old && got != fresh {
			t.Errorf("a reader saw, %d times: %q", n, got)
		}
	}
	if seen[old] == 0 || seen[fresh] == 0 {
		t.Errorf("a reader saw %v", seen)
	}
}

func TestReaderDuringSwap(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) { testReaderDuringSwap(t, esdstest.New(t, flavour).URL) })
	}
}

func TestReaderDuringSwapReal(t *testing.T) { servers.Each(t, testReaderDuringSwap) }
