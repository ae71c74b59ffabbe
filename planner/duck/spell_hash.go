package duck

import (
	"fmt"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/row"
)

// hashed writes hash and xxhash64: each value is hashed with the hash of those
// before as its seed; a NULL leaves that as it is.
func (s *speller) hashed(name string, c *expr.Call) string {
	family, seed, end := "murmur", "42::UBIGINT", "spark_signed32"
	if name == "xxhash64" {
		family, seed, end = "xx", "42::UHUGEINT", "spark_signed64"
	}
	for _, x := range c.Args {
		if isNull(x) {
			continue
		}
		v := s.variable()
		seed = fmt.Sprintf("list_extract(list_transform([%s], lambda %s: %s), 1)", seed, v, s.hashOf(family, s.expr(x), x.Type(), v, c))
	}
	return end + "(" + seed + ")"
}

// hashOf hashes one value; the seed is a variable.
func (s *speller) hashOf(family, x string, t row.Type, seed string, c *expr.Call) string {
	form := ""
	switch t.Kind {
	case row.Boolean, row.TinyInt, row.SmallInt, row.Int:
		form = "spark_%s_int(CAST(%s AS INTEGER), %s)"
	case row.Date:
		form = "spark_%s_int(CAST(%s - DATE '1970-01-01' AS INTEGER), %s)"
	case row.BigInt:
		form = "spark_%s_long(%s, %s)"
	case row.Timestamp, row.TimestampNTZ:
		form = "spark_%s_long(epoch_us(%s), %s)"
	case row.Float:
		form = "spark_%s_int(CAST(CAST(%s + 0.0::FLOAT AS BIT) AS INTEGER), %s)"
	case row.Double:
		form = "spark_%s_long(CAST(CAST(%s + 0.0::DOUBLE AS BIT) AS BIGINT), %s)"
	case row.String:
		form = "spark_%s_hex(hex(encode(%s)), %s)"
	case row.Binary:
		form = "spark_%s_hex(hex(%s), %s)"
	case row.Decimal:
		if t.Precision > 18 {
			return s.unserved(c, "for decimals of more than 18 digits")
		}
		return fmt.Sprintf("coalesce(spark_%s_long(CAST(%s AS BIGINT), %s), %s)", family, unscaled(x, t, t.Scale), seed, seed)
	case row.Struct:
		return s.hashStruct(family, x, t, seed, c)
	case row.Array:
		return s.hashArray(family, x, t, seed, c)
	default:
		return s.unserved(c, "for values of "+t.SQL())
	}
	return fmt.Sprintf("coalesce("+form+", %s)", family, x, seed, seed)
}

func (s *speller) hashStruct(family, x string, t row.Type, seed string, c *expr.Call) string {
	text := seed
	for _, f := range t.Fields {
		v := s.variable()
		text = fmt.Sprintf("list_extract(list_transform([%s], lambda %s: %s), 1)", text, v, s.hashOf(family, "struct_extract("+x+", "+QuoteText(f.Name)+")", f.Type, v, c))
	}
	return text
}

func (s *speller) hashArray(family, x string, t row.Type, seed string, c *expr.Call) string {
	acc, v, item := s.variable(), s.variable(), s.variable()
	unsigned, elem := "UBIGINT", TypeSQL(*t.Elem)
	if family == "xx" {
		unsigned = "UHUGEINT"
	}
	step := s.hashOf(family, "struct_extract("+v+", 'e')", *t.Elem, "struct_extract("+acc+", 'h')", c)
	list := fmt.Sprintf("list_transform(coalesce(%s, []), lambda %s: struct_pack(h := CAST(0 AS %s), e := %s))", x, item, unsigned, item)
	return fmt.Sprintf("struct_extract(list_reduce(list_concat([struct_pack(h := %s, e := CAST(NULL AS %s))], %s), lambda %s, %s: struct_pack(h := %s, e := CAST(NULL AS %s))), 'h')",
		seed, elem, list, acc, v, step, elem)
}
