package elastic

import (
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
)

// rlike is column RLIKE pattern: Java finds the pattern anywhere in the text,
// Lucene matches the whole of it. What is not the same in both is not pushed.
func (x *index) rlike(args []expr.Expr, not bool) (object, esds.Pushdown) {
	lit, ok := constant(args[1])
	if !ok || not {
		return nil, esds.No
	}
	text, ok := lit.Value.(string)
	if !ok {
		if lit.Value == nil {
			return matchNone(), esds.Exact
		}
		return nil, esds.No
	}
	t, ok := x.target(args[0])
	if !ok || t.meta != "" || !t.isText() || t.field.Normalizer != "" {
		return nil, esds.No
	}
	pattern, ok := luceneRegexp(text)
	if !ok {
		return nil, esds.No
	}
	q := object{"regexp": object{t.path: object{"value": pattern, "flags": "NONE"}}}
	return t.orIgnored(q, min(t.quality(), esds.Superset))
}

// Longest translation (index.max_regex_length is 1000), and most parts that match
// nearly any character: behind an open start each doubles the states that Lucene
// makes of a pattern, and it refuses more than 10,000.
const (
	maxRegexp   = 800
	maxWideOnes = 8
)

// luceneRegexp translates a pattern of Java's. It is false for what Lucene lacks.
func luceneRegexp(pattern string) (string, bool) {
	p := &javaRegexp{rest: pattern}
	out, ok := p.top()
	return out, ok && p.rest == "" && len(out) <= maxRegexp && p.wide <= maxWideOnes && p.counted <= 50
}

// javaRegexp reads a pattern.
type javaRegexp struct {
	rest    string
	wide    int // parts that match nearly any character
	counted int // parts that counts repeat, all in all
	depth   int
}

const (
	anyText    = ".*"
	anyOne     = "[^\n\r\u0085\u2028\u2029]" // what . means to Java
	beforeTail = "(\r\n|[\n\r\u0085\u2028\u2029])?"
)

// top reads alternatives, of which each may be bound to the start or the end.
func (p *javaRegexp) top() (string, bool) {
	var all []string
	for {
		head, tail := anyText, anyText
		if strings.HasPrefix(p.rest, "^") {
			p.rest, head = p.rest[1:], ""
		}
		one, ok := p.sequence()
		if !ok {
			return "", false
		}
		if strings.HasPrefix(p.rest, "$") {
			p.rest, tail = p.rest[1:], beforeTail
		}
		all = append(all, head+one+tail)
		if !strings.HasPrefix(p.rest, "|") {
			return strings.Join(all, "|"), true
		}
		p.rest = p.rest[1:]
	}
}

// sequence reads up to |, ), $ or the end.
func (p *javaRegexp) sequence() (string, bool) {
	var out strings.Builder
	for p.rest != "" && strings.IndexByte("|)$", p.rest[0]) < 0 {
		wide := p.wide
		one, ok := p.atom()
		if !ok {
			return "", false
		}
		times, ok := p.repeat(p.wide > wide)
		if !ok {
			return "", false
		}
		out.WriteString(one + times)
	}
	return out.String(), true
}

func (p *javaRegexp) atom() (string, bool) {
	switch c := p.rest[0]; c {
	case '(':
		return p.group()
	case '[':
		return p.class()
	case '.':
		p.rest = p.rest[1:]
		p.wide++
		return anyOne, true
	case '\\':
		return p.escape()
	case '^', '*', '+', '?', '{':
		return "", false
	}
	r := []rune(p.rest)[0]
	p.rest = p.rest[len(string(r)):]
	return quoteRegexp(r), true
}

func (p *javaRegexp) group() (string, bool) {
	p.rest = strings.TrimPrefix(p.rest[1:], "?:")
	if strings.HasPrefix(p.rest, "?") || p.depth > 20 {
		return "", false
	}
	p.depth++
	defer func() { p.depth-- }()
	var all []string
	for {
		one, ok := p.sequence()
		if !ok || p.rest == "" || p.rest[0] == '$' {
			return "", false
		}
		if one == "" {
			one = "()"
		}
		all = append(all, one)
		end := p.rest[0]
		p.rest = p.rest[1:]
		if end == ')' {
			return "(" + strings.Join(all, "|") + ")", true
		}
	}
}

