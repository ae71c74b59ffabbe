package cli

import (
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"eslake": func() { os.Exit(Main(os.Args[1:])) }})
}

// TestScripts runs the program as a user does. Each script has folders of its
// own, and some servers that are of no use: $REFUSING asks for a password that
// nobody has, $UNTRUSTED shows a certificate that nobody vouches for.
func TestScripts(t *testing.T) {
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }))
	t.Cleanup(refusing.Close) // scripts run in parallel, after this function
	untrusted := httptest.NewUnstartedServer(http.NotFoundHandler())
	untrusted.Config.ErrorLog = log.New(io.Discard, "", 0)
	untrusted.StartTLS()
	t.Cleanup(untrusted.Close)
	repo, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: os.Getenv("UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Vars = append(env.Vars,
				"XDG_DATA_HOME="+filepath.Join(env.WorkDir, "data"), "XDG_STATE_HOME="+filepath.Join(env.WorkDir, "state"),
				"XDG_CONFIG_HOME="+filepath.Join(env.WorkDir, "config"),
				"EXAMPLES="+filepath.Join(repo, "docs", "examples"), "REFUSING="+refusing.URL, "UNTRUSTED="+untrusted.URL)
			return nil
		},
		Condition: func(cond string) (bool, error) { // [exists:/dev/full]
			path, ok := strings.CutPrefix(cond, "exists:")
			if !ok {
				return false, errors.New("unknown condition")
			}
			_, err := os.Stat(path)
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command that must end with a code: exits 4 eslake -e …
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code program args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	err = ts.Exec(args[1], args[2:]...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got, err = exit.ExitCode(), nil
	}
	ts.Check(err)
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
