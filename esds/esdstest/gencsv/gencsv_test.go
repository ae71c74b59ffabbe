package gencsv

import (
	"bytes"
	"encoding/csv"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

const rows = 2000

func generate(t *testing.T, seed int64, opts Options) string {
	t.Helper()
	var out bytes.Buffer
	if err := Write(&out, rows, seed, opts); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestSameSeedSameBytes(t *testing.T) {
	first, again, other := generate(t, 7, Options{}), generate(t, 7, Options{}), generate(t, 8, Options{})
	if first != again {
		t.Error("one seed gave two files")
	}
	if first == other {
		t.Error("two seeds gave one file")
	}
}

// Every value must be one of its type, in the form that it is written back in.
func TestValuesAreInCanonicalForm(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(generate(t, 1, Options{NullEvery: -1}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != rows+1 || len(records[0]) != 30 {
		t.Fatalf("%d records of %d fields, want %d of 30", len(records), len(records[0]), rows+1)
	}
	for i, c := range Columns() {
		if records[0][i] != c.Name {
			t.Errorf("name %d is %q, want %q", i, records[0][i], c.Name)
		}
		for _, record := range records[1:] {
			if got := canonical(c.Type, record[i]); got != record[i] {
				t.Fatalf("%s %s: %q is not canonical: %q", c.Name, c.Type, record[i], got)
			}
		}
	}
}

// canonical reads a value of a type and writes it again.
func canonical(kind, text string) string {
	switch kind {
	case "BIGINT", "INT", "SMALLINT":
		bits := map[string]int{"BIGINT": 64, "INT": 32, "SMALLINT": 16}[kind]
		v, err := strconv.ParseInt(text, 10, bits)
		return answer(strconv.FormatInt(v, 10), err)
	case "DOUBLE":
		v, err := strconv.ParseFloat(text, 64)
		return answer(strconv.FormatFloat(v, 'f', -1, 64), err)
	case "DECIMAL(12,2)":
		cents, err := strconv.ParseInt(strings.Replace(text, ".", "", 1), 10, 64)
		if err == nil && (cents <= -1e12 || cents >= 1e12 || text[len(text)-3] != '.') {
			err = errors.New("not DECIMAL(12,2)")
		}
		return answer(text, err)
	case "BOOLEAN":
		v, err := strconv.ParseBool(text)
		return answer(strconv.FormatBool(v), err)
	case "DATE":
		v, err := time.Parse(time.DateOnly, text)
		return answer(v.Format(time.DateOnly), err)
	case "TIMESTAMP":
		v, err := time.Parse(time.RFC3339Nano, text)
		return answer(v.Format(time.RFC3339Nano), err)
	default:
		return text
	}
}

func answer(text string, err error) string {
	if err != nil {
		return err.Error()
	}
	return text
}

func TestNullsAndEmptyStringsDiffer(t *testing.T) {
	text := generate(t, 1, Options{})
	for _, want := range []string{",,", `,"",`, `""quoted""`, "line\nbreak", "comma,", "李雷", "9223372036854775807", "-9223372036854775808"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the file", want)
		}
	}
	if strings.Contains(generate(t, 1, Options{NullEvery: -1}), ",,") {
		t.Error("a NULL although there should be none")
	}
}

func TestIDsCount(t *testing.T) {
	records, err := csv.NewReader(strings.NewReader(generate(t, 3, Options{NoHeader: true}))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for i, record := range records {
		if record[0] != strconv.Itoa(i+1) {
			t.Fatalf("row %d has id %s", i+1, record[0])
		}
	}
}

func TestWriteReturnsTheWritersError(t *testing.T) {
	full := errors.New("disk full")
	if err := Write(failing{full}, rows, 1, Options{}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
