package row

import (
	"fmt"
	"strings"
)

// TimePattern is a pattern of Java's DateTimeFormatter.
type TimePattern struct{ parts []patternPart }

type patternPart struct {
	letter  byte // 0 for text
	count   int
	literal string
}

// NewTimePattern reads a pattern; nil when it is the usual one.
func NewTimePattern(pattern, usual string) (*TimePattern, error) {
	if pattern == "" || pattern == usual {
		return nil, nil
	}
	p := &TimePattern{}
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			text, n, err := quotedText(pattern[i:])
			if err != nil {
				return nil, fmt.Errorf("%q: %w", pattern, err)
			}
			p.parts = append(p.parts, patternPart{literal: text})
			i += n
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z':
			n := runOf(pattern[i:])
			if !strings.ContainsRune("GyuMLQqdDFEHhkKmsSaXxZzOV", rune(c)) {
				return nil, fmt.Errorf("%q: the letter %c is not supported in patterns of dates", pattern, c)
			}
			p.parts = append(p.parts, patternPart{letter: c, count: n})
			i += n
		case c == '[' || c == ']':
			p.parts = append(p.parts, patternPart{letter: c})
			i++
		case strings.IndexByte("{}#", c) >= 0:
			return nil, fmt.Errorf("%q: %q is not supported in patterns of dates", pattern, string(c))
		default:
			p.parts = append(p.parts, patternPart{literal: string(c)})
			i++
		}
	}
	return p, nil
}

// CanRead returns why text cannot be read by the pattern, nil when it can. A nil
// pattern can.
func (p *TimePattern) CanRead() error {
	if p == nil {
		return nil
	}
	for _, part := range p.parts {
		if part.letter != 0 && !strings.ContainsRune("yuMLdDHhmsSaXxZzEV[]", rune(part.letter)) {
			return fmt.Errorf("the letter %c is not supported where text is read", part.letter)
		}
	}
	return nil
}

// HasZone reports whether the pattern has a letter of time zones.
func (p *TimePattern) HasZone() bool {
	for _, part := range p.parts {
		if part.letter != 0 && strings.ContainsRune("XxZzVO", rune(part.letter)) {
			return true
		}
	}
	return false
}

// runOf counts how often the first letter stands in a row.
func runOf(s string) int {
	return len(s) - len(strings.TrimLeft(s, s[:1]))
}

func quotedText(s string) (text string, n int, err error) {
	if strings.HasPrefix(s, "''") {
		return "'", 2, nil
	}
	end := strings.IndexByte(s[1:], '\'')
	if end < 0 {
		return "", 0, fmt.Errorf("a quote is not closed")
	}
	return s[1 : end+1], end + 2, nil
}
