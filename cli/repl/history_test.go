package repl

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestHistoryKeepsStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "history")
	h, err := OpenHistory(path, hide)
	if err != nil {
		t.Fatal(err)
	}
	other, err := OpenHistory(path, hide) // a second shell
	if err != nil {
		t.Fatal(err)
	}
	add := func(h *History, text string) {
		t.Helper()
		if _, err := h.Add(text); err != nil {
			t.Fatal(err)
		}
	}
	add(h, "SELECT 1\n  FROM \"t\" -- ü\n;")
	add(h, "SELECT 1\n  FROM \"t\" -- ü\n;")
	add(other, "SET es.pass = geheim;")
	add(h, `\dt`)
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}
	again, err := OpenHistory(path, hide)
	want := []string{"SELECT 1\n  FROM \"t\" -- ü\n;", "SET es.pass = '***';", `\dt`}
	if err != nil || !reflect.DeepEqual(again.Entries(), want) {
		t.Errorf("entries = %q, %v", again.Entries(), err)
	}
}

func TestHistoryIsNeverInTheWay(t *testing.T) {
	dir := t.TempDir()
	torn := filepath.Join(dir, "torn")
	if err := os.WriteFile(torn, []byte("\"SELECT 1;\"\nnot json\n\"SELECT"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := OpenHistory(torn, hide); err != nil || !reflect.DeepEqual(h.Entries(), []string{"SELECT 1;"}) {
		t.Errorf("torn: %q, %v", h.Entries(), err)
	}
	h, err := OpenHistory(dir, hide) // a folder
	if err == nil || !strings.Contains(err.Error(), "not kept") {
		t.Errorf("folder: %v", err)
	}
	if added, err := h.Add("SELECT 1;"); added == "" || err != nil {
		t.Errorf("folder: %q, %v", added, err)
	}
}

func TestLongHistoryIsCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history")
	if err := os.WriteFile(path, []byte(strings.Repeat("\"a\"\n", 2*maxHistory)+"\"b\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := OpenHistory(path, hide)
	if err != nil || len(h.Entries()) != maxHistory || h.Entries()[maxHistory-1] != "b" {
		t.Errorf("%d entries, %v", len(h.Entries()), err)
	}
	if again, _ := OpenHistory(path, hide); len(again.Entries()) != maxHistory {
		t.Errorf("%d entries in the file", len(again.Entries()))
	}
}
