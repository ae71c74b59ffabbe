package expr

import "github.com/eslake/eslake/sql/row"

// InZone returns a bound expression as a session with the zone means it: constants
// that were written without a zone become instants, and what hangs on the zone is
// put into sessionzone(…), which only the local engine evaluates. Nil is UTC,
// which changes nothing.
func InZone(e Expr, z *row.Zone) Expr {
	if z == nil || e == nil {
		return e
	}
	return Map(e, func(x Expr) Expr {
		switch x := x.(type) {
		case *Literal:
			return x.inZone(z)
		case *Cast:
			return castInZone(x, z)
		case *Call:
			if zoneDependent(x) {
				return &Call{Node: x.Node, Func: sessionZone, Args: []Expr{x}}
			}
		}
		return x
	})
}

// sessionZone is a function that gives its argument as it is. Nothing but the
// local engine knows it, so that nothing else evaluates what hangs on the zone.
const sessionZone = "sessionzone"

// OfZone reports whether InZone found that an expression hangs on the zone. Its
// operand must not be evaluated elsewhere.
func OfZone(e Expr) bool {
	c, ok := e.(*Call)
	return ok && c.Func == sessionZone
}

// inZone makes an instant of what clocks show.
func (l *Literal) inZone(z *row.Zone) *Literal {
	v, ok := l.Value.(int64)
	if !l.Wall || !ok {
		return l
	}
	return &Literal{Node: l.Node, Value: z.Instant(v)}
}

func castInZone(c *Cast, z *row.Zone) Expr {
	from, to := c.X.Type(), c.T
	if l, ok := c.X.(*Literal); ok && to.Kind == row.Timestamp {
		if folded := foldLiteral(l, to); folded != nil {
			return folded.inZone(z)
		}
	}
	if !crosses(from, to) {
		return c
	}
	return &Call{Node: c.Node, Func: sessionZone, Args: []Expr{c}}
}

// crosses reports whether a cast is between instants and what clocks show.
func crosses(from, to row.Type) bool {
	a, b := from.Kind == row.Timestamp, to.Kind == row.Timestamp
	shown := func(t row.Type) bool {
		return t.Kind == row.String || t.Kind == row.Date || t.Kind == row.TimestampNTZ
	}
	switch {
	case a && b:
		return false
	case a:
		return shown(to)
	case b:
		return shown(from)
	}
	return (from.Nested() || to.Nested()) && (hasInstant(from) || hasInstant(to))
}

// hasInstant reports whether values of a type hold timestamps.
func hasInstant(t row.Type) bool {
	switch t.Kind {
	case row.Timestamp:
		return true
	case row.Array:
		return hasInstant(*t.Elem)
	case row.Map:
		return hasInstant(*t.Key) || hasInstant(*t.Elem)
	case row.Struct:
		for _, f := range t.Fields {
			if hasInstant(f.Type) {
				return true
			}
		}
	}
	return false
}

// zoneCalls are the functions whose answer for a timestamp hangs on the zone.
var zoneCalls = map[string]bool{
	"+": true, "-": true, "try_add": true, "try_subtract": true, "sequence": true, "to_json": true, "from_json": true, "to_csv": true, "from_csv": true,
	"hour": true, "minute": true, "second": true, "extract": true, "date_trunc": true, "date_format": true, "from_unixtime": true,
	"to_date": true, "to_timestamp": true, "try_to_timestamp": true, "to_timestamp_ntz": true, "unix_timestamp": true,
	"timestampadd": true, "timestampdiff": true, "date_add": true, "datediff": true, "make_timestamp": true, "months_between": true,
	"string": true, "date": true, "timestamp": true, "to_char": true,
}

func zoneDependent(c *Call) bool {
	f, ok := Lookup(c.Func)
	if !ok {
		return false
	}
	if f.Kind != ScalarFunction {
		return false
	}
	name := f.Name()
	if !zoneCalls[name] {
		return false
	}
	if name == "from_unixtime" || name == "unix_timestamp" || name == "to_date" {
		return true // of text and numbers too
	}
	instants := hasInstant(c.T)
	for _, x := range c.Args {
		instants = instants || hasInstant(x.Type())
	}
	return instants
}
