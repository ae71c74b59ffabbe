package esds

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// heldElsewhere are options that work without anybody asking for them by name.
var heldElsewhere = map[string]string{
	"es.resource.read":           "Options.Resource",
	"es.nodes.wan.only":          "eslake never looks for other nodes",
	"es.strict":                  "answers are exact with and without",
	"es.security.authentication": "follows from what is given; the other values are refused",
}

// TestWorkingOptionsAreUsed holds the catalogue to its word: an option that
// works is read somewhere in the code.
func TestWorkingOptionsAreUsed(t *testing.T) {
	var code strings.Builder
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name == "testdata" || name == "esdstest" || len(name) > 2 && name[0] == '.'):
			return filepath.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "option_"):
			return nil
		}
		text, err := os.ReadFile(path)
		code.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, opt := range Catalogue() {
		if opt.Status != Works {
			continue
		}
		used := strings.Contains(code.String(), `"`+strings.TrimSuffix(opt.Key, "*"))
		proxy := strings.HasPrefix(opt.Key, "es.net.proxy.") // proxyFrom puts these keys together
		if reason := heldElsewhere[opt.Key]; !used && !proxy && reason == "" {
			t.Errorf("%s is said to work and is read nowhere", opt.Key)
		}
	}
}
