package local_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// broken gives its rows, then an error.
type broken struct{ row.Reader }

var errBroken = errors.New("the rows broke off")

func (b broken) Next(ctx context.Context) (*row.Batch, error) {
	batch, err := b.Reader.Next(ctx)
	if row.Ended(err) {
		return nil, errBroken
	}
	return batch, err
}

// The lake knows a job exactly when it has its rows, also when it is opened again.
func TestCommitted(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "lake.db")
	s := open(t, path)
	committed := func(s esds.Atomic, job string) *esds.Report {
		t.Helper()
		report, err := s.Committed(ctx, job)
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if r := committed(s, "a"); r != nil {
		t.Errorf("before any job: %+v", r)
	}
	want, err := s.Write(ctx, esds.Write{Index: "t", IDPrefix: "a-", Job: "a"}, rows(t, people, person("1", "Ann", 3)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write(ctx, esds.Write{Index: "t", IDPrefix: "b-", Job: "b"}, broken{rows(t, people, person("2", "Bob", 4))}); !errors.Is(err, errBroken) {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if r := committed(again, "a"); r == nil || *r != want {
		t.Errorf("a job that wrote: %+v, want %+v", r, want)
	}
	if r := committed(again, "b"); r != nil {
		t.Errorf("a job that broke off: %+v", r)
	}
}
