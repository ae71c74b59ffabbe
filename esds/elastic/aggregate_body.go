package elastic

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eslake/eslake/sql/row"
)

// intervals are how the server cuts times, in UTC.
var intervals = map[string]object{
	"second": {"fixed_interval": "1s"}, "minute": {"fixed_interval": "1m"}, "hour": {"fixed_interval": "1h"}, "day": {"fixed_interval": "1d"},
	"week": {"calendar_interval": "week"}, "month": {"calendar_interval": "month"}, "quarter": {"calendar_interval": "quarter"},
	"year": {"calendar_interval": "year"},
}

// body is the request for the next page of an answer; for the first page when
// there is none.
func (g *grouping) body(after *grouped) object {
	first := after == nil || !after.begun
	aggs := object{}
	switch {
	case g.byTerms() && (after == nil || after.terms):
		g.terms(aggs)
	case len(g.keys) > 0 && (first || after.groups.more):
		page := g.composite(g.sources(), after.next(-1))
		if inner := g.slotAggs(); len(inner) > 0 {
			page["aggs"] = inner
		}
		aggs["groups"] = page
	}
	for i, t := range g.distincts {
		if t == nil || !first && !after.values[i].more {
			continue
		}
		sources := append(g.sources(), object{"v": g.distinctSource(i, t)})
		aggs[distinctName(i)] = g.composite(sources, after.next(i))
	}
	if first {
		if len(g.keys) == 0 {
			for name, agg := range g.slotAggs() {
				aggs[name] = agg
			}
		}
		g.proofs(aggs)
	}
	body := object{"size": 0, "track_total_hits": true, "query": g.index.query(g.want.Filter)}
	if len(aggs) > 0 {
		body["aggs"] = aggs
	}
	return body
}

// byTerms reports whether the groups may be the terms of one field. The cluster
// finds those several times faster than composite groups; they are exact as long as
// it names every one of them.
func (g *grouping) byTerms() bool {
	if len(g.keys) != 1 || g.want.Keys[0].Trunc != "" || g.keys[0].declared.Kind == row.Date {
		return false
	}
	return !slices.ContainsFunc(g.distincts, func(t *target) bool { return t != nil })
}

func (g *grouping) terms(aggs object) {
	field := g.keys[0].path
	groups := object{"terms": object{"field": field, "size": groupPage}}
	null := object{"missing": object{"field": field}}
	if inner := g.slotAggs(); len(inner) > 0 {
		groups["aggs"], null["aggs"] = inner, inner
	}
	aggs["groups"], aggs["null"] = groups, null
}

func (g *grouping) composite(sources []any, after json.RawMessage) object {
	c := object{"size": groupPage, "sources": sources}
	if after != nil {
		c["after"] = after
	}
	return object{"composite": c}
}

// sources are the keys of a composite aggregation.
func (g *grouping) sources() []any {
	var list []any
	for i, t := range g.keys {
		list = append(list, object{keyName(i): source(t, g.want.Keys[i].Trunc, true)})
	}
	return list
}

func source(t *target, trunc string, missing bool) object {
	s := object{"field": t.path}
	if missing {
		s["missing_bucket"] = true
	}
	if trunc == "" && t.declared.Kind == row.Date {
		trunc = "day" // the index may hold times of the day, of which the column shows the day
	}
	if trunc == "" {
		return object{"terms": s}
	}
	for k, v := range intervals[trunc] {
		s[k] = v
	}
	return object{"date_histogram": s}
}

func (g *grouping) distinctSource(_ int, t *target) object { return source(t, "", false) }

func keyName(i int) string      { return fmt.Sprintf("k%d", i) }
func slotName(i int) string     { return fmt.Sprintf("m%d", i) }
func distinctName(i int) string { return fmt.Sprintf("d%d", i) }
func countName(i int) string    { return fmt.Sprintf("values%d", i) }
func missingName(i int) string  { return fmt.Sprintf("missing%d", i) }

// slotAggs are the aggregations of a group.
func (g *grouping) slotAggs() object {
	aggs := object{}
	for i, s := range g.slots {
		var inner object
		switch {
		case s.field == nil:
		case s.what == slotCount:
			inner = object{"value_count": object{"field": s.field.path}}
		case s.what == slotStats:
			inner = object{"stats": object{"field": s.field.path}}
		default:
			order := map[slotKind]string{slotLeast: "asc", slotMost: "desc"}[s.what]
			inner = object{"terms": object{"field": s.field.path, "size": 1, "order": object{"_key": order}}}
		}
		switch {
		case s.filter != nil && inner != nil:
			aggs[slotName(i)] = object{"filter": s.filter, "aggs": object{"v": inner}}
		case s.filter != nil:
			aggs[slotName(i)] = object{"filter": s.filter}
		case inner != nil:
			aggs[slotName(i)] = inner
		}
	}
	return aggs
}

// proofs adds what tells whether the doc values are those of the documents.
func (g *grouping) proofs(aggs object) {
	for i, t := range g.fields {
		aggs[missingName(i)] = object{"missing": object{"field": t.path}} // half of what a filter of those that have it costs
		if g.counted(t) < 0 {
			aggs[countName(i)] = object{"value_count": object{"field": t.path}}
		}
	}
	var ignorable []string
	for _, t := range slices.Concat(g.keys, g.fields) {
		if t.field.Malformed || t.field.IgnoreAbove > 0 && !t.silent {
			ignorable = append(ignorable, t.path)
		}
	}
	if len(ignorable) > 0 {
		slices.Sort(ignorable)
		aggs["ignored"] = object{"filter": object{"terms": object{"_ignored": slices.Compact(ignorable)}}}
	}
	for i, t := range g.keys {
		if t.silent && aggs["null"] == nil {
			aggs[absentName(i)] = object{"missing": object{"field": t.path}}
		}
	}
}

func absentName(i int) string { return fmt.Sprintf("absent%d", i) }

// counted returns a slot that counts all values of a field, -1 for none.
func (g *grouping) counted(t *target) int {
	return slices.IndexFunc(g.slots, func(s *slot) bool {
		return s.field == t && s.filter == nil && (s.what == slotCount || s.what == slotStats)
	})
}
