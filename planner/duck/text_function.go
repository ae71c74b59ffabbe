package duck

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"

	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// textFunctions are the functions that SQL cannot express, over texts; bytes
// travel as hexadecimal digits.
var textFunctions = map[string]duckdb.TextFunction{
	"timestamp": readInstantText, "date_format": formatInstantText, "to_timestamp": parseInstantText,
	"csv_cell": csvCell, "from_csv": csvAsJSON, "decimal": computeDecimal,
	"to_char": func(args []string) (string, bool, error) {
		f, err := row.ParseNumberFormat(args[0])
		if err != nil {
			return "", false, err
		}
		return f.Format(args[1]), true, nil
	},
	"to_number": func(args []string) (string, bool, error) {
		f, err := row.ParseNumberFormat(args[0])
		if err != nil {
			return "", false, err
		}
		text, ok := f.Parse(args[1])
		return text, ok, nil
	},
	"sha2": func(args []string) (string, bool, error) {
		b, err := hex.DecodeString(args[0])
		if err != nil {
			return "", false, err
		}
		text, ok := sha2(b, args[1])
		return text, ok, nil
	},
}

// sha2 is the sum in hexadecimal digits; 0 bits are 256, other numbers than
// those of SHA-2 give NULL.
func sha2(b []byte, bits string) (string, bool) {
	switch bits {
	case "0", "256":
		sum := sha256.Sum256(b)
		return hex.EncodeToString(sum[:]), true
	case "224":
		sum := sha256.Sum224(b)
		return hex.EncodeToString(sum[:]), true
	case "384":
		sum := sha512.Sum384(b)
		return hex.EncodeToString(sum[:]), true
	case "512":
		sum := sha512.Sum512(b)
		return hex.EncodeToString(sum[:]), true
	}
	return "", false
}
