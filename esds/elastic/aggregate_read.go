package elastic

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// grouped is the answer of an aggregation while its pages come in.
type grouped struct {
	*grouping
	batch   *row.Batch
	begun   bool
	terms   bool // the groups are the terms of one field
	groups  composite
	values  []composite        // by metric, of COUNT(DISTINCT)
	rowOf   map[string]int     // by the JSON of the keys; for COUNT(DISTINCT)
	found   []map[string]int64 // by metric: the different values of each group
	total   int64              // documents
	proofs  map[string]subAnswer
	counts  []int64 // by slot: values in all groups
	buckets int
}

// composite is the place in a paged aggregation.
type composite struct {
	more  bool
	after json.RawMessage
	docs  int64 // in all its buckets
}

// subAnswer is the answer of any aggregation that is asked for.
type subAnswer struct {
	DocCount *int64          `json:"doc_count"`
	Value    json.Number     `json:"value"`
	Count    int64           `json:"count"`
	Min      *json.Number    `json:"min"`
	Max      *json.Number    `json:"max"`
	Sum      json.Number     `json:"sum"`
	After    json.RawMessage `json:"after_key"`
	Buckets  []bucket        `json:"buckets"`
	Other    int64           `json:"sum_other_doc_count"`
	Inner    *subAnswer      `json:"v"`
}

// bucket is one group, or one term.
type bucket struct {
	Key      json.RawMessage
	DocCount int64
	Slots    map[string]subAnswer
}

// UnmarshalJSON tells the slots from the rest.
func (b *bucket) UnmarshalJSON(raw []byte) error {
	return eachMember(raw, func(name, v []byte) error {
		switch string(name) {
		case "key":
			b.Key = json.RawMessage(v)
		case "doc_count":
			return json.Unmarshal(v, &b.DocCount)
		default:
			if name[0] != 'm' || v[0] != '{' {
				return nil
			}
			if b.Slots == nil {
				b.Slots = map[string]subAnswer{}
			}
			var s subAnswer
			err := json.Unmarshal(v, &s)
			b.Slots[string(name)] = s
			return err
		}
		return nil
	})
}

func newGrouped(g *grouping) *grouped {
	a := &grouped{grouping: g, terms: g.byTerms(), batch: row.NewBatch(g.want.Schema()), counts: make([]int64, len(g.slots))}
	a.values, a.found = make([]composite, len(g.distincts)), make([]map[string]int64, len(g.distincts))
	for i, t := range g.distincts {
		if t != nil {
			a.rowOf, a.found[i] = map[string]int{}, map[string]int64{}
		}
	}
	return a
}

// more reports whether a page is missing.
func (a *grouped) more() bool {
	more := a.groups.more
	for _, v := range a.values {
		more = more || v.more
	}
	return more
}

// next returns where a composite goes on: of metric i, or of the groups for -1.
func (a *grouped) next(i int) json.RawMessage {
	switch {
	case a == nil:
		return nil
	case i < 0:
		return a.groups.after
	}
	return a.values[i].after
}

// add takes a page.
func (a *grouped) add(p *page) error {
	var aggs map[string]subAnswer
	if len(p.aggs) > 0 {
		if err := json.Unmarshal(p.aggs, &aggs); err != nil {
			return a.unreadable(err)
		}
	}
	if !a.begun {
		a.begun, a.proofs, a.total = true, aggs, p.total
		if len(a.keys) == 0 {
			all := bucket{DocCount: p.total, Slots: aggs}
			if err := a.group(all); err != nil {
				return err
			}
		}
	}
	if page, ok := aggs["groups"]; ok {
		if err := a.page(page, p.aggs); err != nil {
			return err
		}
	}
	for i := range a.distincts {
		if page, ok := aggs[distinctName(i)]; ok {
			if err := a.distinct(i, page); err != nil {
				return err
			}
			a.turn(&a.values[i], page)
		}
	}
	if a.buckets > maxGroups {
		return esds.Inexact("there are more than %d groups", maxGroups)
	}
	return nil
}

