package catalog_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eslake/eslake/catalog"
)

func TestRedact(t *testing.T) {
	tests := []struct{ key, value, want string }{
		{"es.net.http.auth.pass", "geheim", "***"},
		{"ES.NET.SSL.KEYSTORE.PASS", "x", "***"},
		{"es.net.http.header.Api_Key", "x", "***"},
		{"kafka.sasl.password", "x", "***"},
		{"es.net.http.auth.pass", "", ""},
		{"es.net.http.auth.pass", "${env:PASS}", "${env:PASS}"},
		{"es.net.http.auth.pass", "${env:PASS}x", "***"},
		{"analysis.tokenizer", "standard", "standard"},
		{"es.resource", "logs@home", "logs@home"},
		{"es.nodes", "https://u:p@h:9200", "https://***@h:9200"},
		{"es.nodes", "https://u:p@h1,http://u:q,w@x@h2/path", "https://***@h1,http://***@h2/path"},
		{"es.nodes", "h1,u:p@h2:9200", "***@h2:9200"},
		{"es.nodes", "http://h1:9200,h2", "http://h1:9200,h2"},
		{"comment", "see http://u:p@wiki", "see http://***@wiki"},
	}
	for _, tt := range tests {
		if got := catalog.Redact(tt.key, tt.value); got != tt.want {
			t.Errorf("Redact(%q, %q) = %q, want %q", tt.key, tt.value, got, tt.want)
		}
	}
}

// files returns all that stands in the folder of a catalog, but for the
// credentials.
func files(t *testing.T, c *catalog.Catalog) (others, credentials string) {
	t.Helper()
	dir := filepath.Dir(c.Path())
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		data, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if f.Name() == "credentials.json" {
			credentials = string(data)
			continue
		}
		others += string(data)
	}
	return others, credentials
}

func TestSecretsStandApart(t *testing.T) {
	c := open(t)
	options := map[string]string{
		"es.net.http.auth.pass": "geheim1", "es.nodes": "https://ana:geheim2@h:9200", "es.net.http.header.Authorization": "geheim3", "es.resource": "i",
	}
	create(t, c, &catalog.Table{Name: "t", Options: options, Properties: map[string]string{"password": "geheim4"}})
	others, creds := files(t, c)
	if strings.Contains(others, "geheim") || strings.Count(creds, "geheim") != 4 {
		t.Fatalf("catalog:\n%s\ncredentials:\n%s", others, creds)
	}
	if options["es.net.http.auth.pass"] != "geheim1" {
		t.Error("the caller's options were changed")
	}
	if info, err := os.Stat(filepath.Join(filepath.Dir(c.Path()), "credentials.json")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v", info.Mode(), err)
	}

	again := catalog.Open(c.Path())
	table, err := again.Table("", "t")
	if err != nil {
		t.Fatal(err)
	}
	if table.Options["es.net.http.auth.pass"] != "geheim1" || table.Options["es.nodes"] != "https://ana:geheim2@h:9200" || table.Properties["password"] != "geheim4" {
		t.Errorf("resolved = %v %v", table.Options, table.Properties)
	}
	shown := table.Redacted()
	if shown.Options["es.net.http.auth.pass"] != "***" || shown.Options["es.nodes"] != "https://***@h:9200" || shown.Options["es.resource"] != "i" {
		t.Errorf("redacted = %v", shown.Options)
	}
	if list, _ := again.Tables("", ""); list[0].Options["es.net.http.auth.pass"] != "***" {
		t.Errorf("listed = %v", list[0].Options)
	}
}

func TestSecretsGoWithTheTable(t *testing.T) {
	c := open(t)
	pass := func(p string) map[string]string { return map[string]string{"es.net.http.auth.pass": p} }
	create(t, c, &catalog.Table{Name: "a", Options: pass("geheimA")}, &catalog.Table{Name: "b", Options: pass("geheimB")})
	if _, err := c.CreateTable(&catalog.Table{Name: "a", Options: pass("geheimC")}, true, false); err != nil {
		t.Fatal(err)
	}
	if _, creds := files(t, c); strings.Contains(creds, "geheimA") || !strings.Contains(creds, "geheimC") {
		t.Errorf("after replace: %s", creds)
	}
	if err := c.RenameTable("", "a", "a2"); err != nil {
		t.Fatal(err)
	}
	if table, err := c.Table("", "a2"); err != nil || table.Options["es.net.http.auth.pass"] != "geheimC" {
		t.Errorf("after rename: %v, %v", table, err)
	}
	if err := c.DropTable("", "a2"); err != nil {
		t.Fatal(err)
	}
	if _, creds := files(t, c); strings.Contains(creds, "geheimC") || !strings.Contains(creds, "geheimB") {
		t.Errorf("after drop: %s", creds)
	}
}

func TestLostSecret(t *testing.T) {
	c := open(t)
	create(t, c, &catalog.Table{Name: "a", Options: map[string]string{"es.net.http.auth.pass": "p", "k": "v"}})
	if err := os.Remove(filepath.Join(filepath.Dir(c.Path()), "credentials.json")); err != nil {
		t.Fatal(err)
	}
	var lost *catalog.SecretError
	if _, err := c.Table("", "a"); !errors.As(err, &lost) || lost.Key != "es.net.http.auth.pass" {
		t.Errorf("error = %v", err)
	}
	err := c.AlterTable("", "a", func(t *catalog.Table) error {
		t.Options["es.net.http.auth.pass"] = "new"
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if table, err := c.Table("", "a"); err != nil || table.Options["es.net.http.auth.pass"] != "new" {
		t.Errorf("mended = %v, %v", table, err)
	}
}

func TestCredentialsOfOthersAreRefused(t *testing.T) {
	c := open(t)
	create(t, c, &catalog.Table{Name: "a", Options: map[string]string{"es.net.http.auth.pass": "geheim"}})
	path := filepath.Join(filepath.Dir(c.Path()), "credentials.json")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Table("", "a"); err == nil || !strings.Contains(err.Error(), "chmod 600") {
		t.Errorf("readable by all: %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"geheim`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Table("", "a"); err == nil || strings.Contains(err.Error(), "geheim") {
		t.Errorf("torn: %v", err)
	}
}

func TestCatalogsOfOneFolderHaveTheirOwnCredentials(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.json", "b.json"} {
		create(t, catalog.Open(filepath.Join(dir, name)), &catalog.Table{Name: "t", Options: map[string]string{"pass": name}})
	}
	for _, name := range []string{"a.json", "b.json"} {
		if table, err := catalog.Open(filepath.Join(dir, name)).Table("", "t"); err != nil || table.Options["pass"] != name {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
}
