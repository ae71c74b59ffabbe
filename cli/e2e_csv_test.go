//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

// manyRows is how many rows a place gets: all that ESLAKE_TEST_LARGE asks for,
// and fewer on the fake, which holds them in the memory of the test.
func manyRows(p *place) int {
	switch {
	case p.name == "fake":
		return 1000
	case os.Getenv("ESLAKE_TEST_LARGE") != "":
		return 300_000
	default:
		return 20_000
	}
}

// rows of 30 columns go in by INSERT … SELECT and out by SELECT, and not a byte
// is different, up to the order of rows.
func TestE2ECSVInAndOut(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		n := manyRows(p)
		in, out := filepath.Join(p.dir, "in.csv"), filepath.Join(p.dir, "out.csv")
		generate(t, in, n, gencsv.Options{})
		p.must(t, fmt.Sprintf(`CREATE TABLE source (%s) USING csv OPTIONS (path '%s', header 'true', multiLine 'true', escape '"')`, gencsv.DDL(), in))
		p.must(t, fmt.Sprintf(`CREATE TABLE t (%s) USING es OPTIONS (resource '%st', es.mapping.id 'id', eslake.index.settings.number_of_shards '2')`, gencsv.DDL(), p.prefix))
		for _, want := range []string{"%d created, 0 updated, 0 rejected", "0 created, %d updated, 0 rejected"} { // the same load twice gives no row twice
			e := p.measured(t, "-e", "INSERT INTO t SELECT * FROM source")
			if e.code != 0 || !strings.Contains(strings.ReplaceAll(e.err, ",", ""), strings.ReplaceAll(fmt.Sprintf(want, n), ",", "")) {
				t.Fatal(e)
			}
		}
		if e := p.measured(t, "-e", "SELECT * FROM t", "-o", out); e.code != 0 {
			t.Fatal(e)
		}
		sameRecords(t, in, out)
	})
}

// Every column of a file that is named in FROM is text, which LEGACY casts to
// the types of the table.
func TestE2ECSVByPath(t *testing.T) {
	t.Parallel()
	everywhere(t, func(t *testing.T, p *place) {
		in, want, out := filepath.Join(p.dir, "in.csv"), filepath.Join(p.dir, "want.csv"), filepath.Join(p.dir, "out.csv")
		generate(t, in, 1000, gencsv.Options{NoHeader: true})
		plainText(t, in, want)
		p.must(t, fmt.Sprintf(`CREATE TABLE t (%s) USING es OPTIONS (resource '%st', es.mapping.id 'id')`, gencsv.DDL(), p.prefix))
		insert := fmt.Sprintf("INSERT INTO t SELECT * FROM csv.`%s`", want)
		if e := p.run(t, "-e", insert); e.code != 4 || !strings.Contains(e.err, "STRING") {
			t.Errorf("text for a number is stored without being asked: %v", e)
		}
		p.must(t, "SET spark.sql.storeAssignmentPolicy = LEGACY; "+insert)
		if e := p.run(t, "--no-header", "-o", out, "-e", "SELECT * FROM t"); e.code != 0 {
			t.Fatal(e)
		}
		sameRecords(t, want, out)
	})
}

func generate(t *testing.T, path string, n int, opts gencsv.Options) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := gencsv.Write(f, n, 1, opts); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// plainText copies a file without what a reader without options would not read
// as it was meant: quotes, backslashes, ends of lines, outer blanks, and empty
// strings.
func plainText(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	records, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	clean := strings.NewReplacer(`"`, "", `\`, "/", "\n", " ", "\t", " ")
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	for _, record := range records {
		for i, value := range record {
			record[i] = strings.TrimSpace(clean.Replace(value))
		}
		if err := w.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	if err := os.WriteFile(to, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// sameRecords compares two files byte for byte, up to the order of records.
func sameRecords(t *testing.T, wantFile, gotFile string) {
	t.Helper()
	want, got := sums(t, wantFile), sums(t, gotFile)
	if slices.Equal(want, got) {
		return
	}
	known := map[[sha256.Size]byte]bool{}
	for _, sum := range want {
		known[sum] = true
	}
	t.Errorf("%d records, want %d", len(got), len(want))
	shown := 0
	eachRecord(t, gotFile, func(record []byte) {
		if !known[sha256.Sum256(record)] && shown < 3 {
			t.Errorf("not in the file that was read: %q", record)
			shown++
		}
	})
}

// sums returns the sorted sums of all records.
func sums(t *testing.T, file string) [][sha256.Size]byte {
	t.Helper()
	var all [][sha256.Size]byte
	eachRecord(t, file, func(record []byte) { all = append(all, sha256.Sum256(record)) })
	slices.SortFunc(all, func(a, b [sha256.Size]byte) int { return bytes.Compare(a[:], b[:]) })
	return all
}

// eachRecord calls f with every record: lines, joined where a quote is open.
func eachRecord(t *testing.T, file string, f func([]byte)) {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	lines := bufio.NewReaderSize(in, 1<<16)
	var record []byte
	for {
		line, err := lines.ReadBytes('\n')
		record = append(record, line...)
		if len(record) > 0 && (err != nil || bytes.Count(record, []byte{'"'})%2 == 0) {
			f(record)
			record = record[:0]
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
