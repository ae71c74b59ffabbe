package bench

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
)

// What a wide row is: so many columns of text besides its id, of so many bytes.
const (
	wideColumns = 30
	wideBytes   = 150
	wideTable   = "wide"
)

// wideDDL is the columns of wide rows.
func wideDDL() string {
	ddl := "id INT"
	for i := range wideColumns {
		ddl += fmt.Sprintf(", c%d STRING", i)
	}
	return ddl
}

// writeWide writes rows of text that cannot be compressed much as CSV.
func writeWide(w io.Writer, rows int) error {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 ."
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same rows each time
	pool := make([]byte, 1<<20)
	for i := range pool {
		pool[i] = letters[random.IntN(len(letters))]
	}
	out := bufio.NewWriter(w)
	fmt.Fprint(out, strings.ReplaceAll(strings.ReplaceAll(wideDDL(), " STRING", ""), " INT", ""), "\n")
	for n := range rows {
		fmt.Fprint(out, n)
		for range wideColumns {
			at := random.IntN(len(pool) - wideBytes)
			fmt.Fprintf(out, ",%s", pool[at:at+wideBytes])
		}
		fmt.Fprintln(out)
	}
	return out.Flush()
}

// lakeWide loads and reads rows of 4.5 kB, a third as many as in the other groups:
// memory must be bounded by bytes, not by rows.
func (s *Suite) lakeWide(ctx context.Context) ([]Case, error) {
	rows := max(1, s.Rows/3)
	s.Say("%d wide rows of CSV", rows)
	out, err := os.Create(s.file("wide.csv"))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(writeWide(out, rows), out.Close()); err != nil {
		return nil, err
	}
	_, err = s.eslake("",
		"CREATE OR REPLACE TABLE "+wideTable+" ("+wideDDL()+") USING es OPTIONS (resource '"+wideTable+"', es.mapping.id 'id')",
		"CREATE OR REPLACE TABLE wide_rows ("+wideDDL()+") USING csv OPTIONS (path '"+s.file("wide.csv")+"', header 'true')",
	).Measure(ctx)
	if err != nil {
		return nil, err
	}
	load := s.eslake("", "INSERT INTO "+wideTable+" SELECT * FROM wide_rows")
	read := func(name, format, sql string, goal Goal, verify func() error) Case {
		return Case{Name: "embedded lake: " + name, Docs: rows, Rounds: s.Rounds, Goal: goal, Verify: verify, Eslake: s.query("", format, sql)}
	}
	small := Goal{Peak: 300_000_000}
	return []Case{
		{Name: "embedded lake: load CSV, rows of 4.5 kB", Docs: rows, Rounds: s.Rounds, Goal: small, Prepare: s.removeLake, Eslake: load},
		{Name: "embedded lake: the same over the same ids", Docs: rows, Rounds: s.Rounds, Goal: small, Eslake: load},
		read("`SELECT *` to NDJSON, rows of 4.5 kB", "ndjson", "SELECT * FROM "+wideTable, small, s.wantLines(rows)),
		read("`SELECT * … ORDER BY`, rows of 4.5 kB", "ndjson", "SELECT * FROM "+wideTable+" ORDER BY c7", Goal{}, s.wantLines(rows)),
	}, nil
}
