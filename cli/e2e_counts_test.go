//go:build unix

package cli_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// countedJob is a load that is killed when the cluster has taken a request whose
// answer it did not get, and what its resume is to count in the end.
type countedJob struct {
	name      string
	operation string
	before    string // rows that the target has; "" for none
	rows      string // that are loaded
	says      string
	rejects   int
	cut       bool // the machine lost its power too, and the last lines of the journal
}

const (
	countedRange = "SELECT id, concat('row ', id) AS s FROM range(2000)"
	countedIndex = "SELECT id, s FROM source"
)

var countedJobs = []countedJob{
	{"index", "index", "", countedRange, "(2,000 created, 0 updated, 0 rejected)", 0, false},
	{"index over old documents", "index", "SELECT id, 'old' AS s FROM range(0, 2000, 2)", countedRange, "(1,000 created, 1,000 updated, 0 rejected)", 0, false},
	{"create", "create", "", countedRange, "(2,000 created, 0 updated, 0 rejected)", 0, false},
	{"create over old documents", "create", "SELECT id, 'old' AS s FROM range(0, 2000, 4)", countedRange, "(1,500 created, 0 updated, 500 rejected)", 500, false},
	{"create over documents that are the same", "create", "SELECT id, concat('row ', id) AS s FROM range(1600, 2000)", countedRange, "(1,600 created, 0 updated, 400 rejected)", 400, false},
	{"create of kept rows", "create", "", countedIndex, "(2,000 created, 0 updated, 0 rejected)", 0, false},
	{"create before a power cut", "create", "", countedRange, "(2,000 created, 0 updated, 0 rejected)", 0, true},
	{"create of kept rows before a power cut", "create", "", countedIndex, "(2,000 created, 0 updated, 0 rejected)", 0, true},
	{"create over old documents before a power cut", "create", "SELECT id, 'old' AS s FROM range(0, 2000, 4)", countedRange, "(1,500 created, 0 updated, 500 rejected)", 500, true},
	{"upsert", "upsert", "SELECT id, 'old' AS s FROM range(0, 2000, 2)", countedRange, "(1,000 created, 1,000 updated, 0 rejected)", 0, false},
	{"update", "update", "SELECT id, 'old' AS s FROM range(2000)", countedRange, "(0 created, 2,000 updated, 0 rejected)", 0, false},
	{"delete", "delete", "SELECT id, 'old' AS s FROM range(2000)", countedRange, "(0 created, 0 updated, 2,000 deleted, 0 rejected)", 0, false},
	// Rows of an index are written again from the first. What was acknowledged is
	// known to have been made; of the request without an answer nobody can tell.
	{"rows of an index", "index", "", countedIndex, "(1,750 created, 250 updated, 0 rejected)", 0, false},
	{"deletes by rows of an index", "delete", "SELECT id, 'old' AS s FROM range(2000)", countedIndex, "(0 created, 0 updated, 1,750 deleted, 250 unchanged, 0 rejected)", 0, false},
}

// What a resumed job counts is what the index has of it, though the run before was
// killed between what the cluster did and its answer.
func TestE2EResumedCounts(t *testing.T) {
	t.Parallel()
	onClusters(t, func(t *testing.T, p *place) {
		p.must(t, fmt.Sprintf(`CREATE TABLE source (id BIGINT, s STRING) USING es OPTIONS (resource '%ssource', es.mapping.id 'id');
			INSERT INTO source %s`, p.prefix, countedRange))
		for i, c := range countedJobs {
			t.Run(c.name, func(t *testing.T) {
				p := *p
				p.dir = t.TempDir()
				p.must(t, fmt.Sprintf(`CREATE TABLE source (id BIGINT, s STRING) USING es OPTIONS (resource '%ssource', es.mapping.id 'id');
					CREATE TABLE old (id BIGINT, s STRING) USING es OPTIONS (resource '%[1]st%[2]d', es.mapping.id 'id');
					CREATE TABLE t (id BIGINT, s STRING) USING es OPTIONS (resource '%[1]st%[2]d', es.mapping.id 'id', es.write.operation '%[3]s', es.batch.size.entries '250', eslake.write.connections '1')`,
					p.prefix, i, c.operation))
				if c.before != "" {
					p.must(t, "INSERT INTO old "+c.before)
				}
				checkCounts(t, &p, c)
			})
		}
	})
}

