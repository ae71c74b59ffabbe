package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/row"
)

// fake runs statements by their text.
type fake struct {
	ran []string
	do  func(ctx context.Context, text string) (session.Result, error)
}

func (f *fake) Exec(ctx context.Context, st sql.Statement) (session.Result, error) {
	f.ran = append(f.ran, st.String())
	if f.do == nil {
		return one(int64(len(f.ran))), nil
	}
	return f.do(ctx, st.String())
}

// one is a result of one number.
func one(n int64) session.Result {
	s := row.Schema{{Name: "n", Type: row.BigIntType}}
	b := row.NewBatch(s)
	_ = b.AppendRow(n)
	return session.Result{Rows: row.NewBatches(s, b)}
}

// call runs eslake with a fake session.
type call struct {
	fake     fake
	stdin    string
	env      map[string]string
	out, err bytes.Buffer
	app      *App
}

func (c *call) run(t *testing.T, args ...string) int {
	t.Helper()
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_DATA_HOME", t.TempDir())
	c.out.Reset()
	c.err.Reset()
	c.app = &App{
		Streams: Streams{In: strings.NewReader(c.stdin), Out: &c.out, Err: &c.err},
		Lookup:  func(name string) (string, bool) { v, ok := c.env[name]; return v, ok },
		signals: &interrupts{now: time.Now, exit: func(code int) { t.Errorf("exit %d", code) }},
	}
	c.app.open = func(app *App, _ *options) (*opened, error) {
		return &opened{
			executor: &c.fake, meter: newMeter(app.Streams), catalog: catalog.Open(filepath.Join(t.TempDir(), "catalog.json")),
			where: func(context.Context) (string, error) { return "a fake", nil },
			close: func() error { return nil },
		}, nil
	}
	return c.app.Run(args)
}

func TestSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.sql")
	if err := os.WriteFile(file, []byte("\ufeffSELECT 2;\r\nSELECT ${x};\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		args  []string
		stdin string
		want  []string
	}{
		{"-e and -f in their order", []string{"-e", "SELECT 1", "-f", file, "-e", "SELECT 4; ;", "-d", "x=3"}, "", []string{"SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"}},
		{"run", []string{"run", file, "-", "--define", "x=3"}, "SELECT 4", []string{"SELECT 1", "SELECT 2"}},
		{"standard input", nil, "SELECT 1; -- end", []string{"SELECT 1"}},
		{"nothing", nil, "", nil},
	}
	tests[1].want = []string{"SELECT 2", "SELECT 3", "SELECT 4"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &call{stdin: tt.stdin}
			if code := c.run(t, tt.args...); code != 0 || !reflect.DeepEqual(c.fake.ran, tt.want) {
				t.Errorf("code %d, ran %q, want %q\n%s", code, c.fake.ran, tt.want, c.err.String())
			}
		})
	}
}

func TestNothingRunsWhenAnyScriptIsWrong(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := write("good.sql", "SELECT 1;")
	tests := []struct {
		name string
		file string
		code int
		want []string // in stderr
	}{
		{"syntax", write("bad.sql", "SELECT 1;\nSELECT * FORM t;"), 4, []string{"error[E2001]", "bad.sql:2:10 (statement 2)", "SELECT * FORM t;", "^^^^"}},
		{"open string", write("open.sql", "SELECT 1;\nSELECT 'abc"), 4, []string{"error[E2002]", "open.sql:2:8"}},
		{"variable", write("var.sql", "SELECT ${day}"), 4, []string{"error[E2007]", `variable "day" has no value`, "--define day=VALUE"}},
		{"no such file", filepath.Join(dir, "none.sql"), 2, []string{"error[E1001]", "none.sql: no such file or directory"}},
		{"Latin-1", write("latin.sql", "SELECT 1;\nSELECT 'M\xfcller';"), 2, []string{"latin.sql: is not UTF-8 text, first in line 2"}},
		{"gzip", write("gz.sql", "\x1f\x8b\x08"), 2, []string{"gz.sql: is compressed"}},
		{"a folder", dir, 2, []string{"is a directory"}},
		{"SOURCE of a missing file", write("src.sql", "SOURCE 'none.sql';"), 4, []string{"error[E6002]", "SOURCE none.sql: no such file", "src.sql:1:8 (statement 1)"}},
		{"SOURCE of itself", write("self.sql", "SELECT 1;\nSOURCE 'self.sql';"), 4, []string{"error[E6003]", "self.sql -> self.sql", "self.sql:2:8"}},
		{"SOURCE in a circle", write("sub/a.sql", "SOURCE 'b.sql'"), 4, []string{"a.sql -> b.sql -> a.sql", "b.sql:1:8", "= brought in by", "a.sql:1:1"}},
		{"a mistake in what is brought in", write("deep.sql", "SELECT 1; SOURCE 'sub/bad2.sql'"), 4, []string{"error[E2001]", "bad2.sql:1:10 (statement 1)", "brought in by " + filepath.Join(dir, "deep.sql") + ":1:11"}},
	}
	write("sub/b.sql", "SOURCE '../sub/a.sql'")
	write("sub/bad2.sql", "SELECT * FORM t")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &call{}
			code := c.run(t, "run", good, tt.file)
			if code != tt.code || len(c.fake.ran) > 0 || c.out.Len() > 0 {
				t.Errorf("code %d, ran %q, out %q", code, c.fake.ran, c.out.String())
			}
			for _, want := range tt.want {
				if !strings.Contains(c.err.String(), want) {
					t.Errorf("no %q in\n%s", want, c.err.String())
				}
			}
		})
	}
}

func TestSourceIsRelativeToItsFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"main.sql": "SELECT 1; SOURCE 'sub/a.sql'; SELECT 4", "sub/a.sql": "SELECT 2; SOURCE '${name}.sql'", "sub/b.sql": "SELECT 3"} {
		_ = os.MkdirAll(filepath.Join(dir, "sub"), 0o700)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := &call{}
	code := c.run(t, "run", filepath.Join(dir, "main.sql"), "-d", "name=b")
	if want := []string{"SELECT 1", "SELECT 2", "SELECT 3", "SELECT 4"}; code != 0 || !reflect.DeepEqual(c.fake.ran, want) {
		t.Errorf("code %d, ran %q\n%s", code, c.fake.ran, c.err.String())
	}
}

// failOn fails the second statement with err.
func failOn(err error) func(context.Context, string) (session.Result, error) {
	n := int64(0)
	return func(context.Context, string) (session.Result, error) {
		n++
		if n == 2 {
			return session.Result{}, err
		}
		return one(n), nil
	}
}

func TestFirstErrorEndsTheRun(t *testing.T) {
	refused := &esds.Error{Op: "scan", Index: "i", Status: 400, Err: errors.New("x")}
	tests := []struct {
		name string
		args []string
		ran  int
		out  string
	}{
		{"stop", nil, 2, "n\n1\n"},
		{"go on", []string{"--continue-on-error"}, 3, "n\n1\n\nn\n3\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &call{fake: fake{do: failOn(refused)}}
			code := c.run(t, append(tt.args, "-e", "SELECT 1; SELECT 2; SELECT 3")...)
			if code != 1 || len(c.fake.ran) != tt.ran || c.out.String() != tt.out {
				t.Errorf("code %d, ran %q, out %q", code, c.fake.ran, c.out.String())
			}
			if want := "error[E4001]: scan i: x (status 400)\n --> -e:1:11 (statement 2)\n"; !strings.Contains(c.err.String(), want) {
				t.Errorf("stderr\n%s", c.err.String())
			}
		})
	}
}

func TestPartialWriteSaysWhatItDid(t *testing.T) {
	c := &call{fake: fake{do: func(context.Context, string) (session.Result, error) {
		return session.Result{Message: "INSERT 2 -> t (2 created)", Notices: []string{"take care"}}, &exec.PartialError{Report: esds.Report{Rows: 3, Created: 2, Rejected: 1}, File: "r.ndjson"}
	}}}
	code := c.run(t, "-e", "INSERT INTO t VALUES (1)")
	if want := "NOTICE: take care\nINSERT 2 -> t (2 created)\nerror[E4203]: 1 of 3 rows"; code != 5 || !strings.HasPrefix(c.err.String(), want) {
		t.Errorf("code %d\n%s", code, c.err.String())
	}
}

