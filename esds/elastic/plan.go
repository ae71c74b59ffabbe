package elastic

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// Sizes of pages. What counts for speed and memory is the bytes of a page; what
// a document weighs is seen in the page before.
const (
	firstPage   = 500      // documents of the first answer, which may be all there is
	maxPage     = 10_000   // index.max_result_window
	pageBytes   = 4 << 20  // aimed at
	pageCeiling = 64 << 20 // an answer above is asked again in smaller parts
	minPage     = 50       //
)

// plan is how a scan's columns are fetched.
type plan struct {
	index   *index
	scan    esds.Scan
	columns []planned
	paths   []string // by slot: what is taken from _source
	fetched []string // by slot: what is taken from the "fields" of a hit
	whole   bool     // the whole _source is fetched, whatever is wanted of it
	lenient bool
}

// planned is one column.
type planned struct {
	column row.Field
	field  *esds.Field // nil for metadata and for what the mapping lacks
	from   origin
	path   string   // of what is not from the hit
	slot   int      // in paths or fetched
	meta   string   // of fromHit: the member of the hit
	doc    docValue // of fromDocValues
}

// origin is the part of a hit that holds a column.
type origin uint8

const (
	fromNowhere origin = iota // the mapping lacks it: NULL
	fromSource
	fromFields // what is not in the document, or printed best by the server
	fromHit    // metadata
	fromDocValues
)

// plan reads what it can from the documents.
func (x *index) plan(s esds.Scan) (*plan, error) {
	p := &plan{index: x, scan: s, lenient: x.opts.Bool("eslake.read.lenient")}
	for _, c := range s.Columns {
		col, err := p.column(c)
		if err != nil {
			return nil, err
		}
		p.columns = append(p.columns, p.place(col))
	}
	return p, nil
}

// readable is an error for what only documents hold when there are none.
func (p *plan) readable() error {
	if len(p.paths) == 0 || p.index.noSource == "" {
		return nil
	}
	return &esds.Error{Op: "scan", Index: p.index.noSource, Err: fmt.Errorf("the index keeps no _source, so its documents cannot be read")}
}

// column says what a column is in the index.
func (p *plan) column(c row.Field) (planned, error) {
	col := planned{column: c}
	if isMetadata(c.Name) {
		col.from, col.meta = fromHit, c.Name
		return col, nil
	}
	f := esds.Find(p.index.fields, c.Name)
	if f == nil {
		if !p.index.opts.Bool("es.read.unmapped.fields.ignore") && esds.Find(p.index.all, c.Name) == nil {
			col.from, col.path = fromSource, c.Name
		}
		return col, nil
	}
	if f.Clash != "" {
		return col, &esds.Error{
			Op: "scan", Index: p.index.resource, Err: fmt.Errorf("field %s cannot be one column: it is %s", f.Path, f.Clash),
			Hint: "bind tables to the indices apart",
		}
	}
	col.field = f
	if f.Kind == "alias" {
		if target := esds.Find(p.index.all, f.Alias); target != nil {
			col.field = target
		}
	}
	col.from, col.path = fromSource, col.field.Path
	if col.field.Of != "" && !onlyInFields(col.field, c.Type) { // a multi-field
		col.path = col.field.Of
	}
	if onlyInFields(col.field, c.Type) {
		col.from = fromFields
	}
	return col, nil
}

// place gives a column its slot.
func (p *plan) place(c planned) planned {
	slots := &p.paths
	switch c.from {
	case fromSource:
	case fromFields, fromDocValues:
		slots = &p.fetched
	default:
		return c
	}
	if c.slot = slices.Index(*slots, c.path); c.slot < 0 {
		c.slot = len(*slots)
		*slots = append(*slots, c.path)
	}
	return c
}

func isMetadata(name string) bool {
	return esds.Metadata().Index(name) >= 0 && strings.HasPrefix(name, "_")
}

// onlyInFields reports whether the server must be asked to make the value.
func onlyInFields(f *esds.Field, t row.Type) bool {
	if f.Runtime || f.Kind == "token_count" {
		return true
	}
	if !isDate(f.Kind) || t.Kind == row.String {
		return false
	}
	if f.Mixed { // each index has a format of its own
		return true
	}
	_, known := parseDateFormat(f.Format)
	return !known
}

func isDate(kind string) bool { return kind == "date" || kind == "date_nanos" }

// tellUnknown names the columns whose kinds eslake does not know.
func (p *plan) tellUnknown(ctx context.Context) {
	var unknown []string
	for _, c := range p.columns {
		if c.field != nil && !esds.Known(c.field.Kind) {
			unknown = append(unknown, fmt.Sprintf("%s (%s)", c.field.Path, c.field.Kind))
		}
	}
	if len(unknown) > 0 {
		esds.Notice(ctx, fmt.Sprintf("index %s: eslake does not know the types of %s; their values are read as JSON", p.index.resource, strings.Join(unknown, ", ")))
	}
}

