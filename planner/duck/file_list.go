package duck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eslake/eslake/sql/row"
)

// Files returns the files that a path stands for under the options of a table, in
// the order in which they are read: itself, those of a folder, or those that a
// pattern matches.
func Files(path string, opts map[string]string) ([]string, error) {
	l, err := newListing(opts)
	if err != nil {
		return nil, err
	}
	return l.files(path)
}

// listing is which files of a path are read.
type listing struct {
	recursive     bool
	names         []string  // patterns of which a name matches one; nil for any name
	before, after time.Time // of the last change; zero for any
}

func newListing(opts map[string]string) (*listing, error) {
	l := &listing{recursive: opts["recursiveFileLookup"] == "true"}
	if glob := opts["pathGlobFilter"]; glob != "" {
		l.names = braces(glob)
		for i, p := range l.names {
			p = strings.ReplaceAll(p, "[!", "[^")
			if _, err := filepath.Match(p, ""); err != nil {
				return nil, fmt.Errorf("option pathGlobFilter: %q is no pattern", glob)
			}
			l.names[i] = p
		}
	}
	zone, err := row.ParseZone(opts["timeZone"])
	if err != nil {
		return nil, err
	}
	for key, at := range map[string]*time.Time{"modifiedBefore": &l.before, "modifiedAfter": &l.after} {
		text := opts[key]
		if text == "" {
			continue
		}
		micros, ok := row.CastTimestamp([]byte(text), zone)
		if !ok {
			return nil, fmt.Errorf("option %s: %q is no time; write it as 2024-01-31T12:30:00", key, text)
		}
		*at = time.UnixMicro(micros)
	}
	return l, nil
}

// braces writes a pattern with {a,b} as several without.
func braces(pattern string) []string {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}
	}
	size := strings.IndexByte(pattern[open:], '}')
	if size < 0 {
		return []string{pattern}
	}
	var all []string
	for _, word := range strings.Split(pattern[open+1:open+size], ",") {
		all = append(all, braces(pattern[:open]+word+pattern[open+size+1:])...)
	}
	return all
}

// filters reports whether some of the files may be left out.
func (l *listing) filters() bool {
	return l.names != nil || !l.before.IsZero() || !l.after.IsZero()
}

// files returns the files behind a path. In a folder what begins with _ or . is
// left out, as Spark does.
func (l *listing) files(path string) ([]string, error) {
	list, err := l.behind(strings.TrimPrefix(path, "file://"))
	if err != nil || !l.filters() {
		return list, err
	}
	return slices.DeleteFunc(list, func(path string) bool { return !l.takes(path) }), nil
}

// takes reports whether a file is among those that the options ask for.
func (l *listing) takes(path string) bool {
	match := func(p string) bool {
		ok, _ := filepath.Match(p, filepath.Base(path))
		return ok
	}
	if l.names != nil && !slices.ContainsFunc(l.names, match) {
		return false
	}
	if l.before.IsZero() && l.after.IsZero() {
		return true
	}
	info, err := os.Stat(path)
	if err != nil {
		return true // reading it tells why not
	}
	at := info.ModTime().Truncate(time.Millisecond)
	return (l.before.IsZero() || at.Before(l.before)) && (l.after.IsZero() || at.After(l.after))
}

func (l *listing) behind(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return []string{path}, nil
	case err == nil:
		list, err := l.folder(path)
		if err == nil && len(list) == 0 {
			err = &FileError{Path: path, Err: errors.New("there is no file in the folder")}
		}
		return list, err
	case !errors.Is(err, fs.ErrNotExist):
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	var list []string
	for _, pattern := range braces(path) {
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, &FileError{Path: path, Err: err}
		}
		for _, m := range matches {
			more, err := l.behind(m)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
	}
	if len(list) == 0 {
		return nil, &FileError{Path: path, Err: errors.New("there is no such file")}
	}
	return list, nil
}

func (l *listing) folder(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, &FileError{Path: path, Err: withoutPath(err)}
	}
	var list []string
	for _, e := range entries {
		name := filepath.Join(path, e.Name())
		switch {
		case strings.HasPrefix(e.Name(), "_"), strings.HasPrefix(e.Name(), "."):
		case e.IsDir() && l.recursive:
			more, err := l.folder(name)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		case e.IsDir() && strings.Contains(e.Name(), "="):
			return nil, &FileError{Path: name, Err: errors.New("folders by the value of a column are not supported: read one of them, or all with recursiveFileLookup = true, without that column")}
		case !e.IsDir():
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list, nil
}
