package esdstest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// opaque are types whose value the fake keeps and cannot search.
var opaque = []string{
	"geo_point", "geo_shape", "integer_range", "long_range", "double_range", "float_range", "date_range", "ip_range", "dense_vector", "completion", "knn_vector",
	"rank_feature", "rank_features", "sparse_vector", "histogram", "aggregate_metric_double", "murmur3", "shape", "point", "xy_point", "percolator", "xyz",
}

// leaf reads the value of a field, and of its multi-fields.
func (p *docParser) leaf(f *field, v any) *failure {
	if slices.Contains(opaque, f.typ) || f.typ == "flattened" || f.typ == "flat_object" || f.typ == "join" {
		if v != nil {
			p.doc.values[f.path] = append(p.doc.values[f.path], fmt.Sprint(v))
		}
		return nil
	}
	for _, e := range flatten(v) {
		if e == nil {
			e = f.params["null_value"]
		}
		if e == nil {
			continue
		}
		for _, each := range append([]*field{f}, f.multi...) {
			if err := p.scalar(each, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *docParser) scalar(f *field, e any) *failure {
	if o, isObject := e.(object); isObject {
		return p.malformed(f, string(encode(o)), fail(400, "illegal_state_exception", "Can't get text on a START_OBJECT at 1:6"))
	}
	values, err := f.index(e)
	if err != nil {
		if f.params["ignore_malformed"] == true {
			p.doc.ignored = append(p.doc.ignored, f.path)
			return nil
		}
		return p.malformed(f, text(e), err)
	}
	if limit, ok := number(f.params["ignore_above"]); ok && len(values) == 1 && len([]rune(text(values[0]))) > int(limit) {
		if p.flavour.ignored {
			p.doc.ignored = append(p.doc.ignored, f.path)
		}
		return nil
	}
	if f.typ == "text" {
		p.doc.present = append(p.doc.present, f.path) // also of text without a word
	}
	p.doc.values[f.path] = append(p.doc.values[f.path], values...)
	return nil
}

func (p *docParser) malformed(f *field, preview string, cause *failure) *failure {
	return p.bad(fmt.Sprintf("failed to parse field [%s] of type [%s] in document with id '%s'. Preview of field's value: '%s'", f.path, f.typ, p.id, preview), cause)
}

// index returns what a JSON value becomes in the index: strings, int64 (also
// for dates, in the unit of the type, and booleans), float64, or *big.Int.
func (f *field) index(e any) ([]any, *failure) {
	bad := func(format string, args ...any) *failure {
		return fail(400, "illegal_argument_exception", format, args...)
	}
	switch f.typ {
	case "text", "match_only_text", "search_as_you_type":
		return tokens(text(e)), nil
	case "token_count":
		return []any{int64(len(tokens(text(e))))}, nil
	case "keyword", "wildcard", "constant_keyword", "version":
		s := text(e)
		if f.params["normalizer"] != nil {
			s = strings.ToLower(s)
		}
		if len(s) > 32766 && f.params["ignore_above"] == nil {
			return nil, bad("Document contains at least one immense term in field=%q", f.path)
		}
		return []any{s}, nil
	case "boolean":
		switch text(e) {
		case "true":
			return []any{int64(1)}, nil
		case "false", "":
			return []any{int64(0)}, nil
		}
		return nil, bad("Failed to parse value [%s] as only [true] or [false] are allowed.", text(e))
	case "date", "date_nanos":
		n, ok := f.date(text(e), false)
		if !ok {
			return nil, bad("failed to parse date field [%s] with format [%s]", text(e), f.format())
		}
		return []any{n}, nil
	case "ip":
		addr, err := netip.ParseAddr(text(e))
		if err != nil {
			return nil, bad("'%s' is not an IP string literal.", text(e))
		}
		return []any{addr.String()}, nil
	case "binary":
		if _, err := base64.StdEncoding.DecodeString(text(e)); err != nil {
			return nil, bad("Illegal base64 character")
		}
		return nil, nil
	}
	return f.number(e)
}

var intBits = map[string]int{"byte": 8, "short": 16, "integer": 32, "long": 64}

func (f *field) number(e any) ([]any, *failure) {
	bad := fail(400, "illegal_argument_exception", "For input string: %q", text(e))
	if _, isBool := e.(bool); isBool {
		return nil, bad
	}
	if s, isText := e.(string); isText && (strings.TrimSpace(s) == "" || f.params["coerce"] == false) {
		return nil, bad
	}
	r, ok := new(big.Rat).SetString(strings.TrimSpace(text(e)))
	if !ok || len(text(e)) > 400 {
		return nil, bad
	}
	bits, whole := intBits[f.typ]
	n, isNumber := e.(json.Number)
	if !whole && f.typ != "unsigned_long" {
		v, _ := strconv.ParseFloat(strings.TrimSpace(text(e)), 64)
		if n == "-0" { // a whole number, which has no sign
			v = 0
		}
		if v = f.round(v); math.IsInf(v, 0) {
			return nil, fail(400, "illegal_argument_exception", "[%s] supports only finite values, but got [%s]", f.typ, text(e))
		}
		return []any{v}, nil
	}
	if isNumber && whole && strings.ContainsAny(text(e), ".eE") { // such a number passes through a double
		v, _ := r.Float64()
		r.SetFloat64(v)
	}
	return f.wholeNumber(e, r, bits)
}

func (f *field) wholeNumber(e any, r *big.Rat, bits int) ([]any, *failure) {
	n := new(big.Int).Quo(r.Num(), r.Denom())
	if f.typ == "unsigned_long" {
		if n.Sign() < 0 || n.BitLen() > 64 {
			return nil, fail(400, "illegal_argument_exception", "Value [%s] is out of range for unsigned long", text(e))
		}
		return []any{n}, nil
	}
	if !n.IsInt64() || bits < 64 && (n.Int64() >= 1<<(bits-1) || n.Int64() < -1<<(bits-1)) {
		return nil, fail(400, "illegal_argument_exception", "Value [%s] is out of range for a %s", text(e), f.typ)
	}
	if f.params["coerce"] == false && !r.IsInt() {
		return nil, fail(400, "illegal_argument_exception", "%s cannot be converted to %s without data loss", text(e), f.typ)
	}
	return []any{n.Int64()}, nil
}

// round returns a number as the type keeps it.
func (f *field) round(v float64) float64 {
	switch f.typ {
	case "float":
		return float64(float32(v))
	case "half_float":
		return halfFloat(v)
	case "scaled_float":
		if factor, ok := number(f.params["scaling_factor"]); ok {
			return math.Round(v*factor) / factor
		}
	}
	return v
}

// halfFloat rounds to 11 significant bits.
func halfFloat(v float64) float64 {
	if v == 0 || math.IsInf(v, 0) || math.IsNaN(v) {
		return v
	}
	frac, exp := math.Frexp(v)
	v = math.Ldexp(math.RoundToEven(frac*2048)/2048, exp)
	if math.Abs(v) > 65504 {
		return math.Inf(int(v))
	}
	return v
}

func number(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil
	}
	return 0, false
}

// text returns a scalar as the index reads it.
func text(e any) string {
	switch e := e.(type) {
	case string:
		return e
	case json.Number:
		return e.String()
	default:
		return fmt.Sprint(e)
	}
}

// tokens is the standard analyzer, nearly: words in lower case.
func tokens(s string) []any {
	var out []any
	for _, word := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' }) {
		out = append(out, word)
	}
	return out
}

// compare orders two values of one field.
func compare(a, b any) int {
	switch a := a.(type) {
	case string:
		return strings.Compare(a, b.(string))
	case float64:
		switch b := b.(float64); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	case *big.Int:
		return a.Cmp(b.(*big.Int))
	default:
		switch a, b := a.(int64), b.(int64); {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
}
