package local

import (
	"context"
	"fmt"
	"net/http"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// changeWindow is how many changes are applied at a time, unless one id comes
// twice among them.
const changeWindow = 16384

// changeBytes is how much text of documents ends a window sooner.
const changeBytes = 16 << 20

// changes applies rows of esds.ChangeSchema to the tables.
type changes struct {
	t       *transaction
	indices map[string]*changed
}

// changed is an index that changes concern.
type changed struct {
	stored  *stored // with the columns that documents have brought
	table   string
	next    int64 // _seq_no
	number  int   // of the index, from 1
	removed int64 // rows of the table that are to be removed
}

// change is one change of a window.
type change struct {
	n       int64 // of the row, from 1
	at      int   // in the window
	action  esds.Action
	id      string
	doc     *document
	found   bool // the document is there, with
	seqNo   int64
	version int64
}

// change applies the rows in their order.
func (t *transaction) change(ctx context.Context, rows row.Reader) error {
	if err := esds.CheckChanges(rows.Schema()); err != nil {
		return t.bad("%w", err)
	}
	c := &changes{t: t, indices: map[string]*changed{}}
	if err := t.exec(ctx, "CREATE TEMP TABLE wanted (n BIGINT, id VARCHAR); CREATE TEMP TABLE gone (number BIGINT, seq_no BIGINT)"); err != nil {
		return err
	}
	for {
		window, first, err := c.window(ctx, rows)
		if err != nil {
			t.touched = c.touched()
			if err = endOf(err); err == nil {
				err = c.removeGone(ctx)
			}
			return err
		}
		if err := c.applyAll(ctx, window, first); err != nil {
			return err
		}
		if t.write.Progress != nil {
			t.write.Progress(t.report)
		}
	}
}

// window gathers rows. First is the number of rows before them.
func (c *changes) window(ctx context.Context, rows row.Reader) (window *row.Batch, first int64, err error) {
	window, first = row.NewBatch(esds.ChangeSchema()), -1
	for window.Len < changeWindow && len(window.Columns[esds.ChangeSource].Bytes) < changeBytes {
		b, err := rows.Next(ctx)
		if err != nil {
			if row.Ended(err) && window.Len > 0 {
				return window, first, nil
			}
			return nil, 0, err
		}
		before := c.t.taken
		from := c.t.take(b)
		if first < 0 && from < b.Len {
			first = before + int64(from)
		}
		for i := from; i < b.Len; i++ {
			for k, col := range window.Columns {
				col.AppendFrom(b.Columns[k], i)
			}
			window.Len++
		}
	}
	return window, first, nil
}

// applyAll applies a window index by index, and in parts that have each id once.
func (c *changes) applyAll(ctx context.Context, b *row.Batch, first int64) error {
	parts := map[*changed][]*change{}
	ids := map[string]bool{}
	flush := func() error {
		for x, part := range parts {
			if err := c.apply(ctx, x, b, part); err != nil {
				return err
			}
		}
		clear(parts)
		clear(ids)
		return nil
	}
	for i := range b.Len {
		x, err := c.index(ctx, text(b, esds.ChangeIndex, i))
		if err != nil {
			return err
		}
		one := &change{n: first + int64(i) + 1, at: i, action: esds.Action(text(b, esds.ChangeAction, i)), id: text(b, esds.ChangeID, i)}
		if problem := one.check(b); problem != nil {
			if err := c.refuse(x, one, b, 0, "", problem.Error()); err != nil {
				return err
			}
			continue
		}
		if key := x.stored.name + "\x00" + one.id; ids[key] {
			if err := flush(); err != nil {
				return err
			}
			ids[key] = true
		} else {
			ids[key] = true
		}
		parts[x] = append(parts[x], one)
	}
	return flush()
}

func text(b *row.Batch, column, i int) string {
	if c := b.Columns[column]; !c.IsNull(i) {
		return string(c.Text(i))
	}
	return ""
}

// check refuses what is no change at all, and reads the document.
func (x *change) check(b *row.Batch) error {
	if b.Columns[esds.ChangeID].IsNull(x.at) {
		return errNoID
	}
	if err := checkID([]byte(x.id)); err != nil {
		return err
	}
	switch {
	case x.action == esds.DeleteDoc:
		return nil
	case x.action != esds.IndexDoc && x.action != esds.CreateDoc:
		return fmt.Errorf("%q is no change of a document", x.action)
	case b.Columns[esds.ChangeSource].IsNull(x.at):
		return fmt.Errorf("the document is NULL")
	}
	var err error
	x.doc, err = readDocument(b.Columns[esds.ChangeSource].Text(x.at))
	return err
}

// index finds the index that a change names.
func (c *changes) index(ctx context.Context, name string) (*changed, error) {
	if name == "" {
		name = c.t.write.Index
	}
	if x := c.indices[name]; x != nil {
		return x, nil
	}
	s := c.t.source
	s.mu.Lock()
	defer s.mu.Unlock()
	old, err := s.writable("write", name)
	if err != nil {
		return nil, err
	}
	if old == nil {
		old = c.t.made
	}
	if old == nil {
		return nil, notFound("write", name)
	}
	x := c.indices[old.name]
	if x == nil {
		x = &changed{stored: old, table: s.table(old.name), number: len(c.indices) + 1}
		if x.next, err = c.t.conn.Count(ctx, "SELECT coalesce(max(_seq_no), -1) + 1 FROM "+x.table); err != nil {
			return nil, err
		}
	}
	c.indices[old.name], c.indices[name] = x, x
	return x, nil
}

// apply applies changes of one index whose ids all differ.
func (c *changes) apply(ctx context.Context, x *changed, b *row.Batch, part []*change) error {
	if err := c.find(ctx, x, part); err != nil {
		return err
	}
	accepted := part[:0]
	for _, one := range part {
		ok, err := c.allowed(x, one, b)
		if err != nil {
			return err
		}
		if ok {
			accepted = append(accepted, one)
		}
	}
	docs, err := c.documents(ctx, x, b, accepted)
	if err != nil {
		return err
	}
	if err := c.remove(ctx, x, docs.changes); err != nil || docs.rows.Len == 0 {
		return err
	}
	if err := c.t.allow(ctx, docs.schema, 0); err != nil {
		return err
	}
	_, err = c.t.conn.Append(ctx, x.table, row.NewBatches(docs.schema, docs.rows))
	return err
}

// allowed holds a change to its condition. The error is one that ends the write.
func (c *changes) allowed(x *changed, one *change, b *row.Batch) (bool, error) {
	const kind = "version_conflict_engine_exception"
	seq, term := b.Columns[esds.ChangeSeqNo], b.Columns[esds.ChangeTerm]
	switch conditional := !seq.IsNull(one.at) && !term.IsNull(one.at); {
	case one.action == esds.CreateDoc && one.found && c.t.write.Resumed && !c.t.write.Changes && c.t.write.ID == "":
		c.t.report.Created++ // by an earlier run
		return false, nil
	case one.action == esds.CreateDoc && one.found:
		return false, c.refuse(x, one, b, http.StatusConflict, kind, fmt.Sprintf("[%s]: version conflict, document already exists (current version [%d])", one.id, one.version))
	case conditional && !one.found:
		return false, c.refuse(x, one, b, http.StatusConflict, kind,
			fmt.Sprintf("[%s]: version conflict, required seqNo [%d], primary term [%d]. but no document was found", one.id, seq.Ints[one.at], term.Ints[one.at]))
	case conditional && (one.seqNo != seq.Ints[one.at] || term.Ints[one.at] != 1):
		return false, c.refuse(x, one, b, http.StatusConflict, kind,
			fmt.Sprintf("[%s]: version conflict, required seqNo [%d], primary term [%d]. current document has seqNo [%d] and primary term [1]", one.id, seq.Ints[one.at], term.Ints[one.at], one.seqNo))
	case one.action == esds.DeleteDoc && !one.found:
		c.t.report.Noop++
		return false, nil
	}
	return true, nil
}

func (c *changes) refuse(x *changed, one *change, b *row.Batch, status int, kind, reason string) error {
	c.t.report.Rejected++
	if c.t.write.Reject == nil {
		return nil
	}
	return c.t.write.Reject(esds.Reject{
		Row: one.n, ID: one.id, Index: x.stored.name, Status: status, Type: kind, Reason: reason,
		Document: []byte(text(b, esds.ChangeSource, one.at)),
	})
}

// touched returns the indices as the changes have made them.
func (c *changes) touched() (all []*stored) {
	for name, x := range c.indices {
		if name == x.stored.name {
			all = append(all, x.stored)
		}
	}
	return all
}

// documents are the changes of a part that make documents, as rows of the table.
type documents struct {
	changes []*change // with those that delete
	schema  row.Schema
	rows    *row.Batch
}

// documents reads the documents into rows. The table gets the fields that it
// lacks; what does not fit it is refused.
func (c *changes) documents(ctx context.Context, x *changed, b *row.Batch, part []*change) (documents, error) {
	strict, err := c.extend(ctx, x, part)
	if err != nil {
		return documents{}, err
	}
	columns := x.stored.columns
	d := documents{schema: append(append(row.Schema{}, hidden...), columns...)}
	d.rows = row.NewBatch(d.schema)
	for _, one := range part {
		if one.action != esds.DeleteDoc {
			problem := one.doc.check(strict)
			if problem == nil {
				problem = one.doc.appendTo(d.rows, x.stored)
			}
			if problem != nil {
				if err := c.refuse(x, one, b, http.StatusBadRequest, problem.kind, problem.reason); err != nil {
					return d, err
				}
				continue
			}
			d.rows.Columns[0].AppendString(one.id)
			d.rows.Columns[1].AppendInt(x.next)
			d.rows.Columns[2].AppendInt(one.version + 1)
			x.next++
			d.rows.Len++
		}
		d.changes = append(d.changes, one)
	}
	return d, nil
}

// extend gives the table the columns that documents bring. Strict are the fields
// that the mapping refuses.
func (c *changes) extend(ctx context.Context, x *changed, part []*change) (strict map[string]bool, err error) {
	var fresh row.Schema
	for _, one := range part {
		if one.doc != nil {
			one.doc.infer(&fresh, x.stored)
		}
	}
	if len(fresh) == 0 {
		return nil, nil
	}
	strict = map[string]bool{}
	x.stored, err = c.t.extend(ctx, x.stored, x.table, fresh, strict)
	return strict, err
}
