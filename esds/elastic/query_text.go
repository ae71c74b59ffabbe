package elastic

import (
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/expr"
)

// fullText is match(column, text), or query(text).
func (x *index) fullText(c *expr.Call, not bool) (object, esds.Pushdown) {
	last := len(c.Args) - 1
	lit, ok := constant(c.Args[last])
	if !ok {
		return nil, esds.No
	}
	text, ok := lit.Value.(string)
	if !ok {
		return nil, esds.No
	}
	var q object
	switch {
	case last == 0 && strings.HasPrefix(c.Func, "query"):
		q = object{"query_string": object{"query": text}}
	case last == 1 && !strings.HasPrefix(c.Func, "query"):
		path, ok := pathOf(c.Args[0])
		f := esds.Find(x.fields, path)
		if !ok || f == nil || f.Mixed || x.underNested(path) {
			return nil, esds.No
		}
		q = object{c.Func: object{f.Path: object{"query": text}}}
	default:
		return nil, esds.No
	}
	if not {
		q = object{"bool": object{"must_not": []any{q}}}
	}
	return q, esds.Exact
}
