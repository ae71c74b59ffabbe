package planner

import "github.com/eslake/eslake/esds"

// pushSorts lets the index find the rows that come first. The few that it gives
// are sorted and cut again here.
//
//	Limit 10
//	  Sort size DESC NULLS LAST
//	    Scan logs [size]
//
// becomes
//
//	Limit 10
//	  Sort size DESC NULLS LAST
//	    Scan logs [size] first 10 by size DESC
func pushSorts(n Node) Node {
	return transform(n, func(n Node) Node {
		l, ok := n.(*Limit)
		if !ok || l.N <= 0 {
			return n
		}
		if pushed := sortBelow(l.Input, l.N+l.Offset); pushed != nil {
			return l.withChildren([]Node{pushed})
		}
		return n
	})
}

// sortBelow returns n with the sort under it pushed, nil when it is not.
func sortBelow(n Node, limit int64) Node {
	switch n := n.(type) {
	case *Project:
		if windowed(n) {
			return nil
		}
		if in := sortBelow(n.Input, limit); in != nil {
			return n.withChildren([]Node{in})
		}
	case *Sort:
		if sorted, err := sortedScan(n, limit); sorted != nil && err == nil {
			in := transform(n.Input, func(n Node) Node {
				if _, ok := n.(*Scan); ok {
					return sorted
				}
				return n
			})
			return n.withChildren([]Node{in})
		}
	}
	return nil
}

// sortedScan returns the scan under a sort that gives the rows which come first,
// nil where there is none that could, or an error that says why it cannot.
func sortedScan(n *Sort, limit int64) (*Scan, error) {
	scan, items, checked := plainScan(n.Input)
	if scan == nil {
		return nil, nil
	}
	index, ok := scan.Index.(esds.Sorter)
	if !ok {
		return nil, nil
	}
	if err := groupable(scan, checked); err != nil {
		return nil, err
	}
	out := *scan
	out.Limit = limit
	for _, k := range n.Keys {
		c, ok := plainColumn(unwrap(substitute(k.X, items)))
		if !ok {
			break
		}
		first := !k.Desc
		if k.NullsFirst != nil {
			first = *k.NullsFirst
		}
		out.Sort = append(out.Sort, esds.Order{Column: c, Desc: k.Desc, NullsFirst: first})
	}
	if out.SortTies = len(out.Sort) < len(n.Keys); len(out.Sort) == 0 {
		return nil, esds.Inexact("%s is computed here", unwrap(substitute(n.Keys[0].X, items)))
	}
	return &out, index.Sortable(out.Sort, limit)
}
