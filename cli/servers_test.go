package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

// program runs eslake with folders of its own and returns what it wrote.
func program(t *testing.T, env []string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cmd := exec.Command(path)
	cmd.Args = append([]string{"eslake"}, args...)
	cmd.Env = append(append(os.Environ(), "XDG_DATA_HOME="+filepath.Join(dir, "data"), "XDG_STATE_HOME="+filepath.Join(dir, "state")), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// examples runs the example scripts on a cluster, twice: what they print is what
// they print on the embedded lake.
func examples(t *testing.T, url string) {
	t.Helper()
	for _, name := range []string{"quickstart", "dirty-data"} {
		golden, err := txtar.ParseFile(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for run := range 2 {
			out, errs, code := program(t, nil, "--url", url, "--format", "table", "-f", filepath.Join("..", "docs", "examples", name+".sql"))
			if want := string(golden.Files[0].Data); code != 0 || out != want {
				t.Errorf("%s, run %d: code %d\n%s%s\nwant\n%s", name, run+1, code, out, errs, want)
			}
		}
	}
}

func TestExamplesOnServers(t *testing.T) { servers.Each(t, examples) }

func TestExamplesOnTheFake(t *testing.T) {
	for name, flavour := range map[string]esdstest.Flavour{"elasticsearch": esdstest.Elasticsearch8, "opensearch": esdstest.OpenSearch2} {
		t.Run(name, func(t *testing.T) { examples(t, esdstest.New(t, flavour).URL) })
	}
}

func TestUserAndCertificate(t *testing.T) {
	s := servers.TLS(t)
	statement := "CREATE TABLE t (id INT) USING es OPTIONS (resource 'limited-cli', es.mapping.id 'id'); INSERT OVERWRITE t VALUES (1); SELECT * FROM t"
	tests := []struct {
		name, password string
		args           []string
		code           int
		out, err       string
	}{
		{"all is right", s.Password, []string{"--ca-cert", s.CAFile}, 0, "id\n1\n", ""},
		{"not checked", s.Password, []string{"--insecure"}, 0, "id\n1\n", ""},
		{"not trusted", s.Password, nil, 3, "", "error[E3002]"},
		{"wrong password", "wrong", []string{"--ca-cert", s.CAFile}, 3, "", "error[E3003]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"--url", s.URL, "-u", s.User, "-e", statement}, tt.args...)
			out, errs, code := program(t, []string{"ESLAKE_PASSWORD=" + tt.password}, args...)
			if code != tt.code || out != tt.out || !strings.Contains(errs, tt.err) || strings.Contains(out+errs, s.Password) {
				t.Errorf("code %d\n%s%s", code, out, errs)
			}
		})
	}
}