func TestStreams(t *testing.T) {
	c := &call{}
	if code := c.run(t, "-e", "SELECT 1; SELECT 2", "--format", "ndjson"); code != 0 || c.out.String() != "{\"n\":1}\n{\"n\":2}\n" || c.err.String() != "(1 row)\n(1 row)\n" {
		t.Errorf("%d, %q, %q", code, c.out.String(), c.err.String())
	}
	c = &call{env: map[string]string{"ESLAKE_FORMAT": "tsv", "ESLAKE_QUIET": "true"}}
	if code := c.run(t, "-e", "SELECT 1", "--no-header"); code != 0 || c.out.String() != "1\n" || c.err.String() != "" {
		t.Errorf("%d, %q, %q", code, c.out.String(), c.err.String())
	}
	c = &call{}
	if code := c.run(t, "-v", "--timing", "-e", "SELECT   'x' -- y"); code != 0 || !strings.HasPrefix(c.err.String(), "SELECT   'x';\n(1 row) 0.0") {
		t.Errorf("%d, %q", code, c.err.String())
	}
}

func TestOutputFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.ndjson")
	left := func() []string {
		t.Helper()
		list, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, f := range list {
			names = append(names, f.Name())
		}
		return names
	}
	c := &call{}
	if code := c.run(t, "-o", path, "-e", "SELECT 1"); code != 0 || c.out.Len() > 0 {
		t.Errorf("%d, %q, %q", code, c.out.String(), c.err.String())
	}
	if data, err := os.ReadFile(path); string(data) != "{\"n\":1}\n" {
		t.Errorf("%q, %v", data, err)
	}
	c = &call{fake: fake{do: failOn(errors.New("x"))}}
	if code := c.run(t, "-o", path, "-e", "SELECT 7; SELECT 8"); code != 1 {
		t.Errorf("code %d", code)
	}
	if data, _ := os.ReadFile(path); string(data) != "{\"n\":1}\n" || len(left()) != 1 {
		t.Errorf("after a failure: %q, %v", data, left())
	}
	for path, want := range map[string]string{filepath.Join(dir, "none", "x"): "no such file", dir: "is a folder"} {
		c = &call{}
		if code := c.run(t, "-o", path, "-e", "SELECT 1"); code != 2 || !strings.Contains(c.err.String(), want) || len(c.fake.ran) > 0 {
			t.Errorf("%s: %d, %s", path, code, c.err.String())
		}
	}
	c = &call{}
	if code := c.run(t, "-o", os.DevNull, "-e", "SELECT 1"); code != 0 {
		t.Errorf("device: %d, %s", code, c.err.String())
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("the device is gone: %v", err)
	}
}

// gone is a stdout whose reader has left.
type gone struct{}

func (gone) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
}

func TestClosedStdoutIsNoError(t *testing.T) {
	c := &call{}
	c.run(t) // makes the app
	c.app.Out = gone{}
	if code := c.app.Run([]string{"-e", "SELECT 1; SELECT 2"}); code != 0 || len(c.fake.ran) != 2 {
		t.Errorf("code %d, ran %q\n%s", code, c.fake.ran, c.err.String())
	}
}

func TestUsage(t *testing.T) {
	tests := []struct {
		name string
		args []string
		env  map[string]string
		want string
	}{
		{"mistyped command", []string{"rnu"}, nil, `unknown command "rnu"; did you mean "run"?`},
		{"no such command", []string{"frobnicate"}, nil, "unknown command \"frobnicate\"\n = eslake --help lists the commands"},
		{"a script", []string{"load.sql"}, nil, "eslake run load.sql runs a script"},
		{"mistyped flag", []string{"--excute", "x"}, nil, "unknown flag --excute; did you mean --execute?"},
		{"unknown short flag", []string{"-Z"}, nil, "unknown flag -Z"},
		{"format", []string{"--format", "pdf", "-e", "SELECT 1"}, nil, `--format: unknown format "pdf" (auto, table`},
		{"define", []string{"-d", "x", "-e", "SELECT 1"}, nil, `--define: "x" has no =`},
		{"number", []string{"--max-rows", "x"}, nil, "--max-rows"},
		{"negative", []string{"--max-rows=-1"}, nil, "--max-rows is less than 0"},
		{"run without files", []string{"run"}, nil, "usage: eslake run FILE..."},
		{"variable", []string{"-e", "SELECT 1"}, map[string]string{"ESLAKE_FORMAT": "pdf"}, `ESLAKE_FORMAT: unknown format "pdf"`},
		{"certificate", []string{"--ca-cert", "/none.pem"}, nil, "--ca-cert /none.pem: no such file"},
		{"password without user", []string{"--password-file", "/none"}, nil, "--password-file needs --user"},
		{"option", []string{"options", "es.nodse"}, nil, "did you mean es.nodes?"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := &call{env: tt.env}
			code := c.run(t, tt.args...)
			if code != 2 || c.out.Len() > 0 || !strings.HasPrefix(c.err.String(), "error[E1001]: ") || !strings.Contains(c.err.String(), tt.want) {
				t.Errorf("code %d, out %q, err\n%s", code, c.out.String(), c.err.String())
			}
			if strings.Count(c.err.String(), "\n") > 3 {
				t.Errorf("more than a line and a pointer:\n%s", c.err.String())
			}
		})
	}
}

