package planner

import (
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// zoneSetting is the key of the session's time zone.
const zoneSetting = "spark.sql.session.timezone"

// Zone returns the time zone of the session, nil for UTC.
func (e *Env) Zone() (*row.Zone, error) {
	z, err := row.ParseZone(e.Settings[zoneSetting])
	if err != nil {
		return nil, &lex.Error{Code: codeOption, Message: "spark.sql.session.timeZone: " + err.Error()}
	}
	return z, nil
}

// zone is the session's; a plan in one that is none fails before it runs.
func (b *builder) zone() *row.Zone {
	z, _ := b.env.Zone()
	return z
}

// zoneName is what current_timezone() gives.
func (e *Env) zoneName() string {
	if name := e.Settings[zoneSetting]; name != "" {
		return name
	}
	return "UTC"
}

// inZone gives a bound plan the meaning that it has in the session's time zone. It
// goes before every rule, since the rules and the indices take a constant of type
// TIMESTAMP for an instant.
func (e *Env) inZone(n Node) (Node, error) {
	z, err := e.Zone()
	if err != nil || z == nil {
		return n, err
	}
	return transform(n, func(n Node) Node {
		return mapExprs(n, func(x expr.Expr) expr.Expr { return expr.InZone(x, z) })
	}), nil
}
