package repl

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// pasteMark stands in the edited line for a text that was pasted.
const pasteMark = '⎘'

// Sequences of terminals.
const (
	pasteOn    = "\x1b[?2004h"
	pasteOff   = "\x1b[?2004l"
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// keys maps what terminals send to what readline knows: Home and End of tmux,
// screen and PuTTY, Ctrl- and Alt-arrows by words.
var keys = map[string]string{
	"\x1b[1~": "\x01", "\x1b[7~": "\x01", "\x1b[H": "\x01", "\x1bOH": "\x01",
	"\x1b[4~": "\x05", "\x1b[8~": "\x05", "\x1b[F": "\x05", "\x1bOF": "\x05",
	"\x1b[1;5D": "\x1bb", "\x1b[1;3D": "\x1bb", "\x1b[5D": "\x1bb", "\x1bOd": "\x1bb",
	"\x1b[1;5C": "\x1bf", "\x1b[1;3C": "\x1bf", "\x1b[5C": "\x1bf", "\x1bOc": "\x1bf",
	"\x1b[A": "\x1b[A", "\x1b[B": "\x1b[B", "\x1b[C": "\x1b[C", "\x1b[D": "\x1b[D",
	"\x1bOA": "\x1b[A", "\x1bOB": "\x1b[B", "\x1bOC": "\x1b[C", "\x1bOD": "\x1b[D",
	"\x1b[3~": "\x1b[3~",
}

// filter stands between the terminal and readline, which knows no bracketed
// paste: a pasted text is taken whole and never touched by completion.
type filter struct {
	in  io.Reader
	raw []byte // read and not looked at
	out []byte // ready for readline

	mu     sync.Mutex
	pasted []string // texts whose marks readline has
}

// Read returns what readline may see.
func (f *filter) Read(p []byte) (int, error) {
	for len(f.out) == 0 {
		chunk := make([]byte, 4096)
		n, err := f.in.Read(chunk)
		f.raw = append(f.raw, chunk[:n]...)
		f.process()
		if err != nil && len(f.out) == 0 {
			return 0, err
		}
	}
	n := copy(p, f.out)
	f.out = f.out[n:]
	return n, nil
}

// Close does nothing: the terminal is the process's own.
func (*filter) Close() error { return nil }

// take returns the text of the next mark, false when the mark was typed.
func (f *filter) take() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pasted) == 0 {
		return "", false
	}
	text := f.pasted[0]
	f.pasted = f.pasted[1:]
	return text, true
}

// peek is take without taking.
func (f *filter) peek() (string, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pasted) == 0 {
		return "", false
	}
	return f.pasted[0], true
}

// process moves raw to out as far as it can be told what it is.
func (f *filter) process() {
	for len(f.raw) > 0 {
		switch c := f.raw[0]; {
		case c == 0x1a: // Ctrl-Z would stop the parent process too
			f.raw = f.raw[1:]
		case c != 0x1b:
			f.out = append(f.out, c)
			f.raw = f.raw[1:]
		case bytes.HasPrefix(f.raw, []byte(pasteBegin)):
			end := bytes.Index(f.raw, []byte(pasteEnd))
			if end < 0 {
				return
			}
			f.paste(string(f.raw[len(pasteBegin):end]))
			f.raw = f.raw[end+len(pasteEnd):]
		default:
			if !f.escape() {
				return
			}
		}
	}
}

// escape handles a sequence that begins with ESC; false when more must come. An
// unknown one is dropped.
func (f *filter) escape() bool {
	n := sequence(f.raw)
	if n == 0 {
		return false
	}
	seq := string(f.raw[:n])
	f.raw = f.raw[n:]
	if to, ok := keys[seq]; ok {
		f.out = append(f.out, to...)
		return true
	}
	if len(seq) == 2 { // Alt and a key
		f.out = append(f.out, seq...)
	}
	return true
}

// sequence returns the length of the escape sequence at the beginning of b, 0
// when it is not complete.
func sequence(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '[':
		for i := 2; i < len(b); i++ {
			if b[i] >= 0x40 && b[i] <= 0x7e {
				return i + 1
			}
		}
		return 0
	case 'O':
		if len(b) < 3 {
			return 0
		}
		return 3
	default:
		return 2
	}
}

// paste puts a mark for a pasted text, and Enter when it has several lines. What
// stands behind the last line end is typed on.
func (f *filter) paste(text string) {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < ' ' && r != '\n' || r == 0x7f:
			return -1
		default:
			return r
		}
	}, text)
	if text == "" {
		return
	}
	f.mu.Lock()
	f.pasted = append(f.pasted, text)
	f.mu.Unlock()
	f.out = append(f.out, string(pasteMark)...)
	if strings.Contains(text, "\n") {
		f.out = append(f.out, '\r')
	}
}
