package elastic

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// rows decodes hits into batches. One goroutine uses it at a time.
type rows struct {
	plan   *plan
	decode []decode
	source *extractor
	fields *extractor // of the "fields" of a hit
	hit    hit
	cells  []*[]byte // by column: where read leaves its value, nil for nowhere
	texts  []int     // by column: bytes a text has, about
	notes  []string  // for a person, since they were told last
	walker *walker   // nil when the plan has columns that it does not know to find
	prints *printer  // nil before its first use
}

// batch returns an empty batch with room for so many hits.
func (r *rows) batch(hits int) *row.Batch {
	b := r.plan.batch()
	for i, c := range b.Columns {
		c.Grow(hits, hits*r.texts[i])
	}
	return b
}

// learn keeps how long the texts of a batch are, for the next one.
func (r *rows) learn(b *row.Batch) {
	for i, c := range b.Columns {
		r.texts[i] = len(c.Bytes)*9/8/max(1, b.Len) + 1
	}
}

// hit holds the parts of a hit that are used.
type hit struct {
	id, index, score, version, seqNo, term, routing, source []byte
}

func (p *plan) rows() *rows {
	r := &rows{plan: p, source: newExtractor(p.paths), fields: newExtractor(p.fetched), decode: make([]decode, len(p.columns)), texts: make([]int, len(p.columns))}
	d := decoding{emptyNull: p.index.opts.Bool("es.read.field.empty.as.null"), constant: r.constant}
	d.note = func(text string) { r.notes = append(r.notes, text) }
	for i, c := range p.columns {
		f := c.field
		if (c.from == fromFields || c.from == fromDocValues) && isDate(f.Kind) {
			printed := *f
			printed.Format = c.doc.format // as it was asked for
			f = &printed
		}
		r.decode[i] = d.decoder(c.column.Type, f)
		r.cells = append(r.cells, r.cell(c))
	}
	r.walker = r.newWalker(d)
	return r
}

func (r *rows) cell(c planned) *[]byte {
	switch c.from {
	case fromSource:
		return &r.source.found[c.slot]
	case fromFields, fromDocValues:
		return &r.fields.found[c.slot]
	case fromHit:
		return r.hit.member(c.meta)
	}
	return nil
}

// appendHit appends one hit as a row.
func (r *rows) appendHit(b *row.Batch, raw []byte) error {
	if err := r.read(raw); err != nil {
		return r.broken(err)
	}
	for i, cell := range r.cells {
		col := b.Columns[i]
		var v []byte
		switch {
		case cell == nil:
		case *cell == nil && len(r.plan.constants(i)) > 0:
			v = r.constant(r.plan.columns[i].field)
		default:
			v = *cell
		}
		if len(v) == 0 || v[0] == 'n' {
			col.AppendNull()
			continue
		}
		if err := r.decode[i](col, v); err != nil {
			col.Truncate(b.Len)
			if !r.plan.lenient {
				return r.valueError(r.plan.columns[i], v, err)
			}
			col.AppendNull()
		}
	}
	b.Len++
	return nil
}

func (r *rows) broken(err error) error {
	return &esds.Error{Op: "scan", Index: r.plan.index.resource, Err: fmt.Errorf("the answer cannot be read: %w", err)}
}

func (r *rows) read(raw []byte) error {
	r.hit = hit{}
	clear(r.fields.found)
	_, err := members(raw, 0, func(name []byte, i int) (int, error) {
		switch {
		case raw[i] != '{':
		case string(name) == "_source" && len(r.plan.paths) > 0:
			end, err := r.source.find(raw, i)
			r.hit.source = raw[i:end:end]
			return end, err
		case string(name) == "fields":
			return r.fields.find(raw, i)
		}
		end, err := skipValue(raw, i)
		if err == nil {
			r.hit.set(name, raw[i:end:end])
		}
		return end, err
	})
	if err != nil {
		return err
	}
	if len(r.plan.paths) > 0 && (r.hit.source == nil || r.hit.source[0] != '{') {
		return fmt.Errorf("document %s has no _source", r.hit.id)
	}
	return nil
}

func (h *hit) set(name, v []byte) {
	switch string(name) {
	case "_id":
		h.id = v
	case "_index":
		h.index = v
	case "_source":
		h.source = v
	case "_score":
		h.score = v
	case "_version":
		h.version = v
	case "_seq_no":
		h.seqNo = v
	case "_primary_term":
		h.term = v
	case "_routing":
		h.routing = v
	}
}

// constants returns the values that a column has in documents that leave it out,
// by index.
func (p *plan) constants(column int) map[string]string {
	if f := p.columns[column].field; f != nil {
		return f.Constants
	}
	return nil
}

// constant returns the value that a constant_keyword has in the hit's index.
func (r *rows) constant(f *esds.Field) []byte {
	var index string
	_ = unquoteInto(&index, r.hit.index)
	if v, ok := f.Constants[index]; ok {
		return row.AppendQuoted(nil, v)
	}
	return nil
}

func (h *hit) member(name string) *[]byte {
	switch strings.ToLower(name) {
	case "_id":
		return &h.id
	case "_index":
		return &h.index
	case "_score":
		return &h.score
	case "_version":
		return &h.version
	case "_seq_no":
		return &h.seqNo
	case "_primary_term":
		return &h.term
	case "_routing":
		return &h.routing
	}
	return &h.source
}

func (r *rows) valueError(c planned, v []byte, err error) error {
	var id, index string
	_ = unquoteInto(&id, r.hit.id)
	_ = unquoteInto(&index, r.hit.index)
	name := c.column.Name
	if c.field != nil {
		name = c.field.Path
	}
	shown := string(v)
	if len(shown) > 100 {
		shown = strings.ToValidUTF8(shown[:100], "") + "…"
	}
	return &esds.ValueError{Index: index, ID: id, Field: name, Value: shown, Err: err}
}