// page adds the groups of a page.
func (a *grouped) page(page subAnswer, raw []byte) error {
	if a.terms {
		null, err := nullGroup(raw)
		if err != nil {
			return a.unreadable(err)
		}
		for i := range page.Buckets {
			page.Buckets[i].Key = slices.Concat([]byte(`{"k0":`), page.Buckets[i].Key, []byte("}"))
		}
		if null.DocCount > 0 {
			null.Key = json.RawMessage(`{"k0":null}`)
			page.Buckets = append(page.Buckets, null)
		}
	}
	for _, b := range page.Buckets {
		if err := a.group(b); err != nil {
			return err
		}
	}
	a.turn(&a.groups, page)
	if a.terms {
		a.groups.more = page.Other > 0 || len(page.Buckets) >= groupPage
	}
	return nil
}

// nullGroup returns the group of documents that lack the one key.
func nullGroup(raw []byte) (null bucket, err error) {
	err = eachMember(raw, func(name, v []byte) error {
		if string(name) == "null" {
			return json.Unmarshal(v, &null)
		}
		return nil
	})
	return null, err
}

func (a *grouped) unreadable(err error) error {
	return &esds.Error{Op: "aggregate", Index: a.index.resource, Err: err}
}

func (a *grouped) turn(c *composite, page subAnswer) {
	c.after = page.After
	c.more = len(page.Buckets) >= groupPage && page.After != nil
	for _, b := range page.Buckets {
		c.docs += b.DocCount
	}
	a.buckets += len(page.Buckets)
}

// group adds the row of a group.
func (a *grouped) group(b bucket) error {
	keys, err := a.keysOf(b.Key)
	if err != nil {
		return err
	}
	for i, raw := range keys {
		if err := a.appendKey(i, raw); err != nil {
			return err
		}
	}
	if a.rowOf != nil {
		a.rowOf[joined(keys)] = a.batch.Len
	}
	for i, s := range a.slots {
		a.counts[i] += s.answer(b, slotName(i)).values(s)
	}
	for i, m := range a.want.Metrics {
		col := a.batch.Columns[len(a.keys)+i]
		if a.distincts[i] != nil {
			col.AppendInt(0) // prove sets it
			continue
		}
		s := a.slots[a.metrics[i]]
		if err := s.metric(col, m, s.answer(b, slotName(a.metrics[i]))); err != nil {
			return err
		}
	}
	a.batch.Len++
	return nil
}

// keysOf returns the JSON of each key, in order.
func (a *grouped) keysOf(raw json.RawMessage) ([]json.RawMessage, error) {
	keys := make([]json.RawMessage, len(a.keys))
	if len(keys) == 0 {
		return keys, nil
	}
	err := eachMember(raw, func(name, v []byte) error {
		if n, err := strconv.Atoi(string(name[1:])); name[0] == 'k' && err == nil && n < len(keys) {
			keys[n] = json.RawMessage(v)
		}
		return nil
	})
	if err != nil {
		return nil, a.unreadable(err)
	}
	return keys, nil
}

func joined(keys []json.RawMessage) string {
	var b []byte
	for _, k := range keys {
		b = append(append(b, k...), 0)
	}
	return string(b)
}

// distinct counts the values of the groups: a bucket is one value of one group.
func (a *grouped) distinct(i int, page subAnswer) error {
	for _, b := range page.Buckets {
		keys, err := a.keysOf(b.Key)
		if err != nil {
			return err
		}
		if t := a.distincts[i]; t.declared.Kind == row.Double && bytes.Contains(b.Key, []byte(`"v":-0.0`)) {
			return esds.Inexact("%s has 0.0 and -0.0, which SQL counts once", t.path)
		}
		a.found[i][joined(keys)]++
	}
	return nil
}

