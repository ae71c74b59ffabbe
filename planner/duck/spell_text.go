package duck

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// textual writes functions of texts and bytes whose spelling depends on types,
// on constants, or on regular expressions.
func (s *speller) textual(name string, c *expr.Call) (string, bool) {
	binary := len(c.Args) > 0 && c.Args[0].Type().Kind == row.Binary
	switch name {
	case "||", "concat":
		return s.concat(c), true
	case "length":
		if binary {
			return "CAST(octet_length(" + s.expr(c.Args[0]) + ") AS INTEGER)", true
		}
	case "octet_length", "bit_length":
		return s.byteLength(name, c, binary), true
	case "reverse":
		if c.T.Kind == row.Array {
			return "list_reverse(" + s.expr(c.Args[0]) + ")", true
		}
	case "substring", "left", "lpad", "rpad", "overlay", "startswith", "endswith", "contains":
		if binary {
			return s.bytes(name, c), true
		}
	case "concat_ws":
		return s.concatWS(c), true
	case "hex":
		return s.hex(c), true
	case "elt":
		return s.elt(c), true
	case "encode", "decode":
		return s.charset(name, c), true
	case "sha2":
		return s.sha2(c), true
	case "to_binary", "try_to_binary":
		return s.toBinary(c), true
	case "bit_count":
		return s.bitCount(c), true
	case "format_number":
		return s.formatNumber(c), true
	case "format_string":
		return s.formatString(c), true
	case "mask":
		return s.mask(c), true
	case "split", "rlike", "regexp_replace", "regexp_extract", "regexp_extract_all", "regexp_count", "regexp_instr", "regexp_substr":
		return s.regex(name, c), true
	}
	return "", false
}

// concat is NULL when one operand is: of texts, bytes and arrays alike.
func (s *speller) concat(c *expr.Call) string {
	args := s.exprs(c.Args)
	switch len(args) {
	case 0:
		return "''"
	case 1:
		return args[0]
	}
	text := "(" + strings.Join(args, " || ") + ")"
	return keepType(text, c)
}

// keepType casts what the engine computes while it plans: a NULL would lose its
// type.
func keepType(text string, c *expr.Call) string {
	if !isConstant(c) {
		return text
	}
	for _, x := range c.Args {
		if l, ok := x.(*expr.Literal); !ok || l.Value == nil {
			return "CAST(" + text + " AS " + TypeSQL(c.T) + ")"
		}
	}
	return text
}

// isNull reports whether an expression is the constant NULL.
func isNull(e expr.Expr) bool {
	l, ok := e.(*expr.Literal)
	return ok && l.Value == nil
}

// bytes writes functions of texts over bytes, by way of their hexadecimal digits.
func (s *speller) bytes(name string, c *expr.Call) string {
	args := s.exprs(c.Args)
	switch name {
	case "substring", "left":
		if name == "left" {
			args = []string{args[0], "1", args[1]}
		}
		if len(args) == 2 {
			args = append(args, "2147483647")
		}
		return "spark_bytes_substring(" + strings.Join(args, ", ") + ")"
	case "lpad", "rpad":
		pad := "'00'"
		if len(args) == 3 {
			pad = "hex(" + args[2] + ")"
		}
		return fmt.Sprintf("unhex(spark_%s(hex(%s), %s * 2, %s))", name, args[0], args[1], pad)
	case "overlay":
		n := "octet_length(" + args[1] + ")"
		if len(args) == 4 {
			n = args[3]
		}
		return fmt.Sprintf("unhex(spark_overlay(hex(%s), hex(%s), %s * 2 - 1, %s * 2))", args[0], args[1], args[2], n)
	case "contains":
		return "spark_bytes_contains(" + strings.Join(args, ", ") + ")"
	}
	return fmt.Sprintf("%s_with(hex(%s), hex(%s))", strings.TrimSuffix(name, "with")[:len(name)-4], args[0], args[1])
}

func (s *speller) byteLength(name string, c *expr.Call, binary bool) string {
	x := s.expr(c.Args[0])
	if !binary {
		x = "encode(" + x + ")"
	}
	factor := ""
	if name == "bit_length" {
		factor = " * 8"
	}
	return "CAST(octet_length(" + x + ")" + factor + " AS INTEGER)"
}

// concatWS flattens the arrays among its arguments.
func (s *speller) concatWS(c *expr.Call) string {
	args := s.exprs(c.Args)
	if len(args) == 1 {
		return "CASE WHEN " + args[0] + " IS NOT NULL THEN '' END"
	}
	for i, x := range c.Args[1:] {
		if x.Type().Kind == row.Array {
			v := s.variable()
			some := fmt.Sprintf("list_filter(%s, lambda %s: %s IS NOT NULL)", args[i+1], v, v)
			args[i+1] = fmt.Sprintf("CASE WHEN len(%s) > 0 THEN spark_join(%s, %s) END", some, some, args[0])
		}
	}
	return "concat_ws(" + strings.Join(args, ", ") + ")"
}

