package row

// SpellsItself reports whether AppendText prints the value that text stands for as
// this very text, so that it may be copied: a number without needless zeros and of
// no more digits than its type keeps, a day that exists. It may say no of one that
// does. It knows numbers, booleans, dates, and timestamps that end in Z.
func (t *Type) SpellsItself(text []byte) bool {
	switch t.Kind {
	case TinyInt, SmallInt, Int, BigInt:
		return spellsWhole(text, t.Largest())
	case Float:
		return spellsReal(text, 6) // FLT_DIG: so many digits come back as they were
	case Double:
		return spellsReal(text, 15) // DBL_DIG
	case Decimal:
		return spellsDecimal(text, t.Precision-t.Scale, t.Scale)
	case Boolean:
		return string(text) == "true" || string(text) == "false"
	case Date:
		return spellsDate(text)
	case Timestamp:
		return spellsTime(text)
	}
	return false
}

// Largest returns the digits of the largest number of a type of whole numbers, "" for
// any other type.
func (t *Type) Largest() string {
	switch t.Kind {
	case TinyInt:
		return "127"
	case SmallInt:
		return "32767"
	case Int:
		return "2147483647"
	case BigInt:
		return "9223372036854775807"
	}
	return ""
}

// unsigned returns what stands behind a minus, of which there may be none.
func unsigned(text []byte) []byte {
	if len(text) > 0 && text[0] == '-' {
		return text[1:]
	}
	return text
}

// allDigits reports whether text is nothing but digits.
func allDigits(text []byte) bool {
	for ; len(text) >= 8; text = text[8:] {
		if WordAt(text, 0).Digits() < 8 {
			return false
		}
	}
	for _, b := range text {
		if b-'0' > 9 {
			return false
		}
	}
	return true
}

func spellsWhole(text []byte, most string) bool {
	digits := unsigned(text)
	switch n := len(digits); {
	case n == 0 || n > len(most):
		return false
	case n == len(most) && string(digits) > most:
		return false
	case digits[0] == '0':
		return len(text) == 1
	}
	return allDigits(digits)
}

// spellsReal takes numbers that Java prints without an exponent.
func spellsReal(text []byte, most int) bool {
	digits := unsigned(text)
	n := len(digits)
	if n < 3 || n > most+1 {
		return false
	}
	point := -1
	for i, b := range digits {
		if b-'0' <= 9 {
			continue
		}
		if b != '.' || point >= 0 {
			return false
		}
		point = i
	}
	fraction := n - point - 1
	switch {
	case point < 1 || point > 7 || fraction < 1:
		return false
	case digits[n-1] == '0' && fraction > 1:
		return false
	case digits[0] == '0': // below a thousandth it is printed with an exponent
		return point == 1 && (fraction < 4 || string(digits[2:5]) != "000")
	}
	return true
}

func spellsDecimal(text []byte, whole, scale int) bool {
	digits := unsigned(text)
	point := len(digits)
	if scale > 0 {
		point -= scale + 1
		if point < 1 || digits[point] != '.' || !allDigits(digits[point+1:]) {
			return false
		}
	}
	if point < 1 || point > whole || digits[0] == '0' && (point > 1 || len(digits) < len(text)) {
		return false
	}
	return allDigits(digits[:point])
}

// spellsDate takes 2006-01-02.
func spellsDate(text []byte) bool {
	if len(text) != fixedDate {
		return false
	}
	_, ok := parseFixedDate(text)
	return ok
}

// spellsTime takes 2006-01-02T15:04:05Z, with or without a fraction that does not
// end in a zero.
func spellsTime(text []byte) bool {
	_, zone, ok := parseFixedTimestamp(text)
	if !ok || len(zone) != 1 || zone[0] != 'Z' || text[fixedDate] != 'T' {
		return false
	}
	fraction := text[fixedTime : len(text)-1]
	n := len(fraction)
	return n == 0 || n > 1 && n <= len(".123456") && fraction[n-1] != '0'
}
