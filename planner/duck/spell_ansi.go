package duck

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// codeValue is a value that ANSI mode, or an operator in any mode, does not take.
const codeValue = "E4102"

// valueMark begins the messages of the engine that hold the place of a value
// that failed, as JSON up to a second mark.
const valueMark = "\u241f"

// raise writes an error with its place. Parts are texts of SQL that are joined.
func (s *speller) raise(at expr.Expr, parts ...string) string {
	place, _ := json.Marshal(at.Span()) // a struct of texts and numbers
	return "error(" + QuoteText(valueMark+string(place)+valueMark) + " || " + strings.Join(parts, " || ") + ")"
}

// ValueError returns what an error of the engine says, and the mistake that it
// tells of as one of its place; the mistake is nil when it tells of none, the
// message "" when the error is not the engine's.
func ValueError(err error) (message string, at *lex.Error) {
	var failed *duckdb.Error
	if !errors.As(err, &failed) {
		return "", nil
	}
	return failed.Message, marked(failed)
}

func marked(err *duckdb.Error) *lex.Error {
	_, rest, ok := strings.Cut(err.Message, valueMark)
	if !ok {
		return nil
	}
	place, message, _ := strings.Cut(rest, valueMark)
	out := &lex.Error{Code: codeValue, Message: message}
	if json.Unmarshal([]byte(place), &out.Span) != nil {
		return nil
	}
	if before, hint, ok := strings.Cut(message, valueMark); ok {
		out.Message, out.Hint = before, hint
	}
	return out
}

func hint(text string) string { return QuoteText(valueMark + text) }

const tryCast = "TRY_CAST gives NULL for it"

// ansiCast is a cast by the rules of ANSI: what does not fit is an error.
func (s *speller) ansiCast(x string, from, to row.Type, at expr.Expr) string {
	value, may := s.fitting(x, from, to, at)
	shown := "CAST(" + x + " AS VARCHAR)"
	switch may {
	case mayRead:
		return s.checked(value, []string{x}, at, QuoteText("the value '"), shown, QuoteText("' cannot be cast to "+to.SQL()), hint(tryCast))
	case mayFit:
		return s.checked(value, []string{x}, at, shown, QuoteText(" is out of range for "+to.SQL()), hint(tryCast))
	}
	return value
}

// failure is how a cast may fail.
type failure uint8

const (
	never   failure = iota
	mayRead         // the text may be no such value
	mayFit          // the value may be out of range
)

// fitting is a cast that gives NULL for what does not fit.
func (s *speller) fitting(x string, from, to row.Type, at expr.Expr) (string, failure) {
	name := TypeSQL(to)
	switch {
	case from.Kind == row.Void || to.Kind == row.String || to.Nested() || to.Kind == row.Binary:
	case from.Kind == row.String && to.Integral():
		return fmt.Sprintf("TRY_CAST(spark_integer(%s) AS %s)", x, name), mayRead
	case from.Kind == row.String:
		return s.lenientCast(x, from, to, at), mayRead
	case to.Integral() && (from.Kind == row.Timestamp || from.Kind == row.Interval):
		return fmt.Sprintf("TRY_CAST(%s AS %s)", s.lenientCast(x, from, row.BigIntType, at), name), mayFit
	case to.Integral() && from.Integral() && from.Kind > to.Kind:
		return fmt.Sprintf("TRY_CAST(%s AS %s)", x, name), mayFit
	case to.Integral() && from.Numeric() && !from.Integral():
		return fmt.Sprintf("TRY_CAST(trunc(%s) AS %s)", x, name), mayFit
	case to.Kind == row.Decimal && from.Numeric():
		return s.lenientCast(x, from, to, at), mayFit
	}
	return s.lenientCast(x, from, to, at), never
}

// checked writes a value that is an error where it is NULL though no input is.
func (s *speller) checked(value string, inputs []string, at expr.Expr, message ...string) string {
	cond := value + " IS NULL"
	for _, x := range inputs {
		cond += " AND " + x + " IS NOT NULL"
	}
	return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", cond, s.raise(at, message...), value)
}

// ansiDivisor is an error for 0.
func (s *speller) ansiDivisor(a, b string, c *expr.Call) string {
	if l, ok := c.Args[1].(*expr.Literal); ok && divisor("", l) == "" {
		return b
	}
	return fmt.Sprintf("CASE WHEN %s = 0 AND %s IS NOT NULL THEN %s ELSE %s END", b, a,
		s.raise(c, QuoteText("division by zero"), hint("try_divide gives NULL for it")), b)
}

// ansiIndex is x[key] of an array, an error outside of its bounds.
func (s *speller) ansiIndex(x, key string, at expr.Expr) string {
	return fmt.Sprintf("CASE WHEN %s < 0 OR %s >= len(%s) THEN %s ELSE list_extract(%s, CAST(%s AS BIGINT) + 1) END", key, key, x,
		s.outside(x, key, at, "get gives NULL for it"), x, key)
}

func (s *speller) outside(x, key string, at expr.Expr, instead string) string {
	return s.raise(at, QuoteText("index "), "CAST("+key+" AS VARCHAR)", QuoteText(" is outside of an array of "), "len("+x+")", QuoteText(" elements"), hint(instead))
}

// elementAt is element_at of an array: index 0 is an error, one outside of the
// bounds is one with ANSI.
func (s *speller) elementAt(c *expr.Call) string {
	x, key := s.expr(c.Args[0]), s.expr(c.Args[1])
	value := "list_extract(" + x + ", " + key + ")"
	constant, ok := expr.ConstantInt(c.Args[1])
	if s.ansi && c.Func == "element_at" {
		value = fmt.Sprintf("CASE WHEN abs(%s) > len(%s) THEN %s ELSE %s END", key, x, s.outside(x, key, c, "try_element_at gives NULL for it"), value)
	}
	if ok && constant != 0 {
		return value
	}
	return fmt.Sprintf("CASE WHEN %s = 0 AND %s IS NOT NULL THEN %s ELSE %s END", key, x,
		s.raise(c, QuoteText("the first element has index 1, not 0"), hint("x[0] counts from 0")), value)
}

// strictCalls are functions that give NULL for what they cannot read, and with
// ANSI an error. The text says what is wrong with the arguments.
var strictCalls = map[string]string{
	"make_date": "there is no such date", "make_timestamp": "there is no such time", "make_timestamp_ntz": "there is no such time",
	"to_date": "the text is not a date of this pattern", "to_timestamp": "the text is not a time of this pattern",
	"to_timestamp_ntz": "the text is not a time of this pattern", "unix_timestamp": "the text is not a time of this pattern",
	"next_day": "there is no such day of the week", "elt": "the index is outside of the list", "parse_url": "the text is not a URL",
}

// strict makes an error of a NULL that no argument explains.
func (s *speller) strict(name, text string, c *expr.Call) string {
	why, ok := strictCalls[name]
	if !s.ansi || !ok || len(c.Args) == 0 || name == "parse_url" && len(c.Args) == 3 {
		return text
	}
	args := s.exprs(c.Args)
	if name == "elt" {
		args = args[:1]
	}
	return s.checked(text, args, c, QuoteText(c.Func+": "+why), hint("with spark.sql.ansi.enabled=false it gives NULL"))
}
