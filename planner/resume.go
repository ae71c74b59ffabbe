package planner

import (
	"context"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql/expr"
)

// wayOf says how a resume of a write comes to the rows that it began with.
func wayOf(ctx context.Context, to *target, job *exec.Job, n Node) (exec.Way, error) {
	switch job.Overwrite {
	case "":
	case "truncate":
		return exec.Emptied, nil
	default:
		return exec.Anew, nil
	}
	if _, ok := job.Source.(esds.Atomic); ok {
		return exec.Whole, nil
	}
	if scripted(to.opts) {
		return exec.Scripted, nil
	}
	if ordered(n) {
		return exec.Reread, nil
	}
	again, err := converges(ctx, to, job, n)
	switch {
	case err != nil:
		return "", err
	case again:
		return exec.Again, nil
	case !to.opts.Bool("eslake.spool"):
		return exec.Never, nil
	}
	return exec.Spooled, nil
}

// ordered reports whether a plan gives the same rows in the same order each time:
// constants, ranges and files, with columns computed and rows left out one by one.
// The engine keeps the order of what it reads.
func ordered(n Node) bool {
	if !fixed(n) {
		return false
	}
	switch n := n.(type) {
	case *Values, *Range, *FileScan:
		return true
	case *Project:
		return ordered(n.Input)
	case *Filter:
		return ordered(n.Input)
	case *Limit:
		return ordered(n.Input)
	}
	return false
}

// fixed reports whether every expression of a node gives the same value each time,
// and looks at no other row.
func fixed(n Node) bool {
	ok := true
	for _, e := range exprsOf(n) {
		expr.Walk(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case *expr.Subquery:
				ok = false
			case *expr.Call:
				ok = ok && x.Over == nil
			}
			return ok
		})
		ok = ok && expr.Deterministic(e)
	}
	return ok
}

// converges reports whether a statement that is run again writes each document
// that the first run wrote, and comes to the same end: the ids are in a column,
// the same rows are chosen each time, and the rows are not read from the index
// that is written.
func converges(ctx context.Context, to *target, job *exec.Job, n Node) (bool, error) {
	if job.Write.ID == "" || job.Write.Action == esds.CreateDoc {
		return false, nil
	}
	ok := true
	var scans []*Scan
	each(n, func(n Node) {
		switch n := n.(type) {
		case *Scan:
			ok = ok && n.Limit == 0
			scans = append(scans, n)
		case *FileScan, *Values, *Range, *Filter, *Join, *Distinct, *SetOp, *Sort, *Project, *Generate:
		case *Aggregate:
			ok = ok && settled(n)
		default: // Limit and Sample may choose other rows the next time
			ok = false
		}
		ok = ok && fixed(n)
	})
	if !ok {
		return false, nil
	}
	return apart(ctx, to, scans)
}

// scripted reports whether documents are changed by a script, which must not
// happen twice.
func scripted(opts esds.Options) bool {
	for key := range opts {
		if strings.HasPrefix(key, "es.update.script") {
			return true
		}
	}
	return false
}

// settledAggregates do not depend on the order of the rows.
var settledAggregates = []string{"count", "sum", "min", "max", "avg", "bool_and", "bool_or"}

func settled(n *Aggregate) bool {
	ok := true
	for _, it := range n.Aggs {
		expr.Walk(it.X, func(x expr.Expr) bool {
			if c, is := x.(*expr.Call); is && expr.IsAggregate(c.Func) {
				ok = ok && slices.Contains(settledAggregates, c.Func)
			}
			return true
		})
	}
	return ok
}

// apart reports whether no scan reads what is written.
func apart(ctx context.Context, to *target, scans []*Scan) (bool, error) {
	written, err := to.source.Resolve(ctx, to.index)
	if err != nil {
		return false, err
	}
	for _, s := range scans {
		if s.Source.String() != to.source.String() {
			continue
		}
		read, err := s.Source.Resolve(ctx, s.Resource)
		if err != nil {
			return false, err
		}
		for _, index := range append(read.Indices, read.Name) {
			if index == written.Name || slices.Contains(written.Indices, index) {
				return false, nil
			}
		}
	}
	return true, nil
}

// Files returns the files that a plan reads, in order, each once.
func Files(n Node) ([]string, error) {
	var list []string
	var failed error
	each(n, func(n Node) {
		scan, ok := n.(*FileScan)
		if !ok || failed != nil {
			return
		}
		found, err := duck.Files(scan.Path, scan.Options)
		failed = err
		for _, path := range found {
			if !slices.Contains(list, path) {
				list = append(list, path)
			}
		}
	})
	return list, failed
}