// answer returns what the group says of a slot; without an aggregation of its own
// that is the group.
func (s *slot) answer(b bucket, name string) subAnswer {
	if s.field == nil && s.filter == nil {
		return subAnswer{DocCount: &b.DocCount}
	}
	got := b.Slots[name]
	if s.filter != nil && s.field != nil {
		if got.Inner == nil {
			return subAnswer{}
		}
		return *got.Inner
	}
	return got
}

// values returns how many values were counted.
func (a subAnswer) values(s *slot) int64 {
	switch {
	case s.field == nil:
		if a.DocCount == nil {
			return 0
		}
		return *a.DocCount
	case s.what == slotStats:
		return a.Count
	case s.what == slotCount:
		n, _ := a.Value.Int64()
		return n
	}
	return int64(len(a.Buckets))
}

// metric appends the value of a metric.
func (s *slot) metric(col *row.Column, m esds.Metric, got subAnswer) error {
	n := got.values(s)
	var least, greatest float64
	if s.what == slotStats && n > 0 {
		var err error
		if least, greatest, err = s.bounds(got); err != nil {
			return err
		}
	}
	switch {
	case m.Func == "count":
		col.AppendInt(n)
	case n == 0:
		col.AppendNull()
	case m.Func == "min" && s.what == slotStats:
		return s.append(col, least)
	case m.Func == "max" && s.what == slotStats:
		return s.append(col, greatest)
	case m.Func == "min" || m.Func == "max":
		return appendKeyValue(col, got.Buckets[0].Key)
	default:
		return s.sum(col, m, got, least, greatest)
	}
	return nil
}

// bounds returns the least and greatest value, which must be exact.
func (s *slot) bounds(got subAnswer) (least, greatest float64, err error) {
	if got.Min == nil || got.Max == nil {
		return 0, 0, esds.Inexact("the answer has no bounds of %s", s.field.path)
	}
	least, err1 := got.Min.Float64()
	greatest, err2 := got.Max.Float64()
	if err1 != nil || err2 != nil {
		return 0, 0, esds.Inexact("the bounds of %s cannot be read", s.field.path)
	}
	if !isWhole(s.field.field.Kind) {
		return least, greatest, nil
	}
	if least < -wholeMax+1 || greatest > wholeMax-1 {
		return 0, 0, esds.Inexact("%s has values of 2^53 and above, which the cluster rounds", s.field.path)
	}
	if !fitsDeclared(s.field.declared, int64(least)) || !fitsDeclared(s.field.declared, int64(greatest)) {
		return 0, 0, esds.Inexact("%s has values that are not of type %s", s.field.path, s.field.declared)
	}
	return least, greatest, nil
}

func fitsDeclared(t row.Type, v int64) bool { return !t.Integral() || row.FitsInt(t.Kind, v) }

// sum appends a sum or an average. It is exact where no sum of some of the values
// can reach 2^53.
func (s *slot) sum(col *row.Column, m esds.Metric, got subAnswer, least, greatest float64) error {
	total, err := got.Sum.Float64()
	most := math.Max(math.Abs(least), math.Abs(greatest)) * float64(got.Count)
	if least >= 0 || greatest <= 0 {
		most = math.Abs(total)
	}
	if err != nil || most >= wholeMax {
		return esds.Inexact("%s reaches 2^53, above which the cluster rounds", m)
	}
	if m.Func == "avg" {
		col.AppendFloat(total / float64(got.Count))
	} else {
		col.AppendInt(int64(total))
	}
	return nil
}

// append appends a least or greatest value.
func (s *slot) append(col *row.Column, v float64) error {
	switch col.Type.Kind {
	case row.Boolean:
		col.AppendBool(v != 0)
	case row.Double:
		col.AppendFloat(v)
	case row.Date:
		col.AppendInt(floorDiv(int64(v), 86_400_000))
	case row.Timestamp, row.TimestampNTZ:
		if math.Abs(v) >= wholeMax {
			return esds.Inexact("%s has dates that the cluster rounds", s.field.path)
		}
		col.AppendInt(int64(v) * 1000)
	default:
		col.AppendInt(int64(v))
	}
	return nil
}
