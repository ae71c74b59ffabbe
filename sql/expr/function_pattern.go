package expr

import (
	"fmt"
	"strings"
	"sync"

	"github.com/eslake/eslake/sql/row"
)

// pattern is one argument of a signature, or its result. Written in the table:
//
//	string int bigint double float boolean date timestamp timestamp_ntz binary
//	        that type, by an implicit cast if need be
//	num     any number; text becomes DOUBLE
//	integral  any whole number
//	any     anything
//	time    date or timestamp; text becomes a timestamp
//	text    text or bytes; other values become text
//	const   a text literal, left as it is
//	T U K V the same type wherever the letter stands: the common type, where text
//	        wins; S and R: the common type, where it does not
//	array<p> map<k,v>   of patterns
//	fn(p,q):r           a lambda and what its body must be
//
// A trailing ? makes an argument optional, * and + let it repeat.
type pattern struct {
	base   string
	sub    []pattern
	lambda []pattern // parameters of fn
	repeat byte      // 0, ?, * or +
}

// signature is the arguments and the result of a function.
type signature struct {
	args     []pattern
	result   pattern
	min, max int // max is -1 without limit
}

var signatures sync.Map // *Function → *signature, parsed at first use

func signatureOf(f *Function) *signature {
	if s, ok := signatures.Load(f); ok {
		return s.(*signature)
	}
	s := parseSignature(f.Args, f.Result)
	signatures.Store(f, s)
	return s
}

func parseSignature(args, result string) *signature {
	s := &signature{}
	for _, word := range strings.Fields(args) {
		p := parsePattern(word)
		s.args = append(s.args, p)
		switch p.repeat {
		case '?':
			s.max++
		case '*':
			s.max = -1
		case '+':
			s.min++
			s.max = -1
		default:
			s.min++
			s.max++
		}
	}
	if result != "" {
		s.result = parsePattern(result)
	}
	return s
}

func parsePattern(word string) pattern {
	p := pattern{}
	if n := len(word) - 1; strings.IndexByte("?*+", word[n]) >= 0 {
		p.repeat, word = word[n], word[:n]
	}
	switch {
	case strings.HasPrefix(word, "fn("):
		end := strings.IndexByte(word, ')')
		p.base = "fn"
		p.lambda = parsePatterns(word[3:end])
		p.sub = []pattern{parsePattern(word[end+2:])}
	case strings.HasSuffix(word, ">"):
		open := strings.IndexByte(word, '<')
		p.base, p.sub = word[:open], parsePatterns(word[open+1:len(word)-1])
	default:
		p.base = word
	}
	return p
}

// parsePatterns splits at the commas that stand outside of < and >.
func parsePatterns(list string) []pattern {
	var out []pattern
	depth, start := 0, 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) {
			switch list[i] {
			case '<':
				depth++
			case '>':
				depth--
			}
			if list[i] != ',' || depth > 0 {
				continue
			}
		}
		out = append(out, parsePattern(list[start:i]))
		start = i + 1
	}
	return out
}

// at returns the pattern of argument i; the last one that repeats serves the rest.
func (s *signature) at(i int) pattern {
	if i >= len(s.args) {
		return s.args[len(s.args)-1]
	}
	return s.args[i]
}

func (s *signature) checkCount(c *Call) error {
	n := len(c.Args)
	if n >= s.min && (s.max < 0 || n <= s.max) {
		return nil
	}
	want := fmt.Sprint(s.min)
	switch {
	case s.max < 0:
		want = fmt.Sprintf("at least %d", s.min)
	case s.max == s.min+1:
		want = fmt.Sprintf("%d or %d", s.min, s.max)
	case s.max > s.min:
		want = fmt.Sprintf("%d to %d", s.min, s.max)
	}
	noun := "arguments"
	if strings.HasSuffix(want, " 1") || want == "1" {
		noun = "argument"
	}
	return errorAt(CodeArguments, c.At, "%s takes %s %s, not %d", c.Func, want, noun, n)
}

// concrete are the patterns that name one type.
var concrete = map[string]row.Type{
	"string": row.StringType, "int": row.IntType, "bigint": row.BigIntType, "double": row.DoubleType, "float": row.FloatType,
	"boolean": row.BooleanType, "date": row.DateType, "timestamp": row.TimestampType, "timestamp_ntz": row.TimestampNTZType,
	"binary": row.BinaryType, "tinyint": row.TinyIntType, "smallint": row.SmallIntType, "interval": row.IntervalType, "void": row.VoidType,
}

func (p pattern) isVar() bool { return len(p.base) == 1 }

// want words the pattern for messages.
func (p pattern) want() string {
	switch p.base {
	case "num":
		return "a number"
	case "integral":
		return "a whole number"
	case "time":
		return "a date or a timestamp"
	case "text":
		return "text or bytes"
	case "array":
		return "an ARRAY"
	case "map":
		return "a MAP"
	case "const":
		return "a text constant"
	}
	if t, ok := concrete[p.base]; ok {
		return typeName(t)
	}
	return "of another type"
}
