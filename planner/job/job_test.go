package job_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

func begin(t *testing.T, s *job.Store, id string) *job.Journal {
	t.Helper()
	j, err := s.Begin(job.Start{ID: id, Kind: job.Insert, Statement: "INSERT INTO t VALUES ('a<b')", Table: "default.t", Index: "t"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	return j
}

func read(t *testing.T, s *job.Store, id string) *job.Record {
	t.Helper()
	r, err := s.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestJournalTellsTheStory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "jobs")
	s := job.Open(dir)
	if list, err := s.List(); err != nil || list != nil {
		t.Fatal("nothing is there yet:", list, err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Error("listing made the folder")
	}
	j := begin(t, s, "a1")
	must(t, j.Step("spooled", map[string]any{"rows": 7}), j.Ack(3, esds.Report{Rows: 3, Created: 2, Rejected: 1}))
	if r := read(t, s, "a1"); r.State != job.Running || r.Acked != 3 || r.Settled.Created != 2 || r.Outcome != nil || r.Runs != 1 {
		t.Errorf("while it runs: %+v", r)
	}
	must(t, j.Finish(job.Outcome{Counts: esds.Report{Rows: 7, Created: 7}}), j.Close(), j.Close())
	r := read(t, s, "a")
	if step, ok := r.Step("spooled"); !ok || step.Facts["rows"] != 7.0 {
		t.Errorf("the step: %+v", step)
	}
	if r.State != job.Done || r.Outcome.Counts.Rows != 7 || r.Statement != "INSERT INTO t VALUES ('a<b')" {
		t.Errorf("at the end: %+v", r)
	}
	text, _ := os.ReadFile(filepath.Join(dir, "a1", "journal.ndjson"))
	if n := strings.Count(string(text), "\n"); n != 4 || !strings.Contains(string(text), "'a<b'") {
		t.Errorf("%d lines, not for a person:\n%s", n, text)
	}
}

func TestInterruptedThenResumed(t *testing.T) {
	s := job.Open(t.TempDir())
	j := begin(t, s, "a1")
	must(t, j.Ack(5, esds.Report{Rows: 5, Created: 5}), j.Close())
	if r := read(t, s, "a1"); r.State != job.Interrupted {
		t.Errorf("state %s", r.State)
	}
	again, r, err := s.Resume("a1")
	must(t, err)
	if r.Acked != 5 || r.Runs != 2 || again.Base().Created != 5 {
		t.Errorf("resumed with %+v", r)
	}
	if _, _, err := s.Resume("a1"); !errors.Is(err, job.ErrRunning) {
		t.Errorf("a second resume: %v", err)
	}
	if err := s.Remove("a1"); !errors.Is(err, job.ErrRunning) {
		t.Errorf("removed while it runs: %v", err)
	}
	must(t, again.Ack(8, esds.Report{Rows: 3, Created: 2, Rejected: 1}), again.Finish(job.Outcome{}), again.Close())
	r = read(t, s, "a1")
	if want := (esds.Report{Rows: 8, Created: 7, Rejected: 1}); r.Settled != want || r.Acked != 8 || r.State != job.Done {
		t.Errorf("after both runs: %+v", r)
	}
	if _, _, err := s.Resume("a1"); !errors.Is(err, job.ErrFinished) {
		t.Errorf("resumed when done: %v", err)
	}
	undo, _, err := s.Reopen("a1")
	must(t, err, undo.Undone("b2"), undo.Close())
	if r := read(t, s, "a1"); r.State != job.Undone || r.UndoneBy != "b2" {
		t.Errorf("undone: %+v", r)
	}
	must(t, s.Remove("a1"))
	if _, err := s.Read("a1"); !errors.Is(err, job.ErrNotFound) {
		t.Errorf("read when removed: %v", err)
	}
}

// bootedSince makes a journal one that was written before the machine began anew.
func bootedSince(t *testing.T, s *job.Store, id string) {
	t.Helper()
	path := filepath.Join(s.Dir(), id, "journal.ndjson")
	text, err := os.ReadFile(path)
	must(t, err)
	before := regexp.MustCompile(`"boot":"[^"]+"`).ReplaceAll(text, []byte(`"boot":"before"`))
	if bytes.Equal(before, text) {
		t.Skip("the system does not tell one start of the machine from another")
	}
	must(t, os.WriteFile(path, before, 0o600))
}

// A journal may lack its last lines when the machine began anew before its job came
// to its end, and this is remembered by all runs that follow.
func TestMachineBeganAnew(t *testing.T) {
	s := job.Open(t.TempDir())
	killed, failed := begin(t, s, "killed"), begin(t, s, "failed")
	must(t, killed.Sent(5), killed.Close(), failed.Sent(5), failed.Finish(job.Outcome{Error: "no"}), failed.Close())
	if r := read(t, s, "killed"); r.Cut {
		t.Error("a killed process has lost lines")
	}
	bootedSince(t, s, "killed")
	bootedSince(t, s, "failed")
	if r := read(t, s, "failed"); r.Cut {
		t.Error("a job that came to its end has lost lines")
	}
	again, r, err := s.Resume("killed")
	must(t, err)
	if !r.Cut {
		t.Error("a resume is not told that lines may be missing")
	}
	must(t, again.Sent(3), again.Close())
	if r := read(t, s, "killed"); !r.Cut || r.Sent != 5 {
		t.Errorf("the next resume is told %+v", r)
	}
}

// Whatever a crash leaves of the last line is ignored, and a resume goes on
// behind the line before.
func TestTornLastLine(t *testing.T) {
	for name, torn := range map[string]string{"cut off": `{"time":"2026-11-2`, "zeros": "\x00\x00\x00\n", "complete but for its end": `{"acked":9,"settled":{"rows":9}}`} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := job.Open(dir)
			j := begin(t, s, "a1")
			must(t, j.Ack(5, esds.Report{Rows: 5}), j.Close())
			path := filepath.Join(dir, "a1", "journal.ndjson")
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = f.WriteString(torn)
			must(t, err, f.Close())
			again, r, err := s.Resume("a1")
			must(t, err)
			if r.Acked != 5 {
				t.Errorf("acked %d", r.Acked)
			}
			must(t, again.Ack(6, esds.Report{Rows: 1}), again.Close())
			if r := read(t, s, "a1"); r.Acked != 6 || r.Settled.Rows != 6 {
				t.Errorf("after the resume: %+v", r)
			}
		})
	}
}

