package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// EndlessIndex is the one index of Endless, and EndlessDDL its columns.
const (
	EndlessIndex = "endless"
	EndlessDDL   = "n BIGINT, code STRING, name STRING, at TIMESTAMP, day DATE, price DOUBLE, amount DOUBLE, active BOOLEAN, quantity INT, account BIGINT, " +
		"host STRING, comment STRING, status STRING, lat DOUBLE, lon DOUBLE, year INT, seen TIMESTAMP, serial BIGINT, path STRING, country STRING"
)

// Endless answers as an Elasticsearch 8 with one index of as many documents as
// one likes, about 480 bytes each. Its answers are put together from prepared
// text, so it takes little of the processor and no memory that grows. It knows
// the requests of a long read, and nothing of queries.
type Endless struct {
	Docs int

	sources, fields [][]byte
}

// NewEndless returns the handler. Wide, in bytes, makes documents larger by a
// text of that length; 0 adds none.
func NewEndless(docs, wide int) *Endless {
	e := &Endless{Docs: docs}
	for i := range 997 {
		v := i*7919 + 13
		source := fmt.Sprintf(`{"code":"%08x","name":"person %d of many","at":"2024-0%d-1%dT0%d:%02d:%02d.%03dZ","day":"2023-1%d-0%d","price":%d.%02d,"amount":%d.5,`+
			`"active":%t,"quantity":%d,"account":%d,"host":"node-%d.rack-%d.example.org","comment":"the %dth of a thousand remarks, with a comma and \"quotes\"",`+
			`"status":"%s","lat":%d.%06d,"lon":-%d.%06d,"year":%d,"seen":"2025-0%d-2%dT1%d:00:00Z","serial":%d,"path":"/var/lib/data/%x/%x","country":"%s"%s}`,
			v*2654435761%4294967296, v%5000, 1+v%9, v%9, v%9, v%60, v/7%60, v%1000, v%3, 1+v%9, v%1000, v%100, v, v%2 == 0, v%500, 9007199254740993+int64(v),
			v%40, v%7, v, []string{"open", "paid", "void", "returned"}[v%4], v%90, v%1000000, v%180, v*31%1000000, 1980+v%40, 1+v%9, v%9, v%9,
			-int64(v)*922337203685, v*37, v*53, []string{"CH", "NO", "JP", "BR"}[v/3%4], pad(wide))
		e.sources = append(e.sources, []byte(source))
		e.fields = append(e.fields, fmt.Appendf(nil, `{"price":[%d.%02d],"status":["%s"],"account":[%d]}`, v%1000, v%100,
			[]string{"open", "paid", "void", "returned"}[v%4], 9007199254740993+int64(v)))
	}
	return e
}

func pad(wide int) string {
	if wide == 0 {
		return ""
	}
	return `,"wide":"` + strings.Repeat("lorem ipsum ", wide/12+1)[:wide] + `"`
}

// Serve serves a handler, prints its address to out, and ends with in.
func Serve(in io.Reader, out io.Writer, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	fmt.Fprintf(out, "http://%s\n", listener.Addr())
	_, _ = io.Copy(io.Discard, in) // however it ends, it has ended
	_ = server.Close()             // nobody asks any more
	if err := <-done; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// ServeHTTP answers.
func (e *Endless) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Elastic-Product", "Elasticsearch")
	w.Header().Set("Content-Type", "application/json")
	var answer []byte
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/":
		answer = []byte(`{"version":{"number":"8.19.0"},"tagline":"You Know, for Search"}`)
	case r.Method == http.MethodGet && r.URL.Path == "/"+EndlessIndex:
		answer = fmt.Appendf(nil, `{%q:{"mappings":{"properties":{%s}},"settings":{"index":{"version":{"created":"8190099"}}}}}`, EndlessIndex, endlessMapping())
	case strings.HasSuffix(r.URL.Path, "/_pit") && r.Method == http.MethodPost:
		answer = []byte(`{"id":"p"}`)
	case r.Method == http.MethodDelete:
		answer = []byte(`{"succeeded":true,"num_freed":1}`)
	case strings.HasSuffix(r.URL.Path, "/_search"):
		var ok bool
		if answer, ok = e.search(r); !ok {
			w.WriteHeader(http.StatusBadRequest)
			answer = []byte(`{"error":{"type":"parsing_exception","reason":"not known to the endless index"}}`)
		}
	default:
		w.WriteHeader(http.StatusNotFound)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
	_, _ = w.Write(answer) // whoever has gone needs no answer
}

func endlessMapping() string {
	kinds := map[string]string{"BIGINT": "long", "STRING": "keyword", "TIMESTAMP": "date", "DATE": "date", "DOUBLE": "double", "BOOLEAN": "boolean", "INT": "integer"}
	var parts []string
	for column := range strings.SplitSeq(EndlessDDL+", wide STRING", ", ") {
		name, sqlType, _ := strings.Cut(column, " ")
		parts = append(parts, fmt.Sprintf(`%q:{"type":%q}`, name, kinds[sqlType]))
	}
	return strings.Join(parts, ",")
}

func (e *Endless) search(r *http.Request) ([]byte, bool) {
	var body struct {
		Size  int
		After []int `json:"search_after"`
		Slice struct{ ID, Max int }
		Total any             `json:"track_total_hits"`
		PIT   any             `json:"pit"`
		Docs  json.RawMessage `json:"docvalue_fields"`
	}
	if json.NewDecoder(r.Body).Decode(&body) != nil {
		return nil, false
	}
	from, end := 0, e.Docs
	if n := body.Slice.Max; n > 0 {
		from, end = e.Docs*body.Slice.ID/n, e.Docs*(body.Slice.ID+1)/n
	}
	out := []byte(`{"took":1,"timed_out":false,"_shards":{"total":2,"successful":2,"skipped":0,"failed":0},`)
	if body.PIT != nil {
		out = append(out, `"pit_id":"p",`...)
	}
	out = append(out, `"hits":{`...)
	if body.Total == true {
		out = fmt.Appendf(out, `"total":{"value":%d,"relation":"eq"},`, end-from)
	}
	out = append(out, `"max_score":null,"hits":[`...)
	if len(body.After) > 0 {
		from = body.After[0] + 1
	}
	end = min(end, from+body.Size)
	for i := from; i < end; i++ {
		if i > from {
			out = append(out, ',')
		}
		out = e.hit(out, i, body.Docs != nil)
	}
	return append(out, `]}}`...), true
}

func (e *Endless) hit(out []byte, i int, docs bool) []byte {
	out = append(out, `{"_index":"`+EndlessIndex+`",`...)
	if docs {
		out = append(append(out, `"_score":null,"fields":`...), e.fields[i%len(e.fields)]...)
	} else {
		out = strconv.AppendInt(append(out, `"_id":"`...), int64(i), 10)
		out = strconv.AppendInt(append(out, `","_score":null,"_source":{"n":`...), int64(i), 10)
		out = append(append(out, ','), e.sources[i%len(e.sources)][1:]...)
	}
	out = strconv.AppendInt(append(out, `,"sort":[`...), int64(i), 10)
	return append(out, `]}`...)
}
