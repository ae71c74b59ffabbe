package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/lex"
)

func TestReport(t *testing.T) {
	at := lex.Span{File: "load.sql", Start: 11, End: 17, Line: 2, Column: 1}
	src := "SELECT 1;\n\nINSERT INTO t VALUES (1);\n"
	at.Line = 3
	tests := []struct {
		name string
		p    placed
		want string
	}{
		{"usage", placed{err: usagef("do it so", "unknown flag --x")}, `error[E1001]: unknown flag --x
 = do it so
`},
		{"a server's refusal, under its statement", placed{err: &esds.Error{Op: "bulk", Index: "i", Status: 400, Err: errors.New("bad"), Hint: "do this"}, src: src, at: at, number: 2}, `error[E4001]: bulk i: bad (status 400)
 --> load.sql:3:1 (statement 2)
  |
3 | INSERT INTO t VALUES (1);
  | ^^^^^^
  = do this
`},
		{"rejects", placed{err: &exec.PartialError{
			Report: esds.Report{Rows: 12034, Created: 12022, Rejected: 12}, File: "/state/x.ndjson",
			First: []esds.Reject{{Row: 1077, ID: "a17", Type: "mapper_parsing_exception", Reason: "not a\n date"}, {Row: 2, Reason: "too long"}},
		}, src: src, at: at, number: 2, via: []string{"all.sql:1:1"}}, `error[E4203]: 12 of 12034 rows were rejected, the others were written
 --> load.sql:3:1 (statement 2)
  |
3 | INSERT INTO t VALUES (1);
  | ^^^^^^
  = row 1,077, id a17: mapper_parsing_exception: not a date
  = row 2: too long
  = and 10 more
  = all rejected rows: /state/x.ndjson
  = brought in by all.sql:1:1
`},
		{"an error in another text", placed{err: &lex.Error{Code: "E2104", Message: "m", Span: lex.Span{File: "view v", Start: 3, Line: 1, Column: 4}}, src: src, at: at, number: 2}, `error[E2104]: m
 --> view v:1:4 (statement 2)
`},
		{"interrupted", placed{err: &canceledError{err: &exec.StoppedError{Err: context.Canceled, Index: "i", Written: 3000}, cause: &signalError{os.Interrupt}}}, "error[E4302]: interrupted; 3000 rows had been written to i\n"},
		{"timeout", placed{err: &canceledError{err: context.Canceled, cause: errTimeout}}, "error[E4301]: it took longer than --timeout\n"},
		{"password", placed{err: &esds.Error{Op: "connect", Status: 401, Err: esds.ErrUnauthorized}}, `error[E3003]: connect: authentication failed (status 401)
 = on the command line: --user NAME, with the password in ESLAKE_PASSWORD or --password-file
`},
		{"assertion", placed{err: &session.AssertionError{Message: "310 rows"}, src: src, at: at, number: 2}, `error[E7001]: assertion failed: 310 rows
 --> load.sql:3:1 (statement 2)
  |
3 | INSERT INTO t VALUES (1);
  | ^^^^^^
`},
		{"a secret in the line", placed{err: &lex.Error{Code: "E2001", Message: "m", Span: lex.Span{Start: 24, End: 25, Line: 1, Column: 25}}, src: "OPTIONS ('pass' 'geheim' x)"}, `error[E2001]: m
 --> 1:25
  |
1 | OPTIONS ('pass' '******' x)
  |                         ^
`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			app := &App{Streams: Streams{Err: &out}}
			app.report(tt.p)
			if out.String() != tt.want {
				t.Errorf("got\n%s\nwant\n%s", out.String(), tt.want)
			}
		})
	}
}

func TestErrorCodesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../docs/errors.md")
	if err != nil {
		t.Fatal(err)
	}
	documented := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\| (E\d{4}) \|`).FindAllStringSubmatch(string(doc), -1) {
		documented[m[1]] = true
	}
	used := map[string]string{}
	code := regexp.MustCompile(`"(E\d{4})"`)
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range code.FindAllStringSubmatch(string(text), -1) {
			used[m[1]] = path
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Sorted(maps.Keys(used)) {
		if !documented[c] {
			t.Errorf("%s of %s is not in docs/errors.md", c, used[c])
		}
	}
	for _, c := range slices.Sorted(maps.Keys(documented)) {
		if used[c] == "" {
			t.Errorf("%s of docs/errors.md is in no code", c)
		}
	}
}

func TestPanicIsReported(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	var out bytes.Buffer
	app := &App{Streams: Streams{Err: &out}}
	code := func() (code int) {
		defer func() { code = app.reportPanic(recover()) }()
		panic("boom")
	}()
	text := out.String()
	path := text[strings.LastIndex(text, " ")+1 : len(text)-1]
	report, err := os.ReadFile(path)
	if code != exitBug || err != nil || !strings.Contains(text, "error[E9001]: a bug in eslake: boom") || !strings.Contains(string(report), "report_test.go") {
		t.Errorf("%d, %q, %v", code, text, err)
	}
}

func TestMessages(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s", n, got)
		}
	}
	if got := fmt.Sprint(seconds(130e6), seconds(12345e6), seconds(83e9), seconds(200e9)); got != "0.13 s12.3 s83.0 s3 m 20 s" {
		t.Error(got)
	}
}