// wants reports whether a metadata column is asked for.
func (p *plan) wants(meta string) bool {
	return slices.ContainsFunc(p.columns, func(c planned) bool { return c.meta == meta })
}

// body returns the search without size, sort and cursor.
func (p *plan) body() map[string]any {
	body := map[string]any{"query": p.index.query(p.scan.Filter), "_source": p.source()}
	if p.wants("_score") {
		body["query"] = p.index.scored(p.scan.Filter)
	}
	if fields := p.request(fromFields); len(fields) > 0 {
		body["fields"] = fields
	}
	if fields := p.request(fromDocValues); len(fields) > 0 {
		body["docvalue_fields"] = fields
	}
	if !p.opensDocuments() {
		body["stored_fields"] = "_none_"
	}
	if p.wants("_version") {
		body["version"] = true
	}
	if p.wants("_seq_no") || p.wants("_primary_term") {
		body["seq_no_primary_term"] = true
	}
	if p.wants("_score") {
		body["track_scores"] = true
	}
	return body
}

// request returns what is asked of the fields of one origin, each once.
func (p *plan) request(from origin) []any {
	var fields []any
	asked := map[int]bool{}
	for _, c := range p.columns {
		if c.from != from || asked[c.slot] {
			continue
		}
		asked[c.slot] = true
		format := c.doc.format
		if from == fromFields && isDate(c.field.Kind) {
			format = "strict_date_optional_time_nanos"
		}
		if format == "" && from == fromDocValues {
			fields = append(fields, c.field.Path)
			continue
		}
		want := map[string]any{"field": c.field.Path}
		if format != "" {
			want["format"] = format
		}
		fields = append(fields, want)
	}
	return fields
}

// opensDocuments reports whether the cluster must open a stored document for a
// hit. Its id is kept there too.
func (p *plan) opensDocuments() bool {
	return p.source() != false || slices.ContainsFunc(p.columns, func(c planned) bool {
		switch c.from {
		case fromFields:
			return true
		case fromHit:
			meta := strings.ToLower(c.meta)
			return meta != "_index" && meta != "_score" && meta != "_seq_no" && meta != "_primary_term"
		}
		return false
	})
}

// source returns what of the documents is fetched: all of it when nearly all of
// it is wanted, since the server then copies it as it is.
func (p *plan) source() any {
	if parts := p.index.opts.List("es.read.source.filter"); len(parts) > 0 && p.wants("_source") {
		return parts
	}
	if p.wants("_source") || slices.ContainsFunc(p.columns, filterRounds) {
		return true
	}
	if len(p.paths) == 0 {
		return false
	}
	if p.whole {
		return true
	}
	tops := map[string]bool{}
	for _, path := range p.paths {
		top, _, _ := strings.Cut(path, ".")
		tops[top] = true
	}
	dotted := slices.ContainsFunc(p.paths, func(path string) bool { return strings.Contains(path, ".") })
	if !dotted && len(tops) >= len(p.index.all) {
		return true
	}
	return slices.Sorted(slices.Values(p.paths))
}

// filterRounds reports whether the server may change a value when it cuts parts
// out of the source: numbers with a fraction pass through a double there.
func filterRounds(c planned) bool {
	if c.from != fromSource {
		return false
	}
	if c.column.Type.Kind == row.String {
		return c.field == nil || hasOwnForm(c.field.Kind) || isFloating(c.field.Kind)
	}
	return holdsFractions(c.column.Type)
}

// holdsFractions reports whether a type holds more digits than a double keeps.
func holdsFractions(t row.Type) bool {
	switch t.Kind {
	case row.Decimal:
		return t.Scale > 0 && t.Precision > 15
	case row.Array, row.Map:
		return holdsFractions(*t.Elem)
	case row.Struct:
		return slices.ContainsFunc(t.Fields, func(f row.Field) bool { return holdsFractions(f.Type) })
	}
	return false
}

// firstSize returns how many documents to ask for when nothing is known of them.
func (p *plan) firstSize() int {
	if p.index.opts.Has("es.scroll.size") {
		return p.index.opts.Int("es.scroll.size")
	}
	return firstPage
}

// sizeFor returns how many documents of so many bytes to ask for.
func (p *plan) sizeFor(bytes int) int {
	if p.index.opts.Has("es.scroll.size") {
		return p.index.opts.Int("es.scroll.size")
	}
	return min(max(pageBytes/max(1, bytes), minPage), maxPage)
}

// sizeAfter returns how many documents to ask for after a page of the same plan.
func (p *plan) sizeAfter(seen *page) int {
	if seen.documents() == 0 {
		return p.firstSize()
	}
	return p.sizeFor(seen.bytesEach())
}

func (p *plan) batch() *row.Batch { return row.NewBatch(p.scan.Columns) }
