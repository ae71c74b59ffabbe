package job_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eslake/eslake/planner/job"
)

// A file is another one when a single byte of it is, whatever its time says, and
// however large it is.
func TestChangedFileIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("id\n1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const size = 70 << 20
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	written := time.Unix(1_700_000_000, 0)
	look := func() []job.File {
		t.Helper()
		if err := os.Chtimes(path, written, written); err != nil {
			t.Fatal(err)
		}
		list, err := job.Look(t.Context(), []string{path}, true)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	set := func(at int64, c byte) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_RDWR, 0)
		if err == nil {
			_, err = f.WriteAt([]byte{c}, at)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	before := look()
	for _, at := range []int64{3, 100_001, size / 2, size - 1} {
		set(at, 'x')
		if got := job.Changed(before, look()); !strings.HasSuffix(got, "rows.csv was changed: its content is not the same") {
			t.Errorf("byte %d was changed: %q", at, got)
		}
		set(at, map[bool]byte{true: '1'}[at == 3])
	}
	written = written.Add(time.Hour)
	if got := job.Changed(before, look()); got != "" {
		t.Errorf("the time alone is another one: %q", got)
	}
	set(size, 0)
	if got := job.Changed(before, look()); !strings.Contains(got, "it has 73400321 bytes, it had 73400320") {
		t.Errorf("one byte more: %q", got)
	}
}

// Who gives up does not wait for the fingerprint of a large file.
func TestFingerprintEndsWithItsStatement(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte("id\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := job.Look(ctx, []string{path}, true); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
