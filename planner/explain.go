package planner

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/expr"
)

// Explain returns the plan as text: the operators, the requests that its scans
// send, and what is left to the local engine, with the reason.
func Explain(n Node) string {
	var b strings.Builder
	tree(&b, n, 0)
	each(n, func(n Node) {
		switch s := n.(type) {
		case *Scan:
			fmt.Fprintf(&b, "\nRequest to %s for %s:\n%s\n", s.Source, s.Table, s.Index.Request(scanOf(s)))
			if r, ok := s.Index.(esds.Reading); ok {
				if from := r.Reading(scanOf(s)); from != "" {
					fmt.Fprintf(&b, "Fields from %s\n", from)
				}
			}
		case *AggregateScan:
			fmt.Fprintf(&b, "\nRequest to %s for %s:\n%s\n", s.Source, s.Table, s.Index.AggregateRequest(s.Want))
		}
	})
	local(&b, n)
	return strings.TrimRight(b.String(), "\n")
}

// ExplainSteps is EXPLAIN EXTENDED: the plan as it was bound, after each rule that
// changed it, and as it will run.
func ExplainSteps(ctx context.Context, env *Env, q *sql.Query) (string, error) {
	node, err := newBuilder(ctx, env).query(q, nil)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("== Bound plan ==\n")
	tree(&b, node, 0)
	for _, r := range rules {
		var before, after strings.Builder
		tree(&before, node, 0)
		node = r.Apply(node)
		tree(&after, node, 0)
		if before.String() != after.String() {
			fmt.Fprintf(&b, "\n== After: %s ==\n%s", r.Name, after.String())
		}
	}
	b.WriteString("\n== Plan ==\n" + Explain(node))
	return b.String(), nil
}

func tree(b *strings.Builder, n Node, depth int) {
	fmt.Fprintf(b, "%s%s\n", strings.Repeat("  ", depth), n)
	for _, e := range exprsOf(n) {
		expr.Walk(e, func(x expr.Expr) bool {
			if s, ok := x.(*expr.Subquery); ok {
				fmt.Fprintf(b, "%sSubquery\n", strings.Repeat("  ", depth+1))
				tree(b, s.Query.(Node), depth+2)
			}
			return true
		})
	}
	for _, c := range n.Children() {
		tree(b, c, depth+1)
	}
}

// each calls f for every node, those of subqueries too.
func each(n Node, f func(Node)) {
	f(n)
	for _, e := range exprsOf(n) {
		expr.Walk(e, func(x expr.Expr) bool {
			if s, ok := x.(*expr.Subquery); ok {
				each(s.Query.(Node), f)
			}
			return true
		})
	}
	for _, c := range n.Children() {
		each(c, f)
	}
}

// local says what the local engine does, and which filters stay there.
func local(b *strings.Builder, n Node) {
	if _, ok := direct(answered(n)); ok {
		b.WriteString("\nLocal: nothing; rows go straight to the output\n")
		return
	}
	b.WriteString("\nLocal, in DuckDB:\n")
	each(n, func(n Node) {
		switch n := n.(type) {
		case *Scan, *CountScan, *AggregateScan:
		case *Project:
			if computes(n) {
				fmt.Fprintf(b, "  %s\n", n)
			}
		case *Filter:
			fmt.Fprintf(b, "  %s\n    %s\n", n, whyLocal(n))
		case *Limit:
			fmt.Fprintf(b, "  %s\n", n)
			if err := whyUnsorted(n); err != nil {
				fmt.Fprintf(b, "    the cluster does not sort: %v\n", err)
			}
		case *Aggregate, *Distinct:
			fmt.Fprintf(b, "  %s\n", n)
			if _, err := aggregateScan(n); err != nil {
				fmt.Fprintf(b, "    the cluster does not group: %v\n", err)
			}
		default:
			fmt.Fprintf(b, "  %s\n", n)
		}
	})
}

// whyUnsorted says why the scan under a limit does not find the first rows itself,
// where it could have been asked.
func whyUnsorted(l *Limit) error {
	for n := l.Input; l.N > 0; {
		switch at := n.(type) {
		case *Project:
			n = at.Input
			continue
		case *Sort:
			if scan, _, _ := plainScan(at.Input); scan != nil && len(scan.Sort) == 0 {
				_, err := sortedScan(at, l.N+l.Offset)
				return err
			}
		}
		return nil
	}
	return nil
}

// answered is the plan as it runs when every index answers what it is asked.
func answered(n Node) Node {
	return transform(n, func(n Node) Node {
		if agg, ok := n.(*AggregateScan); ok {
			return &Rows{Cols: agg.Cols}
		}
		return n
	})
}

func computes(n *Project) bool {
	for _, it := range n.Items {
		if _, ok := it.X.(*expr.Column); !ok {
			return true
		}
	}
	return false
}

func whyLocal(n *Filter) string {
	scan, ok := n.Input.(*Scan)
	if _, groups := n.Input.(*AggregateScan); groups {
		return "it is about the groups, which the cluster gives whole"
	}
	switch {
	case !ok:
		return "it stands above a " + strings.Fields(n.Input.String())[0] + ", not above a scan"
	case scan.NoPushdown:
		return "eslake.pushdown is false"
	case scan.Limit > 0:
		return "a limit comes first"
	case len(scan.Filter) > 0:
		return "the index answers it not at all, or with rows too many that are checked again here"
	default:
		return "the index cannot answer it exactly"
	}
}

// Tree returns the operators of a plan, one a line, indented by depth.
func Tree(n Node) string {
	var b strings.Builder
	tree(&b, n, 0)
	return b.String()
}
