package catalog

import (
	"errors"
	"fmt"
)

// NotFoundError is a name that the catalog does not hold.
type NotFoundError struct {
	Kind string // "table", "view", "table or view", "database"
	Name string
	Near string // the nearest name there is, "" for none
}

// Error names what was looked for.
func (e *NotFoundError) Error() string { return fmt.Sprintf("%s %q does not exist", e.Kind, e.Name) }

// ExistsError is a name that is taken.
type ExistsError struct {
	Kind string // what holds the name: "table", "view", "database"
	Name string
}

// Error names what holds the name.
func (e *ExistsError) Error() string { return fmt.Sprintf("%s %q exists already", e.Kind, e.Name) }

// FileError is a catalog file that cannot be read or written. The file is as it
// was.
type FileError struct {
	Path string
	Err  error
}

// Error names the file first.
func (e *FileError) Error() string { return fmt.Sprintf("catalog %s: %v", e.Path, e.Err) }

func (e *FileError) Unwrap() error { return e.Err }

// ErrBusy is a catalog that another process held for too long.
var ErrBusy = errors.New("another process holds the catalog")

// SecretError is an option whose secret is no longer among the credentials.
type SecretError struct {
	Table, Key, Path string
}

// Error says what to do.
func (e *SecretError) Error() string {
	return fmt.Sprintf("table %s: the value of %q is not in %s; set it again with ALTER TABLE … SET OPTIONS", e.Table, e.Key, e.Path)
}

// errUnchanged ends an update that has nothing to write.
var errUnchanged = errors.New("nothing to write")
