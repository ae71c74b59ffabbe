package local_test

import (
	"path/filepath"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/local"
)

func TestConformance(t *testing.T) {
	esdstest.Suite{Name: "local", Open: func(t *testing.T) esds.Source {
		db := duckdb.New(duckdb.Config{TempDir: t.TempDir()})
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		return local.Open(db, filepath.Join(t.TempDir(), "lake.db"))
	}}.Run(t)
}
