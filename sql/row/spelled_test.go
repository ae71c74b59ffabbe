package row

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// spelledTypes are those that SpellsItself knows.
var spelledTypes = []Type{
	TinyIntType, SmallIntType, IntType, BigIntType, FloatType, DoubleType, DecimalType(5, 2), DecimalType(12, 0), DecimalType(12, 3), BooleanType, DateType, TimestampType,
}

// Text that spells itself is what is printed of the value that is read from it.
func TestSpellsItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for range 20 {
			typ := rapid.SampledFrom(spelledTypes).Draw(t, "type")
			text := rapid.OneOf(
				rapid.StringMatching(`-?[0-9]{1,20}`),
				rapid.StringMatching(`-?(0|[1-9][0-9]{0,8})\.(000|0|[0-9])[0-9]{0,9}`),
				rapid.StringMatching(`[0-2][0-9]{3}-[01][0-9]-[0-3][0-9]`),
				rapid.StringMatching(`2[0-9]{3}-02-(28|29|30)`),
				rapid.StringMatching(`[0-2][0-9]{3}-0[1-9]-[012][0-9][T ][012][0-9]:[0-6][0-9]:[0-6][0-9](\.[0-9]{1,8})?(Z|\+01:00)?`),
				rapid.StringMatching(`2024-01-01T0[0-9]:00:0[0-9](\.[0-9]{1,7})?Z`),
				rapid.SampledFrom([]string{
					"", "-", "--1", "+1", "0", "-0", "00", "1.", ".5", "1.5.5", "0.0", "-0.0", "0.001", "0.0009", "1e3", "NaN", "true", "false", "True", "127", "128", "-128", "32767", "32768",
					"2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "-9223372036854775808", "9999999.5", "12345678.5", "0.123456789012345", "1.12345678901234567",
					"12:4567890", "1/345678", "12345678/", "2020-01-02T", "2020-01-02T03:04:05.Z", "2020-01-02T03:04:05.120Z", "0000-01-01", "0.50", "-0.50",
				}),
			).Draw(t, "text")
			if !typ.SpellsItself([]byte(text)) {
				continue
			}
			c := NewColumn(typ)
			if err := ParseText(c, text); err != nil {
				t.Fatalf("%q spells no %s: %v", text, typ, err)
			}
			if got := string(AppendText(nil, c, 0)); got != text {
				t.Fatalf("%q is a %s that is printed as %q", text, typ, got)
			}
		}
	})
}

// What most files hold spells itself, so that it is copied.
func TestMostTextSpellsItself(t *testing.T) {
	tests := map[*Type]string{
		{Kind: TinyInt}:                          "0 -1 99 127",
		{Kind: SmallInt}:                         "32767 -32767",
		{Kind: Int}:                              "2147483647 -2147483647 17",
		{Kind: BigInt}:                           "9223372036854775807 -9223372036854775807 1234567890123456789",
		{Kind: Float}:                            "0.5 -12.25 1000.0",
		{Kind: Double}:                           "0.001 5197427.893 -57.182529 0.0 -0.0",
		{Kind: Decimal, Precision: 12, Scale: 2}: "0.00 -4941616806.63 14.40",
		{Kind: Decimal, Precision: 12, Scale: 0}: "0 -123456789012",
		{Kind: Boolean}:                          "true false",
		{Kind: Date}:                             "2024-02-29 1999-12-31",
		{Kind: Timestamp}:                        "2004-08-15T12:30:25.340621Z 2004-08-15T12:30:25Z 2004-08-15T12:30:25.5Z",
	}
	for typ, texts := range tests {
		for text := range strings.FieldsSeq(texts) {
			if !typ.SpellsItself([]byte(text)) {
				t.Errorf("%s: %q does not spell itself", typ, text)
			}
		}
	}
}