// repeat reads a quantifier. Whether it is greedy makes no difference to what
// matches; possessive ones do.
func (p *javaRegexp) repeat(wide bool) (string, bool) {
	if p.rest == "" {
		return "", true
	}
	times := ""
	switch c := p.rest[0]; c {
	case '*', '+', '?':
		times, p.rest = string(c), p.rest[1:]
		if wide && c != '?' {
			p.wide-- // a loop adds no states
		}
	case '{':
		inner, rest, closed := strings.Cut(p.rest[1:], "}")
		low, high, _ := strings.Cut(inner, ",")
		most := max(atoiOr(low, -1), atoiOr(high, 0))
		if !closed || atoiOr(low, -1) < 0 || strings.Contains(inner, ",") && high != "" && atoiOr(high, -1) < atoiOr(low, 0) {
			return "", false
		}
		p.counted += most
		if wide {
			p.wide += most
		}
		times, p.rest = "{"+inner+"}", rest
	default:
		return "", true
	}
	p.rest = strings.TrimPrefix(p.rest, "?")
	if p.rest != "" && strings.IndexByte("*+?{", p.rest[0]) >= 0 {
		return "", false
	}
	return times, true
}

func atoiOr(s string, otherwise int) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return otherwise
	}
	return n
}

// classes are Java's, without the flags for Unicode.
var classes = map[byte]string{'d': "0-9", 'w': "a-zA-Z0-9_", 's': " \t\n\u000b\f\r"}

func (p *javaRegexp) escape() (string, bool) {
	if len(p.rest) < 2 {
		return "", false
	}
	c := p.rest[1]
	if set, known := classes[c]; known {
		p.rest = p.rest[2:]
		return "[" + set + "]", true
	}
	if set, known := classes[c|0x20]; known && c < 'a' {
		p.rest = p.rest[2:]
		p.wide++
		return "[^" + set + "]", true
	}
	r, ok := p.escaped()
	return quoteRegexp(r), ok
}

// escaped reads \ and a sign that stands for itself, or for a control character.
func (p *javaRegexp) escaped() (rune, bool) {
	if len(p.rest) < 2 || p.rest[1] >= 0x80 {
		return 0, false
	}
	c := p.rest[1]
	p.rest = p.rest[2:]
	if control, known := map[byte]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f'}[c]; known {
		return control, true
	}
	letter := c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
	return rune(c), !letter
}

// class reads [a-z\d], without classes inside it.
func (p *javaRegexp) class() (string, bool) {
	p.rest = p.rest[1:]
	var out strings.Builder
	out.WriteByte('[')
	if strings.HasPrefix(p.rest, "^") {
		p.rest = p.rest[1:]
		p.wide++
		out.WriteByte('^')
	}
	for first := true; ; first = false {
		switch {
		case p.rest == "" || p.rest[0] == '[' || strings.HasPrefix(p.rest, "&&") || first && p.rest[0] == ']':
			return "", false
		case p.rest[0] == ']':
			p.rest = p.rest[1:]
			out.WriteByte(']')
			return out.String(), true
		}
		if set, known := classOf(p.rest); known {
			p.rest = p.rest[2:]
			out.WriteString(set)
			continue
		}
		low, ok := p.member()
		if !ok {
			return "", false
		}
		out.WriteString(quoteRegexp(low))
		if len(p.rest) > 1 && p.rest[0] == '-' && p.rest[1] != ']' {
			p.rest = p.rest[1:]
			high, ok := p.member()
			if !ok || high < low {
				return "", false
			}
			out.WriteString("-" + quoteRegexp(high))
		}
	}
}

func classOf(s string) (string, bool) {
	if len(s) < 2 || s[0] != '\\' {
		return "", false
	}
	set, known := classes[s[1]]
	return set, known
}

func (p *javaRegexp) member() (rune, bool) {
	if p.rest == "" || p.rest[0] == '[' {
		return 0, false
	}
	if p.rest[0] == '\\' {
		return p.escaped()
	}
	r := []rune(p.rest)[0]
	p.rest = p.rest[len(string(r)):]
	return r, true
}

// quoteRegexp returns a character as Lucene takes it for itself.
func quoteRegexp(r rune) string {
	if r < 0x80 && strings.ContainsRune(`.?+*|{}[]()"\#@&<>~^$-/:,!=%';`+"`", r) {
		return `\` + string(r)
	}
	return string(r)
}
