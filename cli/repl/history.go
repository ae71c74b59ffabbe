package repl

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxHistory is how many entries are read back, and kept when the file has grown
// to twice as many.
const maxHistory = 10_000

// History is the statements of this and earlier sessions, oldest first. The file
// has one entry a line, as a JSON string, so that a statement of several lines
// stays one. Several shells may add to it at once.
type History struct {
	path    string // "" keeps nothing
	redact  Redactor
	entries []string
}

// OpenHistory reads the history at path; "" is one that lasts as long as the
// shell. The History is good with an error too, and then keeps nothing.
func OpenHistory(path string, redact Redactor) (*History, error) {
	h := &History{path: path, redact: redact}
	if path == "" {
		return h, nil
	}
	if err := h.load(); err != nil {
		h.path = ""
		return h, fmt.Errorf("history %s: %w; what is typed now is not kept", path, bare(err))
	}
	return h, nil
}

// Entries returns the statements, oldest first.
func (h *History) Entries() []string { return h.entries }

// Add appends a statement, without its secrets. Blank ones and repetitions of
// the last are left out.
func (h *History) Add(text string) (added string, err error) {
	text = Redact(text, h.redact)
	if text == "" || len(h.entries) > 0 && h.entries[len(h.entries)-1] == text {
		return "", nil
	}
	h.entries = append(h.entries, text)
	if h.path == "" {
		return text, nil
	}
	return text, h.append(text)
}

func (h *History) load() error {
	file, err := os.Open(h.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil { // a torn line is left out
			h.entries = append(h.entries, entry)
		}
	}
	if len(h.entries) < 2*maxHistory {
		return lines.Err()
	}
	h.entries = h.entries[len(h.entries)-maxHistory:]
	return errors.Join(lines.Err(), h.rewrite())
}

func (h *History) append(text string) error {
	if err := os.MkdirAll(filepath.Dir(h.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(h.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := file.Chmod(0o600); err != nil {
		return err
	}
	_, err = file.Write(encode(text))
	return err
}

func (h *History) rewrite() error {
	tmp, err := os.CreateTemp(filepath.Dir(h.path), "history.*.tmp")
	if err != nil {
		return err
	}
	w := bufio.NewWriter(tmp)
	for _, entry := range h.entries {
		_, _ = w.Write(encode(entry)) // Flush says it
	}
	err = errors.Join(w.Flush(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), h.path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}

func encode(text string) []byte {
	line, _ := json.Marshal(text) // a string always encodes
	return append(line, '\n')
}

func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}
