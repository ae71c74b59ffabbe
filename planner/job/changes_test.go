package job_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

func someChanges() []job.Change {
	return []job.Change{
		{Row: 1, Action: esds.IndexDoc, Index: "i", ID: `a "b"`, Routing: "r", SeqNo: 0, PrimaryTerm: 1, Before: []byte(`{"n" : 1.0}`), After: []byte(`{"n" : 12345678901234567890}`)},
		{Row: 2, Action: esds.DeleteDoc, Index: "i", ID: "ä", SeqNo: 7, PrimaryTerm: 2, Before: []byte(`{"a":1,"a":2}`)},
		{Row: 3, Action: esds.CreateDoc, ID: "c", After: []byte(`{}`)},
	}
}

func writeChanges(t *testing.T, path string, changes []job.Change) {
	t.Helper()
	w, err := job.CreateChanges(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if err := w.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Complete(); err != nil {
		t.Fatal(err)
	}
}

func readChanges(path string) ([]job.Change, error) {
	r, err := job.OpenChanges(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []job.Change
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, c)
	}
}

func TestChangesComeBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), job.ChangesFile)
	want := someChanges()
	writeChanges(t, path, want)
	got, err := readChanges(path)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v (%v)", got, want, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v (%v)", info.Mode(), err)
	}
}

func TestChangesAsRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), job.ChangesFile)
	writeChanges(t, path, someChanges())
	r, err := job.OpenChanges(path)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := row.ReadAll(context.Background(), r.Rows())
	if err != nil {
		t.Fatal(err)
	}
	want := [][]any{
		{"index", `a "b"`, "i", "r", int64(0), int64(1), `{"n" : 12345678901234567890}`},
		{"delete", "ä", "i", nil, int64(7), int64(2), nil},
		{"create", "c", nil, nil, nil, nil, `{}`},
	}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %q\nwant %q", rows, want)
	}
}

// A file that a crash cut off anywhere gives whole changes and then says that it
// is not complete, or nothing at all.
func TestChangesCutOff(t *testing.T) {
	path := filepath.Join(t.TempDir(), job.ChangesFile)
	var many []job.Change
	doc := []byte(`{"text":"` + strings.Repeat("0123456789", 100) + `"}`)
	for i := range 2500 {
		many = append(many, job.Change{Row: int64(i + 1), Action: esds.IndexDoc, ID: fmt.Sprint(i), PrimaryTerm: 1, Before: doc, After: doc})
	}
	writeChanges(t, path, many)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := readChanges(path); err != nil || len(got) != len(many) {
		t.Fatalf("%d changes of %d: %v", len(got), len(many), err)
	}
	step := max(1, len(data)/97)
	for n := 0; n < len(data); n += step {
		if err := os.WriteFile(path, data[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := readChanges(path)
		if !errors.Is(err, job.ErrIncomplete) {
			t.Fatalf("cut at %d of %d bytes: %d changes, %v", n, len(data), len(got), err)
		}
	}
}
