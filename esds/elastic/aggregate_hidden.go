package elastic

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// hidden returns how many documents lack a text in the index on a server that does
// not note which texts are too long for it: the documents may hold one or not.
func (a *grouped) hidden() int64 {
	n := int64(0)
	for i, t := range a.keys {
		if t.silent {
			n += a.proofs[a.absence(i)].docCount()
		}
	}
	for _, t := range a.fields {
		if t.silent {
			n += a.total - a.present(t)
		}
	}
	return n
}

func (a *grouped) absence(i int) string {
	if a.terms {
		return "null"
	}
	return absentName(i)
}

// reveal reads the documents that lack a text in the index, in the moment of the
// aggregation, and says whether one of them holds it.
func (a *grouped) reveal(ctx context.Context, moment *pitOf) error {
	n := a.hidden()
	if n == 0 {
		return nil
	}
	if moment == nil || n > maxPage {
		return esds.Inexact("%d documents lack a text in the index, and the server does not note texts that are too long for it", n)
	}
	x := a.index
	silent := slices.DeleteFunc(slices.Concat(a.keys, a.fields), func(t *target) bool { return !t.silent })
	var columns row.Schema
	var absent []any
	for _, t := range silent {
		columns = append(columns, row.Field{Name: t.name, Type: t.declared})
		absent = append(absent, object{"bool": object{"must_not": []any{object{"exists": object{"field": t.path}}}}})
	}
	p, err := x.plan(esds.Scan{Columns: columns})
	if err != nil {
		return err
	}
	if err := p.readable(); err != nil {
		return esds.Inexact("%v", err)
	}
	body := p.body()
	body["query"] = object{"bool": object{"filter": []any{x.query(a.want.Filter), anyOf(absent...)}}}
	body["size"], body["track_total_hits"] = maxPage, true
	body["pit"] = object{"id": moment.id, "keep_alive": groupKeepAlive}
	r := request{op: "aggregate", index: x.resource, method: http.MethodPost, path: "/_search", query: whole(), limit: pageCeiling, body: marshal(body)}
	text, err := x.source.client.read(ctx, r)
	if errors.Is(err, errTooLong) {
		return esds.Inexact("%d documents lack a text in the index, which are more than %d MB", n, pageCeiling>>20)
	}
	if err != nil {
		return inexactUnlessFatal(err, "the cluster refused the documents that lack a text in the index")
	}
	found, err := x.parse(ctx, r.op, text)
	if err != nil {
		return err
	}
	esds.TraceOf(ctx).Page(int64(len(found.hits)), found.took)
	if int64(len(found.hits)) != found.total {
		return esds.Inexact("the cluster returned %d of %d documents that lack a text in the index", len(found.hits), found.total)
	}
	return a.checkHidden(p, found, silent)
}

func (a *grouped) checkHidden(p *plan, found *page, silent []*target) error {
	rows := p.rows()
	b := row.NewBatch(p.scan.Columns)
	for _, hit := range found.hits {
		if err := rows.appendHit(b, hit); err != nil {
			return esds.Inexact("a document cannot be read: %v", err)
		}
	}
	for i, t := range silent {
		c := b.Columns[i]
		for at := range b.Len {
			if !c.IsNull(at) && javaLength(string(c.Text(at))) > t.field.IgnoreAbove {
				return esds.Inexact("documents have texts of %s that are too long for the index", t.name)
			}
		}
	}
	return nil
}
