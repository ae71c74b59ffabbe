package local

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// loader is the rows of a write as the table stores them: a row.Reader whose
// columns are the hidden ones and those of the table that the rows fill.
type loader struct {
	t        *transaction
	rows     row.Reader
	in       row.Schema
	id       int             // position of the id in the rows, -1 for none
	idPath   []int           // from there into structs
	idFixed  bool            // all rows have the id
	constant string          // this one
	doc      []int           // positions of what goes into the document
	strict   map[string]bool // columns that a strict mapping lacks
	out      row.Schema
	fill     []filler // of out, after the hidden columns
	bytes    int64    // of text in the rows so far
}

func newLoader(t *transaction, rows row.Reader) (*loader, error) {
	l := &loader{t: t, rows: rows, in: rows.Schema(), id: -1, strict: map[string]bool{}}
	if name := t.write.ID; name != "" {
		if l.constant, l.idFixed = constant(name); l.idFixed {
			l.choose()
			return l, nil
		}
		k, ok := l.setID(name)
		if !ok {
			return nil, t.bad("es.mapping.id names the column %s, which the rows do not have", name)
		}
		if k.Nested() || k.Kind == row.Float || k.Kind == row.Double || k.Kind == row.Binary {
			return nil, t.bad("the column %s is %s, which cannot be an id", name, k)
		}
	} else if t.write.Action != esds.CreateDoc {
		return nil, t.bad("%s needs es.mapping.id", t.write.Action)
	}
	l.choose()
	return l, nil
}

// setID finds the column of the ids: by its name, or by a path into a struct.
func (l *loader) setID(path string) (row.Type, bool) {
	if l.id = l.in.Index(path); l.id >= 0 {
		return l.in[l.id].Type, true
	}
	for end := strings.LastIndexByte(path, '.'); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if l.id = l.in.Index(path[:end]); l.id < 0 {
			continue
		}
		t := l.in[l.id].Type
		for name := range strings.SplitSeq(path[end+1:], ".") {
			k := t.Fields.Index(name)
			if t.Kind != row.Struct || k < 0 {
				return t, false
			}
			l.idPath, t = append(l.idPath, k), t.Fields[k].Type
		}
		return t, true
	}
	return row.Type{}, false
}

// choose finds the columns that go into the document.
func (l *loader) choose() {
	opts := l.t.write.Options
	include, exclude := opts.List("es.mapping.include"), opts.List("es.mapping.exclude")
	for i, f := range l.in {
		meta := esds.Metadata().Index(f.Name) >= 0
		if l.t.write.Action == esds.DeleteDoc || meta || len(include) > 0 && !esds.MatchNames(include, f.Name) || esds.MatchNames(exclude, f.Name) {
			continue
		}
		l.doc = append(l.doc, i)
	}
}

// documentSchema is the columns that go into the document.
func (l *loader) documentSchema() row.Schema {
	var s row.Schema
	for _, i := range l.doc {
		s = append(s, l.in[i])
	}
	return s
}

// bind finds for each column of the table what fills it.
func (l *loader) bind(target *stored) {
	l.out = slices.Clone(hidden)
	l.t.given = map[string]bool{}
	for _, f := range target.columns {
		fill := filler{typ: f.Type, col: -1}
		for _, i := range l.doc {
			if !l.strict[l.in[i].Name] {
				fill.add(f.Name, l.in[i].Name, i)
			}
		}
		if fill.empty() {
			continue
		}
		l.t.given[f.Name] = true
		l.out = append(l.out, f)
		l.fill = append(l.fill, fill)
	}
}

// Schema returns the columns of the table that are filled.
func (l *loader) Schema() row.Schema { return l.out }

// Close closes the rows.
func (l *loader) Close() error { return l.rows.Close() }

// Next converts the next batch.
func (l *loader) Next(ctx context.Context) (*row.Batch, error) {
	in, first, err := l.next(ctx)
	if err != nil {
		return nil, err
	}
	for _, k := range l.doc {
		l.bytes += int64(in.Columns[k].TextBytes())
	}
	out := &row.Batch{Len: in.Len}
	problems := make([]error, in.Len)
	id := l.ids(in, first, problems)
	l.checkFinite(in, problems)
	seq, version := row.NewColumn(row.BigIntType), row.NewColumn(row.BigIntType)
	for i := range in.Len {
		seq.AppendInt(l.t.start + first + int64(i))
		version.AppendInt(1)
	}
	out.Columns = append(out.Columns, id, seq, version, l.nulls(in))
	for k := range l.fill {
		out.Columns = append(out.Columns, l.fill[k].column(l.out[len(hidden)+k].Name, in, problems))
	}
	l.checkStrict(in, problems)
	out, err = l.refuse(in, out, first, problems)
	if err == nil && l.t.write.Progress != nil {
		l.t.write.Progress(esds.Report{Rows: l.t.report.Rows, Rejected: l.t.report.Rejected})
	}
	return out, err
}

