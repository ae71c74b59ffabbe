package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/adrg/xdg"
	"github.com/goccy/go-yaml"
	"github.com/spf13/pflag"
)

// Profile is a named cluster of the config file, and how careful to be with it.
type Profile struct {
	Name         string            `yaml:"-"`
	URL          string            `yaml:"url"`           // "" is the embedded lake
	User         string            `yaml:"user"`          // "" for none
	PasswordFile string            `yaml:"password_file"` // as --password-file
	PasswordEnv  string            `yaml:"password_env"`  // the variable of the environment that holds the password
	CACert       string            `yaml:"ca_cert"`       // as --ca-cert
	Insecure     bool              `yaml:"insecure"`      // as --insecure
	Protected    bool              `yaml:"protected"`     // statements that write need --yes, or in the shell a confirmation by name
	MaxAffected  int64             `yaml:"max_affected"`  // as --max-affected
	Lake         string            `yaml:"lake"`          // as --lake
	Catalog      string            `yaml:"catalog"`       // as --catalog
	Set          map[string]string `yaml:"set"`           // as --set
}

// File is the config file.
type File struct {
	Path           string              `yaml:"-"` // "" when there is none
	Version        int                 `yaml:"version"`
	DefaultProfile string              `yaml:"default_profile"`
	Profiles       map[string]*Profile `yaml:"profiles"`
}

// ReadFile reads a config file. Relative paths in it are taken from its folder.
// The error names the line of what is not understood.
func ReadFile(path string) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("config file %s: %w", path, bare(err))
	}
	f := &File{Path: path}
	if len(bytes.TrimSpace(data)) == 0 {
		return f, nil
	}
	if err := yaml.NewDecoder(bytes.NewReader(data), yaml.Strict()).Decode(f); err != nil {
		return nil, fmt.Errorf("config file %s: %s", path, yaml.FormatError(err, false, false))
	}
	f.Path = path
	return f, f.check()
}

func (f *File) check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("config file %s: "+format, append([]any{f.Path}, args...)...)
	}
	if f.Version != 1 {
		return fail("version is %d; version: 1 is the one that this eslake reads", f.Version)
	}
	for _, name := range slices.Sorted(maps.Keys(f.Profiles)) {
		p := f.Profiles[name]
		if p == nil {
			p = &Profile{}
			f.Profiles[name] = p
		}
		p.Name = name
		switch {
		case strings.Contains(p.URL, "@"):
			return fail("profile %s: the url holds a user or password; write user, and password_file or password_env", name)
		case p.PasswordFile != "" && p.PasswordEnv != "":
			return fail("profile %s: password_file and password_env are both set", name)
		case (p.PasswordFile != "" || p.PasswordEnv != "") && p.User == "":
			return fail("profile %s: a password needs a user", name)
		case p.MaxAffected < 0:
			return fail("profile %s: max_affected is less than 0", name)
		}
		for _, file := range []*string{&p.PasswordFile, &p.CACert, &p.Lake, &p.Catalog} {
			if *file != "" && !filepath.IsAbs(*file) {
				*file = filepath.Join(filepath.Dir(f.Path), *file)
			}
		}
	}
	if f.DefaultProfile != "" && f.Profiles[f.DefaultProfile] == nil {
		return fail("default_profile is %s, which is not among the profiles", f.DefaultProfile)
	}
	return nil
}

// Names returns the names of the profiles in order.
func (f *File) Names() []string { return slices.Sorted(maps.Keys(f.Profiles)) }

// Profiles is which profile of which file to work with.
type Profiles struct {
	Name string // "" is the default profile of the file
	File string // "" is config.yaml of the config folder
}

// AddFlags adds --profile and --config.
func (p *Profiles) AddFlags(flags *pflag.FlagSet) {
	flags.StringVarP(&p.Name, "profile", "P", "", "`name` of a profile of the config file: a cluster, its user, and how careful to be with it")
	flags.StringVar(&p.File, "config", "", "config `file` (default "+shown(DefaultFile())+")")
}

// DefaultFile returns the path of the config file.
func DefaultFile() string {
	return filepath.Join(home(xdg.ConfigHome, "XDG_CONFIG_HOME"), "eslake", "config.yaml")
}

// Read reads the config file; without one it is empty, unless it was named.
func (p *Profiles) Read() (*File, error) {
	f, err := ReadFile(either(p.File, DefaultFile()))
	if errors.Is(err, fs.ErrNotExist) && p.File == "" {
		return &File{}, nil
	}
	return f, err
}

// Chosen returns the profile to work with, nil for none. Explicit tells that it was
// named, not the default.
func (p *Profiles) Chosen() (profile *Profile, explicit bool, err error) {
	f, err := p.Read()
	if err != nil {
		return nil, false, err
	}
	name := either(p.Name, f.DefaultProfile)
	if name == "" {
		return nil, false, nil
	}
	profile = f.Profiles[name]
	if profile == nil {
		known := "there are none"
		if len(f.Profiles) > 0 {
			known = "there are " + strings.Join(f.Names(), ", ")
		}
		return nil, true, fmt.Errorf("no profile %q in %s: %s", name, either(f.Path, shown(DefaultFile())), known)
	}
	return profile, p.Name != "", nil
}

// Apply sets the flags that neither the command line nor the environment set to
// what the profile says. Where another cluster was asked for than the profile's,
// its user and password stay out of it: they are for the profile's address.
func (p *Profile) Apply(flags *pflag.FlagSet) error {
	elsewhere := false
	if f := flags.Lookup("url"); f != nil && f.Changed {
		elsewhere = f.Value.String() != p.URL
	}
	type value struct{ flag, text string }
	values := []value{{"lake", p.Lake}, {"catalog", p.Catalog}}
	if p.MaxAffected > 0 {
		values = append(values, value{"max-affected", fmt.Sprint(p.MaxAffected)})
	}
	if !elsewhere {
		values = append(values, value{"url", p.URL}, value{"ca-cert", p.CACert})
		if p.Insecure {
			values = append(values, value{"insecure", "true"})
		}
		if f := flags.Lookup("user"); f != nil && (!f.Changed || f.Value.String() == p.User) {
			values = append(values, value{"user", p.User}, value{"password-file", p.PasswordFile})
		}
	}
	for _, v := range values {
		f := flags.Lookup(v.flag)
		if v.text == "" || f == nil || f.Changed {
			continue
		}
		if err := flags.Set(v.flag, v.text); err != nil {
			return fmt.Errorf("profile %s: %w", p.Name, err)
		}
	}
	return nil
}
