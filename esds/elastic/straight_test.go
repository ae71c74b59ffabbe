package elastic

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
)

// straightBroken are ends of a hit that is cut off or no JSON.
var straightBroken = []string{`,"sort":[1`, `"sort":[1]`, `,"sort":[1]]`, ":", "]"}

// straightNext is the hit behind.
const straightNext = `,{"_index":"idx","_id":"1","_score":null,"_source":{"n":1},"sort":[1]}]`

// straightHit draws a hit whose document mostly has the columns in their order.
func straightHit(t *rapid.T, columns row.Schema, i int) []byte {
	var members []string
	odd := rapid.IntRange(0, 9).Draw(t, "odd")
	for _, c := range columns {
		if rapid.IntRange(0, 9).Draw(t, "there") == 0 {
			continue
		}
		values := walkLikely[c.Type.String()]
		if odd == 0 || values == nil {
			values = walkValues
		}
		members = append(members, fmt.Sprintf(`"%s":%s`, c.Name, rapid.SampledFrom(values).Draw(t, "value")))
	}
	if at := rapid.IntRange(0, len(members)).Draw(t, "at"); odd == 1 {
		more := rapid.SampledFrom([]string{`"other":1`, `"n":5`, `"k":"twice"`, `"n2":7`, `"o":{"s":"x"}`, ` "t" : "x"`, `"k":null`}).Draw(t, "more")
		members = append(members[:at:at], append([]string{more}, members[at:]...)...)
	} else if odd == 2 && len(members) > 0 {
		members = append(members[at:len(members):len(members)], members[:at]...)
	}
	source := `"_source":{` + strings.Join(members, ",") + `}`
	if rapid.IntRange(0, 20).Draw(t, "source") == 0 {
		source = `"_score":1`
	}
	head := rapid.SampledFrom([]string{
		`"_index":"idx","_id":"%d","_score":null,`, `"_index":"idx","_id":"%d","_score":null,`, `"_index":"other","_id":"a\"%d","_score":null,`,
		`"_index":"idx","_id":"%d","_score":null,"_routing":"r","_ignored":["k"],`, `"_id":"%d",`, `"_n":%d,`, `"a":%d,`,
	}).Draw(t, "head")
	tail := rapid.SampledFrom([]string{`,"sort":[%d]`, `,"sort":[%d]`, `,"sort":[%d,"a"]`, `,"fields":{"a":["%d"]},"sort":[-1]`, ""}).Draw(t, "tail")
	if strings.Contains(tail, "%") {
		tail = fmt.Sprintf(tail, i)
	}
	return []byte("{" + fmt.Sprintf(head, i) + source + tail + "}")
}

// Whatever is gone through straight is printed as what the extractor finds of it.
func TestStraightPrintsTheSame(t *testing.T) {
	straight, plain := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.IntRange(0, walkColumns.Index("o.s")-1).Draw(t, "from")
		columns := walkColumns[from : from+rapid.IntRange(1, walkColumns.Index("o.s")-from).Draw(t, "columns")]
		p := planOf(t, walkMapping, columns)
		forms := walkForms(columns)
		form := rapid.IntRange(0, len(forms)-1).Draw(t, "form")
		if form > 0 { // in order too
			for i := range columns {
				forms[form].Columns[i] = i
			}
		}
		printer := p.rows().printer(forms[form])
		if printer.way == nil {
			t.Fatal("there is no straight way to members of the document")
		}
		for i := range rapid.IntRange(10, 60).Draw(t, "documents") {
			hit := straightHit(t, columns, i)
			broken := string(hit[:len(hit)-1]) + rapid.SampledFrom(straightBroken).Draw(t, "broken") + "}"
			if line, _, ok := printer.straight(nil, []byte(broken+straightNext), 0); ok {
				t.Fatalf("%s\nwas printed: %s", broken, line)
			}
			want := row.NewBatch(columns)
			if err := p.rows().appendHit(want, hit); err != nil {
				continue
			}
			room := rapid.SampledFrom([]int{8, 60, 4096}).Draw(t, "room")
			line, end, ok := printer.straight(append(make([]byte, 0, room), "before "...), append(bytes.Clone(hit), straightNext...), 0)
			if !ok {
				if string(line) != "before " {
					t.Fatalf("%s\nleft: %s", hit, line)
				}
				plain++
				continue
			}
			straight++
			if text := string(forms[form].Append([]byte("before "), want, 0)); text != string(line) || end != len(hit) {
				t.Fatalf("%s\nprinted %s\nwant    %send %d of %d", hit, line, text, end, len(hit))
			}
		}
	})
	if straight < plain {
		t.Errorf("only %d hits were gone through straight, %d not", straight, plain)
	}
}

// A way that is for no document is left alone after some.
func TestStraightIsNotTriedInVain(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}}
	printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
	hit := func(source string) []byte {
		return []byte(`{"_id":"1","_source":` + source + `,"sort":[1]}]`)
	}
	try := func(source string) {
		if _, _, err := printer.append(nil, hit(source), 0); err != nil {
			t.Fatal(err)
		}
	}
	for range oddHits - 1 {
		try(`{"k":"a","n":1}`)
	}
	if try(`{"n":1,"k":"a"}`); printer.way.odd != 0 {
		t.Fatalf("after a hit that goes straight %d count", printer.way.odd)
	}
	for range oddHits + 5 {
		try(`{"k":"a","n":1}`)
	}
	if try(`{"n":1,"k":"a"}`); printer.way.odd != oddHits {
		t.Errorf("it is still tried, %d hits count", printer.way.odd)
	}
}

// A member that a line has twice is in the document once.
func TestStraightTakesNoMemberTwice(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}}
	l := walkForms(columns)[0]
	l.Columns, l.Open = append(l.Columns, 0), append(l.Open, []byte(`,"again":`))
	printer := planOf(t, walkMapping, columns).rows().printer(l)
	line, _, err := printer.append(nil, []byte(`{"_id":"1","_source":{"n":1,"k":"a"},"sort":[1]}]`), 0)
	if want := `,"n":1,"k":"a","again":1}` + "\n"; err != nil || string(line) != want {
		t.Errorf("printed %s, %v, want %s", line, err, want)
	}
}

// A name that is spelled with escapes is not taken for members that look as it does.
func TestStraightKnowsNamesByTheirSpelling(t *testing.T) {
	columns := row.Schema{{Name: `n":1,"k`, Type: row.StringType}}
	printer := planOf(t, `{"properties":{"n\":1,\"k":{"type":"keyword"}}}`, columns).rows().printer(walkForms(columns)[0])
	line, _, err := printer.append(nil, []byte(`{"_id":"1","_source":{"n":1,"k":"a"},"sort":[1]}]`), 0)
	if err != nil || strings.Contains(string(line), `"a"`) {
		t.Errorf("printed %s, %v", line, err)
	}
}

// A hit without a document is not taken for the one behind it.
func TestFrameStaysInItsHit(t *testing.T) {
	const rest = `","_id":"7","_score":null,"_source":{"n":1},"sort":[1]}`
	f := &frame{}
	if _, ok := f.document([]byte(`{"_index":"`+strings.Repeat("i", 60)+rest), 0); !ok || len(f.open) == 0 {
		t.Fatal("nothing was learnt of a plain hit")
	}
	for n := range 80 {
		hit := `{"_id":"1","_score":1},{"_index":"` + strings.Repeat("i", n) + rest
		if at, ok := f.document([]byte(hit), 0); ok {
			t.Fatalf("%s\nhas a document at %d", hit, at)
		}
	}
}
