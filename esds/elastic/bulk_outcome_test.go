package elastic

import (
	"fmt"
	"testing"
)

func TestParseOutcomes(t *testing.T) {
	const answer = `{"errors":true, "items" : [ {"index":{"status":201,"result":"created"}},{"index":{"status":201,"result":"created"}} , {"index":{"status":201,"result":"created"}},` +
		`{"index":{"status":200,"result":"updated"}},{"index":{"status":400,"error":{"type":"x"}}},{"index":{"status":400,"error":{"type":"x"}}},{"index":{"status":400,"error":{"type":"xy"}}},` +
		`{"delete":{"result":"not_found","status":404}},{"index":{"status":201,"result":"created"}}],"took":3}`
	got, err := parseOutcomes([]byte(answer), 9)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, o := range got {
		text += fmt.Sprintf("%d %s %s; ", o.status, o.result, o.err)
	}
	if want := `201 created ; 201 created ; 201 created ; 200 updated ; 400  {"type":"x"}; 400  {"type":"x"}; 400  {"type":"xy"}; 404 not_found ; 201 created ; `; text != want {
		t.Errorf("got  %s\nwant %s", text, want)
	}
	for _, cut := range []string{answer[:60], answer[:100], answer[:140]} {
		if got, err := parseOutcomes([]byte(cut), 9); err == nil {
			t.Errorf("%d outcomes of an answer that is cut: %s", len(got), cut)
		}
	}
}