func checkCounts(t *testing.T, p *place, c countedJob) {
	t.Helper()
	front := newTap(t, p.url)
	killAfterRequest(t, p, front, "INSERT INTO t "+c.rows, 5)
	id := p.listJobs(t)[0][0]
	if c.before == "" { // five requests were taken, and four are known to have been
		if shown := p.at(front.url).run(t, "jobs", "show", id); !strings.Contains(shown.out, "1,000 settled") || !strings.Contains(shown.out, "holds 1,250 documents") {
			t.Errorf("%v", shown)
		}
	}
	if c.cut {
		loseLines(t, filepath.Join(p.dir, "state", "eslake", "jobs", id, "journal.ndjson"))
	}
	e := p.at(front.url).run(t, "jobs", "resume", id)
	if c.rejects == 0 && e.code != 0 || c.rejects > 0 && e.code != 5 || !strings.Contains(e.err, c.says) {
		t.Errorf("resumed, want %s: %v", c.says, e)
	}
	if again := c.rows == countedIndex && c.operation != "create"; again != strings.Contains(e.err, "NOTICE: the job was begun again") {
		t.Errorf("resumed: %v", e)
	}
	if shown := p.at(front.url).run(t, "jobs", "show", id); !strings.Contains(shown.out, "state      done") {
		t.Errorf("%v", shown)
	}
	if c.rejects > 0 {
		if got := len(readRejects(t, filepath.Join(p.dir, "state", "eslake", "jobs", id, "rejects.ndjson"))); got != c.rejects {
			t.Errorf("%d rejects are kept, want %d", got, c.rejects)
		}
	}
	want := 2000
	if c.operation == "delete" {
		want = 0
	}
	p.refresh(t)
	if got := p.count(t, "t"); got != want {
		t.Errorf("%d documents, want %d", got, want)
	}
}

// loseLines takes the last lines of a journal, which the disk did not have when the
// machine lost its power, and makes another start of the machine of the one that it
// names.
func loseLines(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, acked := 0, 0; i < len(lines); i++ {
		if bytes.Contains(lines[i], []byte(`"acked":`)) {
			if acked++; acked == 2 {
				lines = lines[:i+1]
			}
		}
	}
	kept := bytes.Join(lines, nil)
	before := regexp.MustCompile(`"boot":"[^"]+"`).ReplaceAll(kept, []byte(`"boot":"before"`))
	if len(kept) == len(text) || bytes.Equal(before, kept) {
		t.Fatalf("nothing is lost of the journal:\n%s", text)
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
}

// killAfterRequest runs a statement and kills the program when the server has
// answered its nth bulk request, which the program does not hear of.
func killAfterRequest(t *testing.T, p *place, front *tap, sql string, n int) {
	t.Helper()
	started := make(chan *running, 1)
	front.before(n, isBulk, func() bool {
		defer func() {
			r := <-started
			_ = r.cmd.Process.Signal(syscall.SIGKILL)
			<-r.done
		}()
		return true
	})
	look := front.look
	front.set(func(r *http.Request) bool {
		if !isBulk(r) {
			return look(r)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		if n--; n == 0 {
			again, err := http.NewRequestWithContext(t.Context(), r.Method, p.url+r.URL.RequestURI(), bytes.NewReader(body))
			if err == nil {
				again.Header = r.Header.Clone()
				var answer *http.Response
				if answer, err = http.DefaultClient.Do(again); err == nil {
					err = answer.Body.Close()
				}
			}
			if err != nil {
				t.Error(err)
			}
		}
		return look(r)
	})
	r := start(t, p.at(front.url).command("-e", sql))
	started <- r
	if e := r.wait(t); e.code != -1 {
		t.Fatalf("it ended before it was killed: %v", e)
	}
	front.set(nil)
}