func (s *speller) hex(c *expr.Call) string {
	x := s.expr(c.Args[0])
	if c.Args[0].Type().Kind == row.BigInt {
		return "spark_hex(" + x + ")"
	}
	return "hex(" + x + ")"
}

func (s *speller) elt(c *expr.Call) string {
	args := s.exprs(c.Args)
	return keepType("list_extract(["+strings.Join(args[1:], ", ")+"], CASE WHEN "+args[0]+" > 0 THEN "+args[0]+" END)", c)
}

// charset serves UTF-8 and its subset; and decode with pairs of values.
func (s *speller) charset(name string, c *expr.Call) string {
	if len(c.Args) > 2 {
		args := s.exprs(c.Args)
		text := "CASE"
		for i := 1; i+1 < len(args); i += 2 {
			text += fmt.Sprintf(" WHEN %s IS NOT DISTINCT FROM %s THEN %s", args[0], args[i], args[i+1])
		}
		if len(args)%2 == 0 {
			text += " ELSE " + args[len(args)-1]
		}
		return text + " END"
	}
	set, _ := expr.ConstantText(c.Args[1])
	switch strings.ToUpper(set) {
	case "UTF-8", "UTF8", "US-ASCII", "ASCII":
		return name + "(" + s.expr(c.Args[0]) + ")"
	}
	return s.unserved(c, "in character sets other than UTF-8")
}

func (s *speller) sha2(c *expr.Call) string {
	x := s.expr(c.Args[0])
	if bits, ok := expr.ConstantInt(c.Args[1]); ok && (bits == 256 || bits == 0) {
		return "sha256(" + x + ")"
	}
	return duckdb.TextSQL("sha2", "hex("+x+")", "CAST("+s.expr(c.Args[1])+" AS VARCHAR)")
}

func (s *speller) toBinary(c *expr.Call) string {
	form := "hex"
	if len(c.Args) == 2 {
		form, _ = expr.ConstantText(c.Args[1])
	}
	x := s.expr(c.Args[0])
	switch strings.ToLower(form) {
	case "hex":
		return "spark_unhex(" + x + ")"
	case "utf-8", "utf8":
		return "encode(" + x + ")"
	case "base64":
		return "TRY(from_base64(" + x + "))"
	}
	return s.unserved(c, "in this form")
}

func (s *speller) bitCount(c *expr.Call) string {
	x := s.expr(c.Args[0])
	if c.Args[0].Type().Kind == row.Boolean {
		return "CAST(" + x + " AS INTEGER)"
	}
	return "CAST(bit_count(CAST(" + x + " AS BIGINT)) AS INTEGER)"
}

func (s *speller) formatNumber(c *expr.Call) string {
	digits, ok := expr.ConstantInt(c.Args[1])
	if !ok {
		return s.unserved(c, "without a constant number of digits")
	}
	if digits < 0 {
		return "CAST(NULL AS VARCHAR)"
	}
	text := s.once(s.expr(c.Args[0]), func(x string) string { return numberText(x, c.Args[0].Type(), int(digits)) })
	return s.once(text, func(text string) string { return "spark_commas(" + text + ")" })
}

// numberText is a number with so many digits behind the point. What rounds to 0 keeps
// its sign.
func numberText(x string, t row.Type, digits int) string {
	switch {
	case t.Kind == row.Decimal && digits < t.Scale:
		to := row.DecimalType(min(t.Precision-t.Scale+1+digits, 38), digits)
		text := decimalText(decimalRound("bround", x, t, to, digits), row.DecimalType(38, 0))
		return fmt.Sprintf("if(%s < 0 AND NOT starts_with(%s, '-'), '-' || %s, %s)", x, text, text, text)
	case t.Kind == row.Decimal || t.Integral():
		return fmt.Sprintf("CAST(CAST(%s AS DECIMAL(38,%d)) AS VARCHAR)", x, digits)
	}
	return fmt.Sprintf("format('{:.%df}', CAST(%s AS DOUBLE))", digits, x)
}

// formatString translates the constant pattern: %s takes any value, the rest is
// printf's.
func (s *speller) formatString(c *expr.Call) string {
	pattern, ok := expr.ConstantText(c.Args[0])
	if !ok {
		return s.unserved(c, "without a constant pattern")
	}
	args := []string{""}
	out, next := "", 1
	for i := 0; i < len(pattern); i++ {
		if pattern[i] != '%' || i+1 == len(pattern) {
			out += string(pattern[i])
			continue
		}
		end := i + 1
		for end < len(pattern)-1 && strings.IndexByte("-+ 0,#.123456789", pattern[end]) >= 0 {
			end++
		}
		verb := pattern[end]
		spec := pattern[i : end+1]
		i = end
		if verb == '%' || verb == 'n' {
			out += map[byte]string{'%': "%%", 'n': "\n"}[verb]
			continue
		}
		if next >= len(c.Args) || strings.IndexByte("sdfxXeEco", verb) < 0 || strings.Contains(spec, ",") && !strings.HasPrefix(spec, "%,") {
			return s.unserved(c, "with "+spec)
		}
		arg := s.formatArg(c, spec, c.Args[next])
		if verb == 's' {
			out += spec
		} else {
			out += "%s"
		}
		args, next = append(args, arg), next+1
	}
	args[0] = textLiteral(out)
	return "printf(" + strings.Join(args, ", ") + ")"
}

