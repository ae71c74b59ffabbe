package elastic

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/eslake/eslake/esds"
)

// namedIndices finds the index of each row where the resource is a dynamic name.
type namedIndices struct {
	source *Source
	write  esds.Write
	enc    *encoder
	pick   *namePick
	known  map[string]*place
	buf    []byte
}

// place is an index that rows go to.
type place struct {
	index   string
	columns []encoded
}

// setNames makes the encoder one for a dynamic name.
func (e *encoder) setNames(s *Source, w esds.Write) error {
	pick, err := newNamePick(w.Index, e.schema, e.input)
	e.names = &namedIndices{source: s, write: w, enc: e, pick: pick, known: map[string]*place{}}
	return err
}

// made returns the indices that rows went to.
func (n *namedIndices) made() []string {
	found := map[string]bool{}
	for _, t := range n.known {
		found[t.index] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// find returns the index of a row. The first row for it makes it when it is not
// there.
func (n *namedIndices) find(ctx context.Context, r picked) (*place, error) {
	var err error
	if n.buf, err = n.pick.append(n.buf[:0], r); err != nil {
		return nil, err
	}
	if t := n.known[string(n.buf)]; t != nil {
		return t, nil
	}
	name := string(n.buf)
	t := &place{index: name}
	if n.write.Place != nil {
		t.index, err = n.write.Place(ctx, name)
	} else {
		err = n.make(ctx, name)
	}
	if err != nil {
		return nil, err
	}
	w := n.write
	w.Index = t.index
	fields, _, err := n.source.writtenFields(ctx, &w)
	if err != nil {
		return nil, err
	}
	t.columns = n.enc.columnsFor(fields)
	n.known[name] = t
	return t, nil
}

// make makes an index that is not there.
func (n *namedIndices) make(ctx context.Context, name string) error {
	t, err := n.source.Resolve(ctx, name)
	if err != nil || t.Kind != esds.Absent {
		return err
	}
	if !n.write.Options.Bool("es.index.auto.create") {
		return &esds.Error{Op: "write", Index: name, Err: esds.ErrIndexNotFound, Hint: "make the index, or set es.index.auto.create = true"}
	}
	if err := n.source.Create(ctx, name, n.write.Definition); err != nil && !errors.Is(err, esds.ErrIndexExists) {
		return err
	}
	return nil
}
