package expr

import "strconv"

// String returns the window as it stands behind OVER and WINDOW w AS.
func (w *Window) String() string {
	var p printer
	p.window(w)
	return p.String()
}

func (p *printer) window(w *Window) {
	if w.Name != "" && w.Partition == nil && w.Order == nil && w.Frame == nil {
		p.WriteString(QuoteName(w.Name))
		return
	}
	p.WriteByte('(')
	space := ""
	if len(w.Partition) > 0 {
		p.WriteString("PARTITION BY ")
		p.list(w.Partition)
		space = " "
	}
	if len(w.Order) > 0 {
		p.WriteString(space + "ORDER BY ")
		p.orders(w.Order)
		space = " "
	}
	if f := w.Frame; f != nil {
		p.WriteString(space + f.Unit + " BETWEEN ")
		p.bound(f.From)
		p.WriteString(" AND ")
		p.bound(f.To)
	}
	p.WriteByte(')')
}

func (p *printer) bound(b Bound) {
	switch b.Kind {
	case UnboundedPreceding:
		p.WriteString("UNBOUNDED PRECEDING")
	case UnboundedFollowing:
		p.WriteString("UNBOUNDED FOLLOWING")
	case CurrentRow:
		p.WriteString("CURRENT ROW")
	case Preceding:
		p.expr(b.Offset, levelBitOr)
		p.WriteString(" PRECEDING")
	case Following:
		p.expr(b.Offset, levelBitOr)
		p.WriteString(" FOLLOWING")
	}
}

// String returns the key as it stands in ORDER BY.
func (o Order) String() string {
	var p printer
	p.orders([]Order{o})
	return p.String()
}

func (p *printer) orders(keys []Order) {
	for i, o := range keys {
		if i > 0 {
			p.WriteString(", ")
		}
		p.expr(o.X, levelOr)
		if o.Desc {
			p.WriteString(" DESC")
		}
		if o.NullsFirst != nil {
			p.WriteString(map[bool]string{true: " NULLS FIRST", false: " NULLS LAST"}[*o.NullsFirst])
		}
	}
}

// String returns the interval as a literal.
func (v Interval) String() string {
	if v.Text != "" {
		return "INTERVAL " + v.Text
	}
	number := func(n int64, unit string) string {
		if n == 0 {
			return ""
		}
		return " '" + strconv.FormatInt(n, 10) + "' " + unit
	}
	parts := number(int64(v.Months), "MONTH") + number(int64(v.Days), "DAY") + number(v.Micros, "MICROSECOND")
	if parts == "" {
		parts = " '0' DAY"
	}
	return "INTERVAL" + parts
}