// formatArg writes a value as text by its part of the pattern; NULL is null.
func (s *speller) formatArg(c *expr.Call, spec string, x expr.Expr) string {
	text, t, verb := s.expr(x), x.Type(), spec[len(spec)-1]
	switch {
	case t.Kind == row.Decimal && strings.IndexByte("sc", verb) < 0: // Java knows nothing of Spark's decimals
		return s.unserved(c, "with "+spec+" for a DECIMAL; cast it to DOUBLE, or use format_number")
	case verb == 's' && (t.Kind == row.Timestamp || t.Kind == row.TimestampNTZ):
		return "coalesce(CAST(epoch_us(" + text + ") AS VARCHAR), 'null')"
	case verb == 's' && t.Kind == row.Date:
		return "coalesce(CAST(" + text + " - DATE '1970-01-01' AS VARCHAR), 'null')"
	case verb == 's':
		return "coalesce(" + s.cast(text, t, row.StringType, c) + ", 'null')"
	case isNull(x):
		return formatNull(spec)
	case spec == "%,d":
		text = "spark_commas(CAST(" + text + " AS VARCHAR))"
	case strings.HasPrefix(spec, "%,"):
		text = "spark_commas(printf(" + QuoteText("%"+spec[2:]) + ", CAST(" + text + " AS DOUBLE)))"
	case verb == 'c':
		text = "chr(" + text + ")"
	case verb == 'f' || verb == 'e' || verb == 'E':
		text = "printf(" + QuoteText(spec) + ", CAST(" + text + " AS DOUBLE))"
	case bits[t.Kind] > 0 && verb != 'd': // of a negative number so many bits
		text = fmt.Sprintf("printf(%s, CAST(%s AS BIGINT) & %d)", QuoteText(spec), text, 1<<bits[t.Kind]-1)
	default:
		text = "printf(" + QuoteText(spec) + ", " + text + ")"
	}
	return "coalesce(" + text + ", " + formatNull(spec) + ")"
}

// bits holds how many bits Java prints of a negative number in hexadecimal or octal
// digits, where they are less than 64.
var bits = map[row.Kind]int{row.TinyInt: 8, row.SmallInt: 16, row.Int: 32}

// formatNull is what Java makes of null: the word, by the width and the precision, and
// in capitals where the verb is one.
func formatNull(spec string) string {
	word, flags := "null", ""
	if verb := spec[len(spec)-1]; verb == 'X' || verb == 'E' {
		word = "NULL"
	}
	size := strings.TrimLeft(spec[1:len(spec)-1], "-+ 0,#")
	if strings.Contains(spec, "-") {
		flags = "-"
	}
	return QuoteText(fmt.Sprintf("%"+flags+size+"s", word))
}

// mask replaces letters and digits; a NULL keeps what it would replace.
func (s *speller) mask(c *expr.Call) string {
	x := s.expr(c.Args[0])
	with := func(i int, other string) string {
		if len(c.Args) > i {
			return s.expr(c.Args[i])
		}
		return other
	}
	return fmt.Sprintf("spark_mask(%s, %s, %s, %s, %s)", x, with(1, "'X'"), with(2, "'x'"), with(3, "'n'"), with(4, "NULL"))
}

// numbered writes the functions of formats of numbers.
func (s *speller) numbered(name string, c *expr.Call) (string, bool) {
	switch name {
	case "to_char":
		return duckdb.TextSQL("to_char", s.expr(c.Args[1]), "CAST("+s.expr(c.Args[0])+" AS VARCHAR)"), true
	case "to_number", "try_to_number":
		return s.numberOf(c), true
	}
	return "", false
}

// numberOf writes to_number, which fails where try_to_number gives NULL.
func (s *speller) numberOf(c *expr.Call) string {
	x := s.expr(c.Args[0])
	value := "CAST(" + duckdb.TextSQL("to_number", s.expr(c.Args[1]), x) + " AS " + TypeSQL(c.T) + ")"
	if c.Func == "try_to_number" {
		return value
	}
	format, _ := expr.ConstantText(c.Args[1])
	return s.checked(value, []string{x}, c, QuoteText("the text '"), x, QuoteText("' does not have the format "+format), hint("try_to_number gives NULL for it"))
}
