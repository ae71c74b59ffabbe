package planner

import (
	"context"

	"github.com/eslake/eslake/esds"
)

// Expect says how far the write will have to go: the number of rows, or the csv
// and json files that are read while it goes on. Both are zero when that is not
// known. The number may be a guess, for showing the progress only.
func (n *Insert) Expect(ctx context.Context) (rows int64, files []string) {
	source := streamed(n.Input)
	switch s := source.(type) {
	case *Values:
		return int64(len(s.Rows)), nil
	case *Range:
		return s.count(), nil
	case *FileScan:
		if s.Format == esds.ProviderParquet {
			return 0, nil
		}
		files, err := Files(s)
		if err != nil {
			return 0, nil // reading them says why
		}
		return 0, files
	case *Scan:
		if len(s.Filter) > 0 && s.Limit > 0 || n.filters() {
			return 0, nil
		}
		rows, err := s.Index.Estimate(ctx, s.Filter)
		if err != nil {
			return 0, nil // reading it says why
		}
		if s.Limit > 0 {
			rows = min(rows, s.Limit)
		}
		return rows, nil
	}
	return 0, nil
}

// Expect says how many documents are read, about, until the changes are known; 0
// where that cannot be told.
func (m *Modify) Expect(ctx context.Context) (documents int64) {
	known := true
	var look func(n Node)
	look = func(n Node) {
		switch x := n.(type) {
		case *Scan:
			rows, err := x.Index.Estimate(ctx, x.Filter)
			known = known && err == nil && x.Limit == 0
			documents += rows
		case *FileScan:
			known = false
		}
		for _, c := range n.Children() {
			look(c)
		}
	}
	if look(m.Input); !known {
		return 0
	}
	return documents
}

// Positions reports whether the nth row that is written is the nth record of the
// csv or json files that the statement reads, and of nothing else.
func (n *Insert) Positions() bool {
	for node := n.Input; fixed(node); {
		switch x := node.(type) {
		case *Project:
			node = x.Input
		case *FileScan:
			return x.Format != esds.ProviderParquet
		default:
			return false
		}
	}
	return false
}

// streamed is the node that rows come from one by one, through nothing that waits
// for all of them; nil when there is another.
func streamed(n Node) Node {
	for {
		switch x := n.(type) {
		case *Project:
			n = x.Input
		case *Filter:
			n = x.Input
		case *Values, *Range, *FileScan, *Scan:
			return n
		default:
			return nil
		}
	}
}

// filters reports whether rows are left out after they were read, so that their
// number says little about those that are written.
func (n *Insert) filters() bool {
	found := false
	each(n.Input, func(n Node) {
		if _, ok := n.(*Filter); ok {
			found = true
		}
	})
	return found
}

// count is the number of values of a range.
func (n *Range) count() int64 {
	if n.Step > 0 && n.End > n.Start {
		return (n.End-n.Start-1)/n.Step + 1
	}
	if n.Step < 0 && n.End < n.Start {
		return (n.Start-n.End-1)/-n.Step + 1
	}
	return 0
}
