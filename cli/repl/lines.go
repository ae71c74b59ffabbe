package repl

import (
	"bufio"
	"io"
	"strings"
)

// Lines is a Terminal without editing, for input that is no terminal. It writes
// no prompt.
type Lines struct{ in *bufio.Reader }

// NewLines returns a Terminal that reads in line by line.
func NewLines(in io.Reader) *Lines { return &Lines{in: bufio.NewReader(in)} }

// ReadLine returns the next line, the last one also without a line end.
func (l *Lines) ReadLine(string, string) (string, error) {
	line, err := l.in.ReadString('\n')
	if err != nil && line == "" {
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}

// Remember does nothing.
func (*Lines) Remember(string) {}

// Close does nothing.
func (*Lines) Close() error { return nil }
