package textcopy

import (
	"strings"
	"testing"

	"github.com/eslake/eslake/sql/row"
)

// A record ends where it does, and has as many lines of the file.
func TestRecordEnds(t *testing.T) {
	l := &row.Lines{JSON: true, Null: []byte("null"), Close: []byte("}")}
	for record, want := range map[string]int64{
		"a,b\n": 1, "a,b\r\n": 1, "\"a\n\",b\n": 2, "\"\n\n\",\"" + strings.Repeat("0123456789abcde\n", 5) + "\n\"\n": 9, "\"\"\"\n\"\"\",\n": 2,
		"a\n": 0, "a,b,c\n": 0, "\"a\"x,b\n": 0, "a,b\r": 0, "\n": 0, "a,\"b\n": 0,
	} {
		r := NewRecords(Format{Sep: ',', Quote: '"', Escape: '"', Fields: 2}, l, []Step{{Field: 1, Look: LookOf(row.StringType), Keep: FieldBare}}, nil)
		r.Begin(3)
		_, why := r.Run(make([]byte, 0, 4096), []byte("---"+record+strings.Repeat("x", Reach)))
		if want == 0 {
			if why != RecordOdd {
				t.Errorf("%q: why %d", record, why)
			}
			continue
		}
		if end, lines := r.End(); why != RecordDone || end != 3+len(record) || lines != want {
			t.Errorf("%q ends at %d of %d and has %d lines, why %d", record, end-3, len(record), lines, why)
		}
	}
}
