package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecondProcessIsToldWhoHasTheLake holds the lake by a shell that waits for
// input.
func TestSecondProcessIsToldWhoHasTheLake(t *testing.T) {
	dir := t.TempDir()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	places := []string{"--lake", filepath.Join(dir, "lake.db"), "--catalog", filepath.Join(dir, "catalog.json")}
	holder := exec.Command(path)
	holder.Args = append([]string{"eslake", "shell"}, places...)
	holder.Env = append(os.Environ(), "XDG_STATE_HOME="+dir)
	in, err := holder.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	said, err := holder.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := in.Write([]byte("CREATE TABLE t (id INT) USING es OPTIONS (resource 't', es.mapping.id 'id');\nINSERT INTO t VALUES (1);\nSELECT * FROM t;\n")); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() && lines.Text() != "(1 row)" {
		t.Log(lines.Text())
	}

	out, errs, code := program(t, nil, append(places, "-e", "SELECT * FROM t")...)
	if code != 3 || out != "" || !strings.HasPrefix(errs, "error[E3005]: ") || !strings.Contains(errs, "lake.db: the embedded lake is in use by process") {
		t.Errorf("code %d, %q\n%s", code, out, errs)
	}
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := holder.Wait(); err != nil {
		t.Error(err)
	}
	if out, errs, code := program(t, nil, append(places, "-e", "SELECT * FROM t")...); code != 0 || out != "id\n1\n" {
		t.Errorf("afterwards: code %d, %q\n%s", code, out, errs)
	}
}