func TestHelpAndVersionAreResults(t *testing.T) {
	for _, args := range [][]string{{"--help"}, {"-h"}, {"help", "run"}, {"version"}, {"--version"}, {"-V"}, {"options"}, {"completion", "bash"}, {"run", "--help"}} {
		c := &call{}
		if code := c.run(t, args...); code != 0 || c.out.Len() == 0 || c.err.Len() > 0 {
			t.Errorf("%v: %d, %q, %q", args, code, c.out.String(), c.err.String())
		}
	}
}

func TestDuckVersion(t *testing.T) {
	for module, want := range map[string]string{"v2.10506.0": "1.5.6", "v0.10506.0": "1.5.6", "v2.20000.0": "2.0.0", "v2.4.1": "", "x": ""} {
		if got := duckVersion(module); got != want {
			t.Errorf("%s: %q", module, got)
		}
	}
}

// until waits for the end of its context.
func until(ctx context.Context, _ string) (session.Result, error) {
	<-ctx.Done()
	return session.Result{}, &exec.StoppedError{Err: ctx.Err(), Index: "i", Written: 5}
}

func TestTimeout(t *testing.T) {
	c := &call{fake: fake{do: until}}
	if code := c.run(t, "--timeout", "1ms", "-e", "SELECT 1; SELECT 2"); code != 124 || len(c.fake.ran) != 1 || !strings.Contains(c.err.String(), "it took longer than --timeout; 5 rows had been written to i") {
		t.Errorf("%d, %s", code, c.err.String())
	}
}

func TestSignals(t *testing.T) {
	for s, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		c := &call{}
		c.fake.do = func(ctx context.Context, _ string) (session.Result, error) {
			c.app.signals.handle(s)
			return until(ctx, "")
		}
		code := c.run(t, "--continue-on-error", "-e", "SELECT 1; SELECT 2")
		if code != want || len(c.fake.ran) != 1 || !strings.Contains(c.err.String(), "ed; 5 rows had been written to i") {
			t.Errorf("%v: %d, ran %q, %s", s, code, c.fake.ran, c.err.String())
		}
	}
}

func TestSignalBetweenStatements(t *testing.T) {
	c := &call{}
	c.run(t)
	c.app.signals.handle(os.Interrupt)
	if code := c.app.Run([]string{"-e", "SELECT 1"}); code != 130 || len(c.fake.ran) != 0 {
		t.Errorf("%d, ran %q", code, c.fake.ran)
	}
}

func TestSecondCtrlCEndsTheProcess(t *testing.T) {
	tests := []struct {
		name  string
		after time.Duration
		want  []int
	}{
		{"at once", time.Second, []int{130}},
		{"later", 3 * time.Second, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var codes []int
			now := time.Unix(0, 0).Add(time.Hour)
			n := &interrupts{now: func() time.Time { return now }, exit: func(code int) { codes = append(codes, code) }}
			ctx, end := n.begin(0)
			defer end()
			n.handle(os.Interrupt)
			now = now.Add(tt.after)
			n.handle(os.Interrupt)
			if ctx.Err() == nil || !reflect.DeepEqual(codes, tt.want) {
				t.Errorf("codes %v, context %v", codes, ctx.Err())
			}
		})
	}
}

func TestShellFromAPipe(t *testing.T) {
	c := &call{stdin: "SELECT\n1;\n\\timing off\nSELECT 2\\G\nSELECT * FORM t;\nSELECT 3;\n"}
	code := c.run(t, "shell")
	if code != 4 || len(c.fake.ran) != 3 || c.out.String() != "n\n1\n\n-[ row 1 ]--------------\nn | 2\n\nn\n3\n" {
		t.Errorf("code %d, ran %q, out %q", code, c.fake.ran, c.out.String())
	}
	if !strings.Contains(c.err.String(), "connected to a fake") || !strings.Contains(c.err.String(), "error[E2001]") {
		t.Errorf("%s", c.err.String())
	}
}
