package duck

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"

	"github.com/eslake/eslake/sql/expr"
)

// regex writes the functions of regular expressions. DuckDB's are RE2's; a
// constant pattern is translated from Java's syntax, and refused where RE2 cannot
// say the same.
func (s *speller) regex(name string, c *expr.Call) string {
	x, p := s.expr(c.Args[0]), s.pattern(c)
	group := "1"
	if len(c.Args) == 3 {
		group = s.expr(c.Args[2])
	}
	switch name {
	case "rlike":
		return fmt.Sprintf("regexp_matches(%s, %s)", x, p)
	case "regexp_extract", "regexp_extract_all":
		if _, ok := expr.ConstantInt(c.Args[len(c.Args)-1]); len(c.Args) == 3 && !ok {
			return s.unserved(c, "without a constant group")
		}
		if !s.hasGroup(c, group) {
			return "NULL"
		}
		return fmt.Sprintf("%s(%s, %s, %s)", name, x, p, group)
	case "regexp_count":
		return fmt.Sprintf("CAST(len(regexp_extract_all(%s, %s)) AS INTEGER)", x, p)
	case "regexp_substr":
		return fmt.Sprintf("CASE WHEN regexp_matches(%s, %s) THEN regexp_extract(%s, %s) END", x, p, x, p)
	case "regexp_instr":
		return fmt.Sprintf("spark_regexp_instr(%s, %s)", x, p)
	case "split":
		return s.split(c, x, p)
	}
	return s.regexReplace(c, x, p)
}

// hasGroup reports a group that a constant pattern does not have, as Spark does.
func (s *speller) hasGroup(c *expr.Call, group string) bool {
	text, ok := expr.ConstantText(c.Args[1])
	if !ok {
		return true
	}
	re, err := regexp.Compile(javaToRE2(text))
	if err != nil || group <= fmt.Sprint(re.NumSubexp()) {
		return true
	}
	s.fail(c.Args[1], codeUnserved, "the regular expression has no group %s, it has %d", group, re.NumSubexp())
	return false
}

func (s *speller) pattern(c *expr.Call) string {
	text, ok := expr.ConstantText(c.Args[1])
	if !ok {
		return s.expr(c.Args[1])
	}
	text = javaToRE2(text)
	if _, err := syntax.Parse(text, syntax.Perl); err != nil {
		return s.fail(c.Args[1], codeUnserved, "this regular expression is not supported: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return textLiteral(text)
}

// javaToRE2 translates what Java spells in another way.
func javaToRE2(p string) string {
	var b strings.Builder
	for i := 0; i < len(p); i++ {
		switch {
		case p[i] == '\\' && i+1 < len(p):
			i++
			switch p[i] {
			case 'h':
				b.WriteString(`[ \t\x{A0}]`)
			case 'R':
				b.WriteString(`(?:\r\n|[\n\x{0B}\f\r])`)
			case 'Z':
				b.WriteString(`(?:\n?\z)`)
			case 'p', 'P':
				class, n := posixClass(p[i:])
				b.WriteString(class)
				i += n
			default:
				b.WriteString(p[i-1 : i+1])
			}
		case strings.HasPrefix(p[i:], "(?<") && i+3 < len(p) && p[i+3] != '=' && p[i+3] != '!':
			b.WriteString("(?P<")
			i += 2
		default:
			b.WriteByte(p[i])
		}
	}
	return b.String()
}

var posixClasses = map[string]string{
	"Alpha": "[A-Za-z]", "Digit": "[0-9]", "Alnum": "[A-Za-z0-9]", "Upper": "[A-Z]", "Lower": "[a-z]", "Space": `\s`, "Punct": "[[:punct:]]",
	"XDigit": "[0-9A-Fa-f]", "IsAlphabetic": `\p{L}`, "IsLetter": `\p{L}`, "IsDigit": `\p{Nd}`, "IsUppercase": `\p{Lu}`, "IsLowercase": `\p{Ll}`,
	"ASCII": `[\x00-\x7F]`,
}

// posixClass translates p{Alpha} at the start of the text; it returns how many
// bytes more it took.
func posixClass(p string) (string, int) {
	end := strings.IndexByte(p, '}')
	if len(p) < 3 || p[1] != '{' || end < 0 {
		return `\` + p[:1], 0
	}
	class, ok := posixClasses[p[2:end]]
	if !ok {
		return `\` + p[:end+1], end
	}
	if p[0] == 'P' {
		class = "(?:[^" + strings.Trim(class, "[]") + "])"
	}
	return class, end
}

// split keeps empty parts at the end; with a limit the last part is the rest.
func (s *speller) split(c *expr.Call, x, p string) string {
	limit := "(-1)"
	if len(c.Args) == 3 {
		limit = s.expr(c.Args[2])
	}
	text, constant := expr.ConstantText(c.Args[1])
	n, known := int64(-1), true
	if len(c.Args) == 3 {
		n, known = expr.ConstantInt(c.Args[2])
	}
	switch {
	case !constant || !known || n > 1:
		return fmt.Sprintf("spark_split(%s, %s, %s)", x, p, limit)
	case n == 1:
		return "[" + x + "]"
	case text != "" && regexp.QuoteMeta(text) == text:
		return fmt.Sprintf("string_split(%s, %s)", x, p)
	}
	return fmt.Sprintf("string_split_regex(%s, %s)", x, p)
}

// regexReplace replaces all matches; $1 of Java is \1 of RE2.
func (s *speller) regexReplace(c *expr.Call, x, p string) string {
	with := ""
	if text, ok := expr.ConstantText(c.Args[2]); ok {
		with = textLiteral(javaReplacement(text))
	} else {
		with = "regexp_replace(replace(" + s.expr(c.Args[2]) + `, '\', '\\'), '\$(\d)', '\\\1', 'g')`
	}
	if len(c.Args) == 4 {
		from := s.expr(c.Args[3])
		return fmt.Sprintf("(left(%s, %s - 1) || regexp_replace(substring(%s, %s), %s, %s, 'g'))", x, from, x, from, p, with)
	}
	return fmt.Sprintf("regexp_replace(%s, %s, %s, 'g')", x, p, with)
}

func javaReplacement(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '\\' && i+1 < len(text):
			i++
			if text[i] == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(text[i])
		case text[i] == '$' && i+1 < len(text) && text[i+1] >= '0' && text[i+1] <= '9':
			i++
			b.WriteString(`\` + text[i:i+1])
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
