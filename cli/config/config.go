// Package config is what the command line and the environment say: groups of
// flags as values, and where files live.
package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"
)

// Prefix begins every variable of the environment that stands for a flag:
// ESLAKE_FORMAT for --format.
const Prefix = "ESLAKE_"

// noEnvironment marks flags that have no variable.
const noEnvironment = "eslake_no_environment"

// ApplyEnvironment sets the flags that the command line did not set from their
// variables. The error names the variable.
func ApplyEnvironment(flags *pflag.FlagSet, lookup func(string) (string, bool)) error {
	var first error
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Changed || f.Annotations[noEnvironment] != nil || first != nil {
			return
		}
		name := Prefix + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
		value, ok := lookup(name)
		if !ok || value == "" {
			return
		}
		if err := flags.Set(f.Name, value); err != nil {
			first = fmt.Errorf("%s: %w", name, cause(err))
		}
	})
	return first
}

// cause drops what pflag says of the flag, which the user did not type.
func cause(err error) error {
	if invalid, ok := err.(*pflag.InvalidValueError); ok { //nolint:errorlint // Set returns it as it is
		return invalid.Unwrap()
	}
	return err
}

// Places are the files that a session lives in.
type Places struct {
	Lake    string // the embedded lake; "" is lake.db of the data folder
	Catalog string // "" is catalog.json of the data folder
}

// AddFlags adds --lake and --catalog.
func (p *Places) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&p.Lake, "lake", "", "`file` of the embedded lake (default "+shown(DataFile("lake.db"))+")")
	flags.StringVar(&p.Catalog, "catalog", "", "`file` of the catalog (default "+shown(DataFile("catalog.json"))+")")
}

// LakeFile returns the path of the embedded lake.
func (p *Places) LakeFile() string { return either(p.Lake, DataFile("lake.db")) }

// CatalogFile returns the path of the catalog.
func (p *Places) CatalogFile() string { return either(p.Catalog, DataFile("catalog.json")) }

// DataFile returns the path of a file in the user's data folder.
func DataFile(name string) string {
	return filepath.Join(home(xdg.DataHome, "XDG_DATA_HOME"), "eslake", name)
}

// StateFile returns the path of a file in the user's state folder.
func StateFile(name string) string {
	return filepath.Join(home(xdg.StateHome, "XDG_STATE_HOME"), "eslake", name)
}

// home prefers the variable as it is now to what xdg read when it was loaded.
func home(loaded, variable string) string {
	if dir := os.Getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	return loaded
}

// shown writes a path under the user's home with ~.
func shown(path string) string {
	if dir, err := os.UserHomeDir(); err == nil && dir != "/" {
		if rest, ok := strings.CutPrefix(path, dir+string(filepath.Separator)); ok {
			return filepath.Join("~", rest)
		}
	}
	return path
}

func either(value, otherwise string) string {
	if value != "" {
		return value
	}
	return otherwise
}
