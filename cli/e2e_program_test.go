//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// place is where the tables of a test live, and the folder of its own that the
// program runs in.
type place struct {
	name   string
	url    string // "" is the embedded lake
	prefix string // of the names of all indices
	dir    string
}

// everywhere runs a test on the embedded lake, the fake and the real servers.
func everywhere(t *testing.T, test func(t *testing.T, p *place)) {
	t.Run("lake", func(t *testing.T) { test(t, newPlace(t, "lake", "")) })
	onClusters(t, test)
}

// onClusters runs a test on the fake and the real servers.
func onClusters(t *testing.T, test func(t *testing.T, p *place)) {
	t.Run("fake", func(t *testing.T) { test(t, newPlace(t, "fake", esdstest.New(t, esdstest.OpenSearch2).URL)) })
	servers.Each(t, func(t *testing.T, url string) {
		p := newPlace(t, filepath.Base(t.Name()), url)
		t.Cleanup(func() { p.removeIndices(t) })
		test(t, p)
	})
}

// places counts, so that each has a prefix of its own.
var places atomic.Int64

func newPlace(t *testing.T, name, url string) *place {
	t.Helper()
	return &place{name: name, url: url, dir: t.TempDir(), prefix: fmt.Sprintf("e2e-%d-%d-", os.Getpid(), places.Add(1))}
}

// at is the same place with another address, that of a tap.
func (p *place) at(url string) *place {
	q := *p
	q.url = url
	return &q
}

// command is the program with the place's folders. It is not started yet.
func (p *place) command(args ...string) *exec.Cmd {
	if p.url != "" {
		args = append([]string{"--url", p.url}, args...)
	}
	cmd := exec.Command("eslake", args...) // TestMain puts it into PATH
	cmd.Dir = p.dir
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(p.dir, "data"), "XDG_STATE_HOME="+filepath.Join(p.dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(p.dir, "config"))
	return cmd
}

// ended is what a run of the program left.
type ended struct {
	out, err string
	code     int // -1 when a signal that it does not handle ended it
}

func (e ended) String() string {
	return fmt.Sprintf("exit code %d\n%s%s", e.code, e.out, e.err)
}

// run runs the program to its end.
func (p *place) run(t *testing.T, args ...string) ended {
	t.Helper()
	return runCommand(t, p.command(args...))
}

func runCommand(t *testing.T, cmd *exec.Cmd) ended {
	t.Helper()
	r := start(t, cmd)
	return r.wait(t)
}

// must runs statements that have to succeed and returns what they printed.
func (p *place) must(t *testing.T, sql string) string {
	t.Helper()
	e := p.run(t, "-e", sql)
	if e.code != 0 {
		t.Fatalf("%s\n%v", sql, e)
	}
	return e.out
}

// value runs a query whose answer is one value.
func (p *place) value(t *testing.T, query string) string {
	t.Helper()
	e := p.run(t, "-q", "--no-header", "-e", query)
	if e.code != 0 {
		t.Fatalf("%s\n%v", query, e)
	}
	return strings.TrimSpace(e.out)
}

// running is the program while it runs.
type running struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	done     chan struct{} // closed when it has ended
	waited   error
}

func start(t *testing.T, cmd *exec.Cmd) *running {
	t.Helper()
	r := &running{cmd: cmd, done: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &r.out
	}
	cmd.Stderr = &r.err
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.waited = cmd.Wait()
		close(r.done)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-r.done
	})
	return r
}

func (r *running) wait(t *testing.T) ended {
	t.Helper()
	<-r.done
	e := ended{out: r.out.String(), err: r.err.String()}
	var exit *exec.ExitError
	if errors.As(r.waited, &exit) {
		e.code = exit.ExitCode()
	} else if r.waited != nil {
		t.Fatal(r.waited)
	}
	return e
}

// removeIndices removes all indices of the place, by name.
func (p *place) removeIndices(t *testing.T) {
	t.Helper()
	for _, name := range p.indices(t) {
		if status, body := p.request(t, http.MethodDelete, "/"+name, ""); status != http.StatusOK {
			t.Errorf("delete %s: %d %s", name, status, body)
		}
	}
}

// indices lists the indices of the place, staged ones as well.
func (p *place) indices(t *testing.T) []string {
	t.Helper()
	status, body := p.request(t, http.MethodGet, "/_resolve/index/"+p.prefix+"*?expand_wildcards=all", "")
	var found struct {
		Indices []struct {
			Name string `json:"name"`
		} `json:"indices"`
	}
	if err := json.Unmarshal([]byte(body), &found); err != nil || status != http.StatusOK {
		t.Fatalf("list indices: %d %s", status, body)
	}
	var names []string
	for _, index := range found.Indices {
		names = append(names, index.Name)
	}
	return names
}

// refresh makes visible what was written.
func (p *place) refresh(t *testing.T) {
	t.Helper()
	if status, body := p.request(t, http.MethodPost, "/"+p.prefix+"*/_refresh", ""); status != http.StatusOK {
		t.Fatalf("refresh: %d %s", status, body)
	}
}

func (p *place) request(t *testing.T, method, path, body string) (status int, answer string) {
	t.Helper()
	req, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// peakEnv makes TestE2EMeasured run the program.
// It holds the file for the peak, measuredEnv the arguments.
const (
	peakEnv     = "ESLAKE_TEST_PEAK"
	measuredEnv = "ESLAKE_TEST_MEASURED"
	separator   = "\x1f"
)

// TestE2EMeasured is no test: it is the small process that starts a measured
// program. Linux counts in a program's peak also that of the process that
// started it, so that cannot be a test that holds much.
func TestE2EMeasured(t *testing.T) {
	file := os.Getenv(peakEnv)
	if file == "" {
		t.Skip("runs only as a helper of other tests")
	}
	cmd := exec.Command("eslake", strings.Split(os.Getenv(measuredEnv), separator)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_ = cmd.Run() // its exit code is handed on
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss
	if runtime.GOOS == "linux" {
		peak *= 1024
	}
	if err := os.WriteFile(file, fmt.Append(nil, peak), 0o600); err != nil {
		t.Fatal(err)
	}
	os.Exit(cmd.ProcessState.ExitCode())
}

// maxPeak is what no run may need, however many rows there are.
const maxPeak = 300 << 20

// measured is a run whose peak memory must stay below maxPeak.
func (p *place) measured(t *testing.T, args ...string) ended {
	t.Helper()
	return measure(t, p.command(args...))
}

func measure(t *testing.T, cmd *exec.Cmd) ended {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "peak")
	cmd.Env = append(cmd.Env, peakEnv+"="+file, measuredEnv+"="+strings.Join(cmd.Args[1:], separator))
	cmd.Path = program
	cmd.Args = []string{program, "-test.run=^TestE2EMeasured$"}
	e := runCommand(t, cmd)
	var peak int64
	data, err := os.ReadFile(file)
	if err == nil {
		_, err = fmt.Sscan(string(data), &peak)
	}
	if err != nil {
		t.Fatalf("no peak: %v\n%v", err, e)
	}
	t.Logf("peak %d MB", peak>>20)
	if peak > maxPeak {
		t.Errorf("peak memory %d MB, %d MB are allowed", peak>>20, maxPeak>>20)
	}
	return e
}
