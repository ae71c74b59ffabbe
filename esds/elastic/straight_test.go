package elastic

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eslake/eslake/sql/row"
	"github.com/eslake/eslake/sql/row/textcopy"
)

// straightBroken are ends of a hit that is cut off or no JSON.
var straightBroken = []string{`,"sort":[1`, `"sort":[1]`, `,"sort":[1]]`, ":", "]"}

// straightNext is the hit behind.
const straightNext = `{"_index":"idx","_id":"1","_score":null,"_source":{"n":1},"sort":[1]}`

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
	tail := rapid.SampledFrom([]string{`,"sort":[%d]`, `,"sort":[%d,4294967296]`, `,"sort":[%d,"a"]`, `,"fields":{"a":["%d"]},"sort":[-1]`, ""}).Draw(t, "tail")
	if strings.Contains(tail, "%") {
		tail = fmt.Sprintf(tail, i)
	}
	return []byte("{" + fmt.Sprintf(head, i) + source + tail + "}")
}

// straightPage joins hits as they are in an answer, with as much behind them as the
// way leaves alone at the end of a text, or nothing.
func straightPage(hits [][]byte, more bool) []byte {
	page := append(bytes.Join(hits, []byte(",")), "]}}"...)
	if more {
		page = append(page, bytes.Repeat([]byte(" "), textcopy.Reach)...)
	}
	return page
}

// Whatever is gone through straight is printed as what the extractor finds of it.
func TestStraightPrintsTheSame(t *testing.T) {
	straight, gathered, plain := 0, 0, 0
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
		forms[form].Omit = rapid.IntRange(0, 2).Draw(t, "omit") == 0
		printer := p.rows().printer(forms[form])
		if printer.way == nil {
			t.Fatal("there is no straight way to members of the document")
		}
		members := slices.Clone(columns)
		var hits [][]byte
		var want []string // "" of a hit that cannot be read
		for i := range rapid.IntRange(1, 60).Draw(t, "documents") {
			if rapid.IntRange(0, 30).Draw(t, "another order") == 0 {
				members = rapid.Permutation(members).Draw(t, "order")
			}
			hits = append(hits, straightHit(t, members, i))
			values := row.NewBatch(columns)
			line := ""
			if p.rows().appendHit(values, hits[i]) == nil {
				line = string(forms[form].Append(nil, values, 0))
			}
			want = append(want, line)
		}
		page := straightPage(hits, rapid.Bool().Draw(t, "more"))
		for i, at := 0, 0; i < len(hits); {
			room := rapid.SampledFrom([]int{8, 60, 500, 4096}).Draw(t, "room")
			lines, end, n := printer.straight(append(make([]byte, 0, room), "before "...), page, at)
			if text := "before " + strings.Join(want[i:i+n], ""); string(lines) != text || slices.Contains(want[i:i+n], "") {
				t.Fatalf("%d hits from %s\nprinted %s\nwant    %s", n, page[at:], lines, text)
			}
			if next := at + len(bytes.Join(hits[i:i+n], []byte(","))); end != next {
				t.Fatalf("%d hits from %s\nend at %d, want %d", n, page[at:], end, next)
			}
			if printer.way.hits.Gathers() {
				gathered += n
			}
			if straight += n; n == 0 {
				if want[i] != "" {
					plain++
				}
				if end, n = at+len(hits[i]), 1; rapid.IntRange(0, 4).Draw(t, "follow") > 0 {
					printer.way.follow(page, at)
				}
			}
			at, i = end+1, i+n
		}
	})
	// How many of each is chance; how far the way goes is for the tests with documents of their own.
	if straight == gathered || gathered == 0 || plain == 0 {
		t.Errorf("%d hits were gone through straight, %d of them in an order of their own, %d not: one kind was not tried", straight, gathered, plain)
	}
}

// A hit that ends otherwise than hits do is none.
func TestStraightKnowsBrokenHits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		columns := walkColumns[:rapid.IntRange(1, walkColumns.Index("o.s")).Draw(t, "columns")]
		printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
		hit := straightHit(t, columns, 1)
		broken := string(hit[:len(hit)-1]) + rapid.SampledFrom(straightBroken).Draw(t, "broken") + "}"
		page := straightPage([][]byte{[]byte(broken), []byte(straightNext)}, rapid.Bool().Draw(t, "more"))
		if line, _, n := printer.straight(nil, page, 0); n > 0 {
			t.Fatalf("%s\nwas printed: %s", broken, line)
		}
	})
}

// A way that is for no document is left alone after some.
func TestStraightIsNotTriedInVain(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}}
	printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
	hit := func(source string) []byte {
		return []byte(`{"_id":"1","_source":` + source + `,"sort":[1]}]`)
	}
	try := func(source string) {
		if _, _, _, err := printer.append(nil, hit(source), 0); err != nil {
			t.Fatal(err)
		}
	}
	for range oddHits - 1 {
		try(`{"other":"a","n":1}`)
	}
	if try(`{"n":1,"k":"a"}`); printer.way.odd != 0 {
		t.Fatalf("after a hit that goes straight %d count", printer.way.odd)
	}
	for range oddHits + 5 {
		try(`{"other":"a","n":1}`)
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
	line, _, _, err := printer.append(nil, []byte(`{"_id":"1","_source":{"n":1,"k":"a"},"sort":[1]}]`), 0)
	if want := `,"n":1,"k":"a","again":1}` + "\n"; err != nil || string(line) != want {
		t.Errorf("printed %s, %v, want %s", line, err, want)
	}
}