func TestBrokenLineInTheMiddleIsAnError(t *testing.T) {
	dir := t.TempDir()
	s := job.Open(dir)
	must(t, begin(t, s, "a1").Close())
	path := filepath.Join(dir, "a1", "journal.ndjson")
	data, _ := os.ReadFile(path)
	must(t, os.WriteFile(path, append(data, "{\n{}\n"...), 0o600))
	if _, err := s.Read("a1"); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Error(err)
	}
}

func TestNamesAndIDs(t *testing.T) {
	s := job.Open(t.TempDir())
	j, err := s.Begin(job.Start{ID: "a1", Name: "nightly/1"})
	must(t, err, j.Close())
	if _, err := s.Begin(job.Start{ID: "a2", Name: "nightly/1"}); !errors.Is(err, job.ErrTaken) {
		t.Errorf("the same name again: %v", err)
	}
	if _, err := s.Begin(job.Start{ID: "a1"}); !errors.Is(err, os.ErrExist) {
		t.Errorf("the same id again: %v", err)
	}
	for _, id := range []string{"", "../x", ".hidden"} {
		if _, err := s.Begin(job.Start{ID: id}); err == nil {
			t.Errorf("id %q was taken", id)
		}
	}
	must(t, begin(t, s, "ab").Close())
	if r := read(t, s, "nightly/1"); r.ID != "a1" {
		t.Errorf("by name: %+v", r)
	}
	if _, err := s.Read("a"); err == nil || !strings.Contains(err.Error(), "several jobs begin so: a1, ab") {
		t.Error(err)
	}
	if _, err := s.Read("x"); !errors.Is(err, job.ErrNotFound) {
		t.Error(err)
	}
	list, err := s.List()
	must(t, err)
	var ids []string
	for _, r := range list {
		ids = append(ids, r.ID)
	}
	if !reflect.DeepEqual(ids, []string{"ab", "a1"}) {
		t.Errorf("list %v", ids)
	}
}

func TestDebris(t *testing.T) {
	dir := t.TempDir()
	s := job.Open(dir)
	begin(t, s, "a1")
	must(t, os.Mkdir(filepath.Join(dir, "begun"), 0o700), os.WriteFile(filepath.Join(dir, "lock"), nil, 0o600))
	if got, err := s.Debris(); err != nil || !reflect.DeepEqual(got, []string{"begun"}) {
		t.Error(got, err)
	}
	must(t, s.Remove("begun"))
	if got, err := s.Debris(); err != nil || len(got) > 0 {
		t.Error(got, err)
	}
	if list, err := s.List(); err != nil || len(list) != 1 {
		t.Error(list, err)
	}
}

func TestFolderThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "jobs"), nil, 0o600))
	if _, err := job.Open(filepath.Join(dir, "jobs")).Begin(job.Start{ID: "a1"}); err == nil {
		t.Error("begun in a file")
	}
	if _, err := job.Open(filepath.Join(dir, "jobs")).List(); err == nil {
		t.Error("listed a file")
	}
}
