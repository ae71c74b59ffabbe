package elastic

import (
	"bytes"
	"math"
	"strconv"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// appendKey appends a key of a group.
func (a *grouped) appendKey(i int, raw []byte) error {
	col := a.batch.Columns[i]
	if len(raw) == 0 || raw[0] == 'n' {
		col.AppendNull()
		return nil
	}
	if t := a.keys[i]; t.narrower() {
		if v, ok := parseInt(raw); !ok || !row.FitsInt(t.declared.Kind, v) {
			return esds.Inexact("%s has values that are not of type %s", t.path, t.declared)
		}
	}
	return appendKeyValue(col, raw)
}

// appendKeyValue appends a value of a bucket's key.
func appendKeyValue(col *row.Column, raw []byte) error {
	bad := esds.Inexact("the group %s cannot be read as %s", raw, col.Type)
	switch col.Type.Kind {
	case row.String:
		if raw[0] != '"' {
			return bad
		}
		return decodeText(col, raw)
	case row.Boolean:
		switch string(bytes.Trim(raw, `"`)) {
		case "true", "1":
			col.AppendBool(true)
		case "false", "0":
			col.AppendBool(false)
		default:
			return bad
		}
		return nil
	case row.Double:
		v, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || v == 0 && math.Signbit(v) { // SQL has one group for 0.0 and -0.0, the index two
			return bad
		}
		col.AppendFloat(v)
		return nil
	}
	v, ok := parseInt(raw)
	if !ok {
		return bad
	}
	switch col.Type.Kind {
	case row.Date:
		v = floorDiv(v, 86_400_000)
	case row.Timestamp, row.TimestampNTZ:
		if v > math.MaxInt64/1000 || v < math.MinInt64/1000 {
			return bad
		}
		v *= 1000
	}
	col.AppendInt(v)
	return nil
}

// prove checks what the answer is built on, but for what reveal does.
func (a *grouped) prove() error {
	if n := a.proofs["ignored"].docCount(); n > 0 {
		return esds.Inexact("%d documents have values that the index ignored, being too long or malformed", n)
	}
	if len(a.keys) > 0 && a.groups.docs != a.total {
		return esds.Inexact("documents have several values in %s", names(a.keys))
	}
	for i, t := range a.fields {
		present := a.present(t)
		values := int64(-1)
		if s := a.counted(t); s >= 0 {
			values = a.counts[s]
		} else if v, ok := a.proofs[countName(i)]; ok {
			values, _ = v.Value.Int64()
		}
		if present < 0 || values != present {
			return esds.Inexact("documents have several values in %s", t.path)
		}
	}
	for i, t := range a.distincts {
		if t == nil {
			continue
		}
		if present := a.present(t); a.values[i].docs != present {
			return esds.Inexact("documents have several values in %s", t.path)
		}
		for keys, n := range a.found[i] {
			at, ok := a.rowOf[keys]
			if !ok {
				return esds.Inexact("the cluster named values of %s in groups that it did not name", t.path)
			}
			a.batch.Columns[len(a.keys)+i].Ints[at] = n
		}
	}
	return nil
}

// present returns in how many documents a metric's field is there, -1 when the answer
// does not say.
func (a *grouped) present(t *target) int64 {
	for i, f := range a.fields {
		if f == t {
			if n := a.proofs[missingName(i)].DocCount; n != nil {
				return a.total - *n
			}
		}
	}
	return -1
}

func (s subAnswer) docCount() int64 {
	if s.DocCount == nil {
		return 0
	}
	return *s.DocCount
}

func names(ts []*target) string {
	var b []byte
	for i, t := range ts {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(b, t.path...)
	}
	return string(b)
}

// rows returns the answer.
func (a *grouped) rows() (row.Reader, error) {
	return row.NewBatches(a.want.Schema(), a.batch), nil
}
