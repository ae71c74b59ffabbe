package duckdb_test

import (
	"errors"
	"testing"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// wideSort sorts rows that are wider than DuckDB's sort can spill in the memory
// that it has as a rule.
const wideSort = "SELECT i, repeat(hash(i)::VARCHAR, 240) AS t FROM range(30000) t(i) ORDER BY hash(i)"

func TestMemoryGrows(t *testing.T) {
	db := open(t)
	setting := func() string {
		r, err := db.Query(t.Context(), "SELECT current_setting('memory_limit') AS v", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		rows, err := row.ReadAll(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return rows[0][0].(string)
	}
	rule := setting()
	r, err := db.Query(t.Context(), wideSort, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		b, err := r.Next(t.Context())
		if row.Ended(err) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes := len(b.Columns[1].Bytes); b.Len > 16 && bytes > 4<<20 {
			t.Errorf("a batch holds %d bytes", bytes)
		}
		n += b.Len
	}
	if n != 30000 {
		t.Errorf("%d rows, want 30000", n)
	}
	if now := setting(); now == rule {
		t.Errorf("the limit is %s, so nothing was shown", now)
	}
	r.Close()
	if now := setting(); now != rule {
		t.Errorf("the limit is %s after the query, want %s", now, rule)
	}
	release, err := db.Allow(t.Context(), 64_000_000)
	if err != nil {
		t.Fatal(err)
	}
	if now := setting(); now == rule {
		t.Errorf("the limit is %s, with more allowed", now)
	}
	release()
	release()
	if now := setting(); now != rule {
		t.Errorf("the limit is %s at last, want %s", now, rule)
	}
}

func TestMemoryFixed(t *testing.T) {
	db := duckdb.New(duckdb.Config{MemoryLimit: "100MB", TempDir: t.TempDir()})
	t.Cleanup(func() { db.Close() })
	r, err := db.Query(t.Context(), wideSort, nil)
	if err == nil {
		_, err = row.ReadAll(t.Context(), r)
		r.Close()
	}
	var e *duckdb.Error
	if !errors.As(err, &e) || e.Kind != "Out of Memory" {
		t.Errorf("error = %v, want that of the memory", err)
	}
}
