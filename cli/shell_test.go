//go:build unix

package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// terminal is the program on a pseudo-terminal.
type terminal struct {
	t   *testing.T
	tty *os.File
	cmd *exec.Cmd

	mu     sync.Mutex
	screen bytes.Buffer
	seen   int           // what was waited for already
	more   chan struct{} // something came
	done   chan struct{}
}

func openTerminal(t *testing.T, dir string, args ...string) *terminal {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program)
	cmd.Args = append([]string{"eslake"}, args...)
	cmd.Env = append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "XDG_CONFIG_HOME="+filepath.Join(dir, "config"), "TERM=xterm", "NO_COLOR=1", "COLUMNS=")
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	x := &terminal{t: t, tty: tty, cmd: cmd, more: make(chan struct{}, 1), done: make(chan struct{})}
	go func() {
		defer close(x.done)
		chunk := make([]byte, 4096)
		for {
			n, err := tty.Read(chunk)
			x.mu.Lock()
			x.screen.Write(chunk[:n])
			x.mu.Unlock()
			select {
			case x.more <- struct{}{}:
			default: // whoever waits knows already
			}
			if err != nil { // the program has ended
				return
			}
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = tty.Close()
		<-x.done
	})
	return x
}

func (x *terminal) typ(text string) {
	x.t.Helper()
	if _, err := x.tty.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
}