// A name that is spelled with escapes is not taken for members that look as it does.
func TestStraightKnowsNamesByTheirSpelling(t *testing.T) {
	columns := row.Schema{{Name: `n":1,"k`, Type: row.StringType}}
	printer := planOf(t, `{"properties":{"n\":1,\"k":{"type":"keyword"}}}`, columns).rows().printer(walkForms(columns)[0])
	line, _, _, err := printer.append(nil, []byte(`{"_id":"1","_source":{"n":1,"k":"a"},"sort":[1]}]`), 0)
	if err != nil || strings.Contains(string(line), `"a"`) {
		t.Errorf("printed %s, %v", line, err)
	}
}

// A hit without a document is not taken for the one behind it.
func TestFrameStaysInItsHit(t *testing.T) {
	const rest = `","_id":"7","_score":null,"_source":{"n":1},"sort":[1]}`
	columns := row.Schema{{Name: "n", Type: row.BigIntType}}
	printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
	page := func(hit string) []byte { return straightPage([][]byte{[]byte(hit)}, true) }
	if _, _, n := printer.straight(nil, page(`{"_index":"`+strings.Repeat("i", 60)+rest), 0); n != 1 || len(printer.way.frame.Text) == 0 {
		t.Fatal("nothing was learnt of a plain hit")
	}
	for n := range 80 {
		hit := `{"_id":"1","_score":1},{"_index":"` + strings.Repeat("i", n) + rest
		if line, end, n := printer.straight(nil, page(hit), 0); n > 0 {
			t.Fatalf("%s\nis printed as %s and ends at %d", hit, line, end)
		}
	}
}

// The hits of a page that was split are printed, each once, whatever an earlier page left
// behind it in the storage.
func TestSplitPageIsPrinted(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}}
	for _, tail := range []string{"", `,"sort":[1]`, `,"sort":[1,"a"]`} {
		var each []string
		var want strings.Builder
		for i := range 30 {
			each = append(each, fmt.Sprintf(`{"_index":"i","_id":"%d","_source":{"n":%d}%s}`, i, i, tail))
			fmt.Fprintf(&want, ",\"n\":%d}\n", i)
		}
		text := []byte(`{"hits":{"total":{"value":30,"relation":"eq"},"hits":[` + strings.Join(each, ",") + `]}}`)
		n := len(text)
		text = append(text, "},"+strings.Join(each, ",")...)[:n]
		page, err := parsePage("", "", text)
		if err != nil {
			t.Fatal(err)
		}
		printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
		lines, rows, err := new(scan).linesOf(printer, &hits{page: page})
		if err != nil || rows != 30 || string(lines) != want.String() {
			t.Errorf("tail %q: %d rows, %v\n%s", tail, rows, err, lines)
		}
	}
}

// The order that documents have is learnt, and learnt anew when it changes; but not for ever.
func TestStraightLearnsTheOrder(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}, {Name: "d", Type: row.TimestampType}}
	printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
	straight := func(source string) bool {
		t.Helper()
		hit := []byte(`{"_id":"1","_source":{` + source + `},"sort":[1]}]`)
		_, _, n := printer.straight(nil, hit, 0)
		printer.way.follow(hit, 0)
		return n == 1
	}
	for _, step := range []struct {
		source string
		want   bool
	}{
		{`"n":1,"k":"a","d":null`, true},
		{`"d":"2024-02-29T00:00:00Z","n":1`, false}, // k is not known
		{`"d":"2024-02-29T00:00:00Z","n":1`, true},
		{`"d":"2024-02-29T00:00:00Z","k":"a","n":1`, false},
		{`"d":"2024-02-29T00:00:00Z","k":"a","n":1`, true},
		{`"d":null,"k":"a\u0001"`, true}, // the walker's values, and members that are not there
		{`"n":null`, true},
		{``, true},
		{`"k":"a","d":null`, false},
		{`"other":1,"k":"a","d":null`, false},
		{`"k":"a","k":"a"`, false},
		{`"k":"a","d":null`, true},
	} {
		if got := straight(step.source); got != step.want {
			t.Errorf("{%s} goes straight: %t, want %t", step.source, got, step.want)
		}
	}
	for range mostOrders {
		straight(`"n":1,"k":"a"`)
		straight(`"k":"a","n":1`)
	}
	if a, b := straight(`"n":1,"k":"a"`), straight(`"k":"a","n":1`); a == b || printer.way.orders != mostOrders {
		t.Errorf("%d orders were learnt, want %d", printer.way.orders, mostOrders)
	}
}

// Hits that teach no order are not looked at for ever.
func TestStraightStopsToLearn(t *testing.T) {
	columns := row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "k", Type: row.StringType}}
	printer := planOf(t, walkMapping, columns).rows().printer(walkForms(columns)[0])
	follow := func(source string) { printer.way.follow([]byte(`{"_id":"1","_source":{`+source+`},"sort":[1]}]`), 0) }
	for range mostOrders - 1 {
		follow(`"other":1,"k":"a"`)
	}
	if follow(`"k":"a","n":1`); printer.way.orders != 1 {
		t.Fatalf("%d orders were learnt, want 1", printer.way.orders)
	}
	follow(`"other":1`)
	if follow(`"n":1,"k":"a"`); printer.way.orders != 1 {
		t.Errorf("%d orders were learnt after %d hits in vain", printer.way.orders, printer.way.vain)
	}
}
