package catalog_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/eslake/eslake/catalog"
)

// asWriter makes the test binary one of many processes that write a catalog.
const asWriter = "ESLAKE_TEST_CATALOG_WRITER"

func TestMain(m *testing.M) {
	if name := os.Getenv(asWriter); name != "" {
		if err := write(os.Getenv("ESLAKE_TEST_CATALOG"), name); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const tablesEach = 5

// write makes tables with secrets, reads each back, and drops one again.
func write(path, name string) error {
	c := catalog.Open(path)
	for i := range tablesEach {
		table := fmt.Sprintf("%s_%d", name, i)
		if _, err := c.CreateTable(&catalog.Table{Name: table, Options: map[string]string{"pass": table}}, false, false); err != nil {
			return err
		}
		got, err := c.Table("", table)
		if err != nil {
			return err
		}
		if got.Options["pass"] != table {
			return fmt.Errorf("table %s has the pass %q", table, got.Options["pass"])
		}
	}
	return c.DropTable("", name+"_0")
}

func TestManyProcessesLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "catalog.json")
	var running []*exec.Cmd
	for i := range 20 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=p%d", asWriter, i), "ESLAKE_TEST_CATALOG="+path)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		running = append(running, cmd)
	}
	for _, cmd := range running {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	complete(t, path, 20)
}

func TestManyGoroutinesLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	shared := catalog.Open(path)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			if err := write(path, fmt.Sprintf("p%d", i)); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			for range 20 {
				if _, err := shared.Tables("", ""); err != nil {
					t.Error(err)
				}
				if _, err := shared.Table("", "p0_1"); err != nil && !errors.As(err, new(*catalog.NotFoundError)) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	complete(t, path, 8)
}

func complete(t *testing.T, path string, writers int) {
	t.Helper()
	c := catalog.Open(path)
	tables, err := c.Tables("", "")
	if err != nil || len(tables) != writers*(tablesEach-1) {
		t.Errorf("tables = %d, want %d (%v)", len(tables), writers*(tablesEach-1), err)
	}
	for _, table := range tables {
		if got, err := c.Table("", table.Name); err != nil || got.Options["pass"] != table.Name {
			t.Errorf("table %s: %+v, %v", table.Name, got, err)
		}
	}
	list, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(list) != 3 {
		t.Errorf("files left: %v", list)
	}
}
