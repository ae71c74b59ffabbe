package config

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/pflag"
)

// Cluster is the cluster of tables that name none, and who the user is there.
type Cluster struct {
	URL          string // "" is the embedded lake
	User         string
	PasswordFile string
	CACert       string
	Insecure     bool
}

// AddFlags adds --url, --user, --password-file, --ca-cert and --insecure. No
// flag takes a password: it would show in the list of processes.
func (c *Cluster) AddFlags(flags *pflag.FlagSet) {
	flags.StringVar(&c.URL, "url", "", "`address` of the cluster for tables that name none: https://host:9200 (default: the embedded lake)")
	flags.StringVarP(&c.User, "user", "u", "", "user `name`; the password comes from ESLAKE_PASSWORD or --password-file")
	flags.StringVar(&c.PasswordFile, "password-file", "", "`file` with the password in its first line")
	flags.StringVar(&c.CACert, "ca-cert", "", "PEM `file` of a certificate authority to trust")
	flags.BoolVarP(&c.Insecure, "insecure", "k", false, "do not check the server's certificate")
}

// Validate refuses what does not fit together.
func (c *Cluster) Validate() error {
	if c.PasswordFile != "" && c.User == "" {
		return errors.New("--password-file needs --user")
	}
	if c.CACert != "" {
		if _, err := os.Stat(c.CACert); err != nil {
			return fmt.Errorf("--ca-cert %s: %w", c.CACert, bare(err))
		}
	}
	return nil
}

// Password returns the user's password: of the file, or of ESLAKE_PASSWORD.
func (c *Cluster) Password(lookup func(string) (string, bool)) (string, error) {
	if c.PasswordFile == "" {
		password, _ := lookup(Prefix + "PASSWORD")
		return password, nil
	}
	info, err := os.Stat(c.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("--password-file %s: %w", c.PasswordFile, bare(err))
	}
	if runtime.GOOS != "windows" && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("--password-file %s: others may read it; make it your own with chmod 600", c.PasswordFile)
	}
	data, err := os.ReadFile(c.PasswordFile)
	if err != nil {
		return "", fmt.Errorf("--password-file %s: %w", c.PasswordFile, bare(err))
	}
	line, _, _ := strings.Cut(string(data), "\n")
	if line = strings.TrimRight(line, "\r"); line == "" {
		return "", fmt.Errorf("--password-file %s: its first line is empty", c.PasswordFile)
	}
	return line, nil
}

func bare(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
