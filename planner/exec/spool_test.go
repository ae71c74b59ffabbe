package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/row"
)

var spoolSchema = row.Schema{{Name: "id", Type: row.BigIntType}, {Name: "s", Type: row.StringType}}

func numbers(from, to int) *row.Batch {
	b := row.NewBatch(spoolSchema)
	for i := from; i < to; i++ {
		_ = b.AppendRow(i, "row")
	}
	return b
}

func writeSpool(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "spool")
	n, err := exec.WriteSpool(context.Background(), path, row.NewBatches(spoolSchema, numbers(0, 3), numbers(0, 0), numbers(3, 7)))
	if err != nil || n != 7 {
		t.Fatal(n, err)
	}
	return path
}

func readSpool(path string, s row.Schema) ([][]any, error) {
	in, err := exec.OpenSpool(path, s)
	if err != nil {
		return nil, err
	}
	return row.ReadAll(context.Background(), in)
}

func TestSpoolGivesTheRowsBack(t *testing.T) {
	path := writeSpool(t)
	for range 2 {
		rows, err := readSpool(path, spoolSchema)
		if err != nil || len(rows) != 7 || !reflect.DeepEqual(rows[6], []any{int64(6), "row"}) {
			t.Error(rows, err)
		}
	}
	if _, err := readSpool(path, spoolSchema[:1]); err == nil {
		t.Error("read with other columns")
	}
}

// A spool that is cut off, or changed by one byte anywhere, is an error and never
// fewer or other rows.
func TestDamagedSpool(t *testing.T) {
	path := writeSpool(t)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for n := range good {
		if err := os.WriteFile(path, good[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readSpool(path, spoolSchema); err == nil {
			t.Errorf("read with %d of %d bytes", n, len(good))
		}
		bad := append([]byte{}, good...)
		bad[n] ^= 0x10
		if err := os.WriteFile(path, bad, 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *exec.SpoolError
		if _, err := readSpool(path, spoolSchema); !errors.As(err, &damaged) {
			t.Errorf("read with byte %d changed: %v", n, err)
		}
	}
}

// broken fails after its batches.
type broken struct{ row.Reader }

var errBroken = errors.New("the source broke")

func (b broken) Next(ctx context.Context) (*row.Batch, error) {
	batch, err := b.Reader.Next(ctx)
	if row.Ended(err) {
		return nil, errBroken
	}
	return batch, err
}

func TestSpoolOfABrokenSourceIsRemoved(t *testing.T) {
	path := filepath.Join(t.TempDir(), "spool")
	if _, err := exec.WriteSpool(context.Background(), path, broken{row.NewBatches(spoolSchema, numbers(0, 3))}); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Error("it is there still")
	}
}

func TestTrimRejects(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rejects.ndjson")
	const before = `{"row":9,"id":"of another statement"}` + "\n"
	const ours = `{"row":2,"id":"a"}` + "\n" + `{"row":7,"id":"b"}` + "\n" + `{"row":5,"id":"c"}` + "\n" + `{"row":1,"i`
	if err := os.WriteFile(path, []byte(before+ours), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := exec.TrimRejects(path, int64(len(before)), 5); err != nil {
		t.Fatal(err)
	}
	want := before + `{"row":2,"id":"a"}` + "\n" + `{"row":5,"id":"c"}` + "\n"
	if got, _ := os.ReadFile(path); string(got) != want {
		t.Errorf("got %s", got)
	}
	if err := exec.TrimRejects(filepath.Join(t.TempDir(), "none"), 0, 5); err != nil {
		t.Error(err)
	}
}
