package local_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/esds/local"
	"github.com/eslake/eslake/sql/row"
)

// TestMain is also the other process of the tests here: ESLAKE_TEST_LAKE names a
// lake into which it writes rows until its standard input ends.
func TestMain(m *testing.M) {
	if path := os.Getenv("ESLAKE_TEST_LAKE"); path != "" {
		if err := writeForEver(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

func writeForEver(path string) error {
	db := duckdb.New(duckdb.Config{})
	defer db.Close()
	s := local.Open(db, path)
	defer s.Close()
	r := &told{batches: 200}
	_, err := s.Write(context.Background(), esds.Write{Index: "p", ID: "n"}, r)
	return err
}

// told yields batches, says so after each one, and waits for a line after the
// last.
type told struct{ given, batches int }

var numbers = row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "text", Type: row.StringType}, {Name: "fresh", Type: row.IntType}}

func (r *told) Schema() row.Schema { return numbers }

func (r *told) Close() error { return nil }

func (r *told) Next(context.Context) (*row.Batch, error) {
	if r.given == r.batches {
		fmt.Println("all given")
		if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	b := row.NewBatch(numbers)
	for i := range row.BatchSize {
		if err := b.AppendRow(r.given*row.BatchSize+i, strings.Repeat("new ", 10), 1); err != nil {
			return nil, err
		}
	}
	r.given++
	return b, nil
}

// other starts the other process and waits until it has written all rows but not
// committed them.
func other(t *testing.T, path string) (cmd *exec.Cmd, stdin io.WriteCloser) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd = exec.Command(exe)
	cmd.Env = append(os.Environ(), "ESLAKE_TEST_LAKE="+path)
	cmd.Stderr = os.Stderr
	stdin, err = cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // killed
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "all given\n" {
		t.Fatalf("the other process says %q, %v", line, err)
	}
	return cmd, stdin
}

// prepared makes a lake with ten documents that the other process will replace.
func prepared(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "lake.db")
	db := duckdb.New(duckdb.Config{})
	s := local.Open(db, path)
	old := row.Schema{numbers[0], numbers[1]}
	values := make([][]any, 10)
	for i := range values {
		values[i] = []any{i, "old"}
	}
	check(t, "prepare", write(t, s, esds.Write{Index: "p", ID: "n"}, rows(t, old, values...)), "rows 10 created 10 updated 0 deleted 0 noop 0 rejected 0")
	if err := errors.Join(s.Close(), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestKilledWrite(t *testing.T) {
	path := prepared(t)
	cmd, _ := other(t, path)
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	s := open(t, path)
	if n, err := s.Count(t.Context(), "p"); n != 10 || err != nil {
		t.Errorf("count = %d, %v", n, err)
	}
	check(t, "read", read(t, s, "p", text("text", "fresh")), strings.TrimSpace(strings.Repeat("[old <nil>]\n", 10)))
	x, err := s.Open(t.Context(), "p", nil)
	if err != nil || len(x.Schema()) != 2 {
		t.Errorf("schema = %v, %v", x.Schema(), err)
	}
	check(t, "write", write(t, s, esds.Write{Index: "p", ID: "n"}, rows(t, numbers, []any{3, "again", 1})), "rows 1 created 0 updated 1 deleted 0 noop 0 rejected 0")
}

func TestTwoProcesses(t *testing.T) {
	path := prepared(t)
	cmd, stdin := other(t, path)
	s := open(t, path)
	local.SetWait(s, func(ctx context.Context) error { return ctx.Err() })
	_, err := s.Count(t.Context(), "p")
	var e *esds.Error
	if !errors.Is(err, esds.ErrLocked) || !errors.As(err, &e) || !strings.Contains(err.Error(), fmt.Sprintf("process %d", cmd.Process.Pid)) || e.Hint == "" {
		t.Errorf("error = %v", err)
	}
	waits := 0
	local.SetWait(s, func(context.Context) error { // the other ends while this one waits
		waits++
		if waits > 1 {
			return nil
		}
		if _, err := io.WriteString(stdin, "\n"); err != nil {
			return err
		}
		return cmd.Wait()
	})
	if n, err := s.Count(t.Context(), "p"); n != 200*row.BatchSize || err != nil || waits != 1 {
		t.Errorf("count = %d, %v after %d waits", n, err, waits)
	}
}

// A lake appears whole: a process that is killed at any moment leaves none, or one
// that can be opened.
func TestLakeAppearsWhole(t *testing.T) {
	for range 20 {
		path := filepath.Join(t.TempDir(), "lake.db")
		db := duckdb.New(duckdb.Config{})
		s := local.Open(db, path)
		made := make(chan error, 1)
		go func() {
			_, err := s.Write(context.Background(), esds.Write{Index: "p", ID: "id"}, row.NewBatches(people, row.NewBatch(people)))
			made <- errors.Join(err, s.Close(), db.Close())
		}()
		for ended := false; !ended; {
			select {
			case err := <-made:
				if ended = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
			head, err := os.ReadFile(path)
			const heads = 3 * 4096 // DuckDB's main head and the heads of its two versions
			if (ended || err == nil) && (len(head) < heads || string(head[8:12]) != "DUCK") {
				t.Fatalf("there was a file of %d bytes, %v", len(head), err)
			}
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%v, %v", info.Mode(), err)
		}
		if left, err := filepath.Glob(path + ".new*"); err != nil || len(left) > 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	}
}

// What a killed process left of a lake that it began is no hindrance.
func TestLeftOfALakeThatWasBegun(t *testing.T) {
	whole := prepared(t)
	text, err := os.ReadFile(whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 100, 4095, 4096, 4097, 8192, 12287} {
		path := filepath.Join(t.TempDir(), "lake.db")
		if err := os.WriteFile(path+".new", text[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		s := open(t, path)
		check(t, "write", write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, people, person("1", "Ann", 30))), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
		if left, err := filepath.Glob(path + ".new*"); err != nil || len(left) > 0 {
			t.Errorf("with %d bytes: left %v, %v", n, left, err)
		}
	}
	// A link may name the file that is to be made.
	dir := t.TempDir()
	path, target := filepath.Join(dir, "lake.db"), filepath.Join(dir, "elsewhere.db")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	s := open(t, path)
	check(t, "write", write(t, s, esds.Write{Index: "p", ID: "id"}, rows(t, people, person("1", "Ann", 30))), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
}
