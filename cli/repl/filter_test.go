package repl

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

func TestFilter(t *testing.T) {
	tests := []struct {
		name, in, out string
		pasted        []string
	}{
		{name: "plain", in: "select\tü\r", out: "select\tü\r"},
		{name: "Ctrl-Z", in: "a\x1ab", out: "ab"},
		{name: "Home and End of tmux", in: "\x1b[1~\x1b[4~\x1b[7~\x1b[8~", out: "\x01\x05\x01\x05"},
		{name: "Ctrl-arrows", in: "\x1b[1;5D\x1b[1;5C", out: "\x1bb\x1bf"},
		{name: "arrows", in: "\x1b[A\x1bOB", out: "\x1b[A\x1b[B"},
		{name: "unknown sequence", in: "a\x1b[15~b\x1b[<0;1;1Mc", out: "abc"},
		{name: "Alt", in: "\x1bd", out: "\x1bd"},
		{name: "paste in a line", in: "x\x1b[200~a\tb\x1b[201~y", out: "x⎘y", pasted: []string{"a b"}},
		{name: "paste of lines", in: "\x1b[200~a;\r\nb\rc\x1b[201~", out: "⎘\r", pasted: []string{"a;\nb\nc"}},
		{name: "paste with escapes in it", in: "\x1b[200~a\x1b[31mb\x03\x1b[201~", out: "⎘", pasted: []string{"a[31mb"}},
		{name: "two pastes", in: "\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", out: "⎘⎘", pasted: []string{"a", "b"}},
		{name: "empty paste", in: "\x1b[200~\x1b[201~", out: ""},
	}
	for _, tt := range tests {
		for _, slow := range []bool{false, true} {
			t.Run(tt.name, func(t *testing.T) {
				var in io.Reader = strings.NewReader(tt.in)
				if slow {
					in = iotest.OneByteReader(in)
				}
				f := &filter{in: in}
				got, err := io.ReadAll(f)
				if err != nil || string(got) != tt.out {
					t.Errorf("out = %q, %v; want %q", got, err, tt.out)
				}
				for _, want := range tt.pasted {
					if text, ok := f.take(); !ok || text != want {
						t.Errorf("pasted %q, want %q", text, want)
					}
				}
				if text, ok := f.take(); ok {
					t.Errorf("pasted %q too", text)
				}
			})
		}
	}
}

func TestPasteComesIntoTheLine(t *testing.T) {
	e := &Editor{filter: &filter{pasted: []string{"a b", "c\nd\ne"}}, out: &bytes.Buffer{}}
	line, pos, ok := e.inserted([]rune("x⎘y"), 2, pasteMark)
	if string(line) != "xa by" || pos != 4 || !ok {
		t.Errorf("%q, %d, %v", string(line), pos, ok)
	}
	if _, _, ok := e.inserted([]rune("x⎘"), 2, pasteMark); ok {
		t.Error("lines came into the line")
	}
	if got := e.lines("x⎘"); got != "xc\nd" || e.rest != "e" {
		t.Errorf("%q, rest %q", got, e.rest)
	}
	if got := e.lines("a⏎b"); got != "a\nb" {
		t.Errorf("recalled %q", got)
	}
}