// expect waits until a text comes on the screen.
func (x *terminal) expect(text string) {
	x.t.Helper()
	patience := time.After(30 * time.Second)
	for waiting := true; waiting; {
		x.mu.Lock()
		at := strings.Index(x.screen.String()[x.seen:], text)
		if at >= 0 {
			x.seen += at + len(text)
		}
		x.mu.Unlock()
		if at >= 0 {
			return
		}
		select {
		case <-x.more:
		case <-patience:
			waiting = false
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.t.Fatalf("no %q on the screen:\n%q", text, x.screen.String()[x.seen:])
}

// end waits for the program and returns its exit code.
func (x *terminal) end() int {
	x.t.Helper()
	err := x.cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	if err != nil {
		x.t.Fatal(err)
	}
	return 0
}

func TestShellOnATerminal(t *testing.T) {
	dir := t.TempDir()
	x := openTerminal(t, dir)
	x.expect("connected to the embedded lake")
	x.expect("eslake> ")

	// A statement of two lines gives a table.
	x.typ("SELECT 1 AS a,\r")
	x.expect("     -> ")
	x.typ("'x' AS b;\r")
	x.expect("│ 1 │ x │")
	x.expect("(1 row)")
	x.expect("eslake> ")

	// Ctrl-C drops what is typed; the next statement is not touched by it.
	x.typ("SELECT 'half\r")
	x.expect("     '> ")
	x.typ("\x03")
	x.expect("(cleared; Ctrl-D leaves)")
	x.expect("eslake> ")

	// A paste with a tab in it is taken whole; its last part can be edited.
	x.typ("\x1b[200~SELECT\t2 AS two;\nSELECT 3 AS three;\nSELECT 4\x1b[201~")
	x.expect("│   2 │")
	x.expect("│     3 │")
	x.expect("SELECT 4")
	x.typ(" AS four;\r")
	x.expect("│    4 │")

	// A mistake is shown, and \G gives a line a value.
	x.typ("SELECT * FORM t;\r")
	x.expect("error[E2001]")
	x.typ("SELECT 5 AS five\\G\r")
	x.expect("five | 5")
	x.expect("eslake> ")

	// Up brings back a whole statement.
	x.typ("\x1b[A")
	x.expect("SELECT 5 AS five")
	x.typ("\x03")
	x.expect("(cleared")
	x.expect("eslake> ")

	x.typ("\x04")
	if code := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	history, err := os.ReadFile(filepath.Join(dir, "state", "eslake", "history"))
	want := `"SELECT 1 AS a,\n'x' AS b;"
"SELECT 2 AS two;"
"SELECT 3 AS three;"
"SELECT 4 AS four;"
"SELECT * FORM t;"
"SELECT 5 AS five\\G"
`
	if err != nil || string(history) != want {
		t.Errorf("history %q, %v", history, err)
	}
}

func TestCtrlCEndsTheStatementAndNotTheShell(t *testing.T) {
	x := openTerminal(t, t.TempDir(), "--verbose") // which says when the statement begins
	x.expect("eslake> ")
	x.typ("SELECT count(*) AS n FROM range(1000000) a CROSS JOIN range(1000000) b WHERE a.id * b.id % 7 = 3;\r")
	x.expect("= 3;\r\n")
	x.expect("= 3;\r\n")
	x.typ("\x03")
	x.expect("error[E4302]: interrupted")
	x.expect("eslake> ")
	x.typ("SELECT 6 AS six;\r")
	x.expect("│   6 │")
	x.typ("\\q\r")
	if code := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The shell shows what a statement will change, and asks.
func TestShellAsksBeforeAChange(t *testing.T) {
	x := openTerminal(t, t.TempDir())
	x.expect("eslake> ")
	x.typ("CREATE TABLE t (id INT, n INT) USING es OPTIONS (resource 'index-of-t', es.mapping.id 'id'); INSERT INTO t SELECT id, 1 FROM range(5);\r")
	x.expect("INSERT 5")
	x.typ("UPDATE t SET n = id + 7 WHERE id >= 0;\r")
	x.expect("UPDATE t will update 5 documents of index index-of-t at the embedded lake")
	x.expect("n: 1 -> ")
	x.expect("n: 1 -> ")
	x.expect("n: 1 -> ")
	x.expect("and 2 more")
	x.expect("Go on? [y/N] ")
	x.typ("\r")
	x.expect("error[E5003]: UPDATE of t was not confirmed; nothing was changed")
	x.expect("eslake> ")
	x.typ("DELETE FROM t WHERE id = 3;\r")
	x.expect("will delete 1 document of")
	x.expect("Go on? [y/N] ")
	x.typ("\x03")
	x.expect("not confirmed")
	x.typ("DELETE FROM t WHERE id = 3;\r")
	x.expect("Go on? [y/N] ")
	x.typ("y\r")
	x.expect("DELETE 1 -> t")
	x.typ("SELECT count(*) + 40 AS c, sum(n) AS s FROM t;\r")
	x.expect("44")
	x.typ("INSERT OVERWRITE t VALUES (1, 1);\r")
	x.expect("INSERT OVERWRITE t will replace all 4 documents of index index-of-t")
	x.expect("Go on? [y/N] ")
	x.typ("n\r")
	x.expect("error[E5003]: INSERT OVERWRITE of t was not confirmed; nothing was changed")
	x.typ("INSERT OVERWRITE t VALUES (1, 1);\r")
	x.expect("Go on? [y/N] ")
	x.typ("y\r")
	x.expect("INSERT OVERWRITE 1 -> t")
	x.typ("TRUNCATE TABLE t;\r")
	x.expect("TRUNCATE t will delete all 1 document of index")
	x.expect("Go on? [y/N] ")
	x.typ("n\r")
	x.expect("TRUNCATE of t was not confirmed")
	x.typ("DROP TABLE t PURGE;\r")
	x.expect("DROP t will delete the index and all 1 document of index index-of-t")
	x.expect("Go on? [y/N] ")
	x.typ("n\r")
	x.expect("DROP of t was not confirmed")
	x.typ("\\q\r")
	if code := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// On a protected profile the name of what is written is typed.
func TestShellOfAProtectedProfile(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "c.yaml")
	if err := os.WriteFile(config, []byte("version: 1\nprofiles:\n  prod:\n    protected: true\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := openTerminal(t, dir, "--config", config, "-P", "prod")
	x.expect("eslake:prod!> ")
	x.typ("CREATE TABLE t (id INT) USING es OPTIONS (resource 'index-of-t', es.mapping.id 'id');\r")
	x.expect("CREATE TABLE t")
	x.typ("INSERT INTO t VALUES (1);\r")
	x.expect("Profile prod is protected. Type the name of the table to go on: t")
	x.expect("table: ")
	x.typ("y\r")
	x.expect("error[E5004]: writing to t was not confirmed; nothing was run")
	x.typ("INSERT INTO t VALUES (1);\r")
	x.expect("table: ")
	x.typ("t\r")
	x.expect("INSERT 1")
	x.typ("DELETE FROM t WHERE id = 1;\r")
	x.expect("Type the name of the index to go on: index-of-t")
	x.typ("index-of-t\r")
	x.expect("DELETE 1 -> t")
	x.typ("\\q\r")
	if code := x.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}