// next returns rows after those that an earlier run has written, and how many
// there are before them.
func (l *loader) next(ctx context.Context) (*row.Batch, int64, error) {
	for {
		in, err := l.rows.Next(ctx)
		if err != nil {
			return nil, 0, err
		}
		before := l.t.taken
		from := l.t.take(in)
		switch from {
		case 0:
			return in, before, nil
		case in.Len:
			continue
		}
		rest := row.NewBatch(l.in)
		for i := from; i < in.Len; i++ {
			for k, c := range rest.Columns {
				c.AppendFrom(in.Columns[k], i)
			}
			rest.Len++
		}
		return rest, before + int64(from), nil
	}
}

// nulls names the fields that are written as null, where that is asked for.
func (l *loader) nulls(in *row.Batch) *row.Column {
	nulls := row.NewColumn(hidden[3].Type)
	keep := l.t.writeNull()
	for i := range in.Len {
		found := false
		for _, k := range l.doc {
			if keep && in.Columns[k].IsNull(i) {
				nulls.Children[0].AppendString(l.in[k].Name)
				found = true
			}
		}
		if found {
			nulls.EndNested()
		} else {
			nulls.AppendNull()
		}
	}
	return nulls
}

const maxID = 512 // bytes, as in Elasticsearch

// ids returns the id of every row.
func (l *loader) ids(in *row.Batch, first int64, problems []error) *row.Column {
	id := row.NewColumn(row.StringType)
	for i := range in.Len {
		id.Bytes, problems[i] = l.appendID(id.Bytes, in, i, first+int64(i)+1)
		id.EndText()
	}
	return id
}

// appendID appends the id of a row, the n-th from 1.
func (l *loader) appendID(dst []byte, in *row.Batch, i int, n int64) ([]byte, error) {
	switch {
	case l.idFixed:
		return append(dst, l.constant...), checkID([]byte(l.constant))
	case l.id < 0:
		return rowID(dst, l.t.write.IDPrefix, n), nil
	}
	c := in.Columns[l.id]
	for _, k := range l.idPath {
		if c.IsNull(i) {
			return dst, errNoID
		}
		c = c.Children[k]
	}
	if c.IsNull(i) {
		return dst, errNoID
	}
	start := len(dst)
	dst = row.AppendText(dst, c, i)
	return dst, checkID(dst[start:])
}

func rowID(dst []byte, prefix string, n int64) []byte {
	return strconv.AppendInt(append(dst, prefix...), n, 10)
}

func checkID(id []byte) error {
	switch n := len(id); {
	case n == 0:
		return errors.New("the id is empty")
	case n > maxID:
		return fmt.Errorf("the id has %d bytes, %d are the most", n, maxID)
	}
	return nil
}

// fieldError is a value that the index does not take.
type fieldError struct {
	kind, reason string
}

func (e *fieldError) Error() string { return e.reason }

func (l *loader) checkStrict(in *row.Batch, problems []error) {
	for k, f := range l.in {
		if !l.strict[f.Name] {
			continue
		}
		for i := range in.Len {
			if problems[i] == nil && !in.Columns[k].IsNull(i) {
				problems[i] = &fieldError{"strict_dynamic_mapping_exception", fmt.Sprintf("mapping set to strict, dynamic introduction of [%s] within [_doc] is not allowed", f.Name)}
			}
		}
	}
}

// refuse takes the rows with problems out.
func (l *loader) refuse(in, out *row.Batch, first int64, problems []error) (*row.Batch, error) {
	if !slices.ContainsFunc(problems, func(err error) bool { return err != nil }) {
		return out, nil
	}
	kept := row.NewBatch(l.out)
	for i, problem := range problems {
		if problem == nil {
			for k, c := range kept.Columns {
				c.AppendFrom(out.Columns[k], i)
			}
			kept.Len++
			continue
		}
		r := esds.Reject{Row: first + int64(i) + 1, ID: string(out.Columns[0].Text(i)), Reason: problem.Error(), Document: l.document(in, i)}
		var field *fieldError
		if errors.As(problem, &field) {
			r.Status, r.Type = http.StatusBadRequest, field.kind
		}
		if err := l.t.refused(r); err != nil {
			return nil, err
		}
	}
	return kept, nil
}

// document is a row as JSON, without what is NULL.
func (l *loader) document(in *row.Batch, i int) []byte {
	doc, _ := l.appendDocument(nil, in, i, false)
	return doc
}

// appendDocument appends a row as JSON; a NULL is left out, or written as null.
// The error is about a value that JSON does not have; it is in the document as text.
func (l *loader) appendDocument(doc []byte, in *row.Batch, i int, nulls bool) ([]byte, error) {
	doc = append(doc, '{')
	start := len(doc)
	var bad error
	for _, k := range l.doc {
		if in.Columns[k].IsNull(i) && !nulls {
			continue
		}
		if len(doc) > start {
			doc = append(doc, ',')
		}
		doc = append(row.AppendQuoted(doc, l.in[k].Name), ':')
		doc = row.AppendJSON(doc, in.Columns[k], i)
		if err := l.notFinite(in, k, i); err != nil {
			bad = err
		}
	}
	return append(doc, '}'), bad
}
