package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fence is a code block of a document whose first line is a command.
var fence = regexp.MustCompile("(?s)```\n(\\$ eslake .*?)```")

// TestDocuments runs every command that a document shows and compares what it
// prints. The tables are those of the first example. UPDATE=1 writes the
// documents anew.
func TestDocuments(t *testing.T) {
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	documents, err := filepath.Glob(filepath.Join(repo, "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(documents, filepath.Join(repo, "README.md")) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			run := newShell(t, repo)
			got := fence.ReplaceAllStringFunc(string(text), func(block string) string {
				return "```\n" + run.again(fence.FindStringSubmatch(block)[1]) + "```"
			})
			if got == string(text) {
				return
			}
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			t.Errorf("%s shows what eslake does not print (UPDATE=1 writes it anew). It prints:\n%s", path, got)
		})
	}
}

// shell runs commands as a person does, in the repository, with folders of its own.
type shell struct {
	t    *testing.T
	repo string
	home string
	env  []string
	used bool
	job  string // the last that was named
}

// A document shows every job under one id.
const shownJob = "20261129t120000-0123456789"

var jobID = regexp.MustCompile(`\b20\d{6}t\d{6}-[0-9a-f]{10}\b`)

func newShell(t *testing.T, repo string) *shell {
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "XDG_DATA_HOME=", "XDG_STATE_HOME=", "XDG_CONFIG_HOME=")
	return &shell{t: t, repo: repo, home: home, env: env}
}

func (s *shell) run(command string) string {
	s.t.Helper()
	cmd := exec.Command("bash", "-c", strings.ReplaceAll(command, shownJob, s.job))
	cmd.Dir, cmd.Env = s.repo, s.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // a document may show a failure
	text := strings.ReplaceAll(out.String(), s.home, "~")
	if ids := jobID.FindAllString(text, -1); len(ids) > 0 {
		s.job = ids[len(ids)-1]
	}
	return jobID.ReplaceAllString(text, shownJob)
}

// again runs the commands of a block and returns the block with what they print.
func (s *shell) again(block string) string {
	if !s.used && !strings.Contains(block, "quickstart.sql") {
		s.run("eslake -q -f docs/examples/quickstart.sql > /dev/null")
	}
	s.used = true
	var b strings.Builder
	for _, line := range strings.Split(block, "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			b.WriteString(line + "\n" + s.run(command))
		}
	}
	return b.String()
}
