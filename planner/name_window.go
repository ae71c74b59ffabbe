package planner

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
)

func (n namer) windowName(c *expr.Call) string {
	if named, ok := n.windows[strings.ToLower(c.Over.Name)]; ok {
		same := *c
		same.Over = &named
		c = &same
	}
	var parts []string
	if len(c.Over.Partition) > 0 {
		parts = append(parts, "PARTITION BY "+n.prettyAll(c.Over.Partition))
	}
	var keys []string
	for _, k := range c.Over.Order {
		keys = append(keys, n.pretty(k.X)+orderWords(k))
	}
	if len(keys) > 0 {
		parts = append(parts, "ORDER BY "+strings.Join(keys, ", "))
	}
	return strings.Join(append(parts, n.frameName(c)), " ")
}

// frameName is the frame of a window, the default written out: rows up to the
// current one for functions of rank, the range up to it for others with ORDER BY.
func (n namer) frameName(c *expr.Call) string {
	f := c.Over.Frame
	switch {
	case f != nil:
		return f.Unit + " BETWEEN " + n.boundName(f.From) + " AND " + n.boundName(f.To)
	case c.Func == "lag", c.Func == "lead":
		offset := "1"
		if len(c.Args) > 1 {
			offset = n.pretty(c.Args[1])
		}
		if c.Func == "lag" {
			offset = "-" + offset
		}
		return "ROWS BETWEEN " + offset + " FOLLOWING AND " + offset + " FOLLOWING"
	case expr.IsWindow(c.Func) && c.Func != "cume_dist" && c.Func != "nth_value":
		return "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
	case len(c.Over.Order) > 0:
		return "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"
	}
	return "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
}

func (n namer) boundName(b expr.Bound) string {
	switch b.Kind {
	case expr.UnboundedPreceding:
		return "UNBOUNDED PRECEDING"
	case expr.Preceding:
		return n.pretty(b.Offset) + " PRECEDING"
	case expr.Following:
		return n.pretty(b.Offset) + " FOLLOWING"
	case expr.UnboundedFollowing:
		return "UNBOUNDED FOLLOWING"
	}
	return "CURRENT ROW"
}
