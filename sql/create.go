package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// create reads CREATE TABLE, VIEW and DATABASE.
func (p *parser) create() Statement {
	from := p.i
	p.next()
	replace := p.accept("OR", "REPLACE")
	global := p.is("GLOBAL")
	if global {
		p.unsupported(p.peek().Span, "a global temporary view", "a temporary view lives as long as the session, a view without TEMPORARY stays")
	}
	temporary := p.acceptAny("TEMPORARY", "TEMP") != ""
	switch {
	case p.accept("TABLE") || p.is("EXTERNAL", "TABLE") && p.accept("EXTERNAL", "TABLE"):
		if temporary {
			p.unsupported(p.since(from), "a temporary table", "use CREATE TEMPORARY VIEW v USING es OPTIONS (…)")
		}
		return p.createTable(from, replace)
	case p.accept("VIEW"):
		return p.createView(from, replace, temporary)
	case !replace && !temporary && p.acceptAny("DATABASE", "SCHEMA", "NAMESPACE") != "":
		return p.createDatabase(from)
	}
	p.createNothing()
	return nil
}

// uncreated holds what other systems create, with what to do here.
var uncreated = map[string]string{
	"INDEX":        "the table is the index: its columns are indexed by the mapping; CREATE TABLE … USING es OPTIONS (resource 'i') binds one",
	"UNIQUE":       "name the column in es.mapping.id: one document for each of its values",
	"FUNCTION":     "SHOW FUNCTIONS lists the functions that there are",
	"MATERIALIZED": "CREATE TABLE … AS SELECT … stores a result, INSERT OVERWRITE renews it",
	"USER":         "users are made in Elasticsearch or OpenSearch",
	"ROLE":         "roles are made in Elasticsearch or OpenSearch",
	"SEQUENCE":     "rows without es.mapping.id get ids of their own",
	"TRIGGER":      "an ingest pipeline can do it: es.ingest.pipeline",
	"PROCEDURE":    "put statements into a file and run it with SOURCE 'file'",
}

func (p *parser) createNothing() {
	t := p.peek()
	if hint, ok := uncreated[strings.ToUpper(t.Text)]; ok && t.Kind == lex.Word {
		p.unsupported(t.Span, "CREATE "+strings.ToUpper(t.Text), hint)
		return
	}
	p.unexpected()
}

func (p *parser) ifNotExists() bool { return p.accept("IF", "NOT", "EXISTS") }

func (p *parser) createTable(from int, replace bool) Statement {
	c := &CreateTable{Replace: replace, IfNotExists: p.ifNotExists()}
	c.Name = p.tableName()
	if p.is("(") && !p.queryAt(p.i+1) {
		p.next()
		c.Columns = p.columnDefs()
		p.expect(")")
	}
	for p.err == nil && p.tableClause(c) {
		continue
	}
	if p.accept("AS") || p.i < len(p.toks) && p.queryAt(p.i) {
		c.As = p.query()
	}
	c.At = p.since(from)
	return c
}

// tableClause reads one of the clauses of CREATE TABLE, which come in any
// order; false when there is none.
func (p *parser) tableClause(c *CreateTable) bool {
	at := p.peek().Span
	switch {
	case p.accept("USING"):
		p.repeated(c.Provider.Name != "", at, "USING")
		c.Provider = p.provider()
	case p.accept("OPTIONS"):
		p.repeated(c.Options != nil, at, "OPTIONS")
		c.Options = p.options()
	case p.accept("COMMENT"):
		p.repeated(c.Comment != "", at, "COMMENT")
		c.Comment = p.stringLit("a string").Name
	case p.accept("TBLPROPERTIES"):
		p.repeated(c.Properties != nil, at, "TBLPROPERTIES")
		c.Properties = p.options()
	case p.is("PARTITIONED", "BY"):
		p.unsupported(at, "PARTITIONED BY", "a dynamic resource spreads rows over indices: resource 'logs-{day}'")
	case p.is("CLUSTERED", "BY"), p.is("STORED"), p.is("ROW", "FORMAT"):
		p.unsupported(at, strings.ToUpper(p.peek().Text), "say what a table is bound to with USING es OPTIONS (resource 'index')")
	case p.is("LOCATION"):
		p.unsupported(at, "LOCATION", "give the path as an option: OPTIONS (path '…')")
	case p.is("LIKE"):
		p.unsupported(at, "CREATE TABLE … LIKE", "give the columns, or AS SELECT * FROM t WHERE false")
	default:
		return false
	}
	return true
}

// provider reads es, or a class name with dots.
func (p *parser) provider() Ident {
	from := p.i
	name := p.name("a provider").Name
	for p.accept(".") {
		name += "." + p.name("a name").Name
	}
	return Ident{Name: name, At: p.since(from)}
}

// columnDefs reads columns with their types.
func (p *parser) columnDefs() []ColumnDef {
	var list []ColumnDef
	for p.err == nil {
		if p.isAny("PRIMARY", "UNIQUE", "CONSTRAINT", "FOREIGN") && isWord(p.at(1), []string{"KEY", "("}) || p.is("CONSTRAINT") && p.at(2).Is("PRIMARY") {
			p.unsupported(p.peek().Span, "a constraint", "name the key in the option es.mapping.id")
			break
		}
		list = append(list, p.columnDef())
		if !p.accept(",") {
			break
		}
	}
	return list
}

func (p *parser) columnDef() ColumnDef {
	c := ColumnDef{Name: p.name("a column")}
	p.accept(":")
	c.Type, c.TypeAt = p.typeName()
	for p.err == nil {
		switch {
		case p.accept("NOT", "NULL"):
			c.NotNull = true
		case p.accept("COMMENT"):
			c.Comment = p.stringLit("a string").Name
		case p.accept("DEFAULT"):
			p.repeated(c.Default != nil, c.Name.At, "DEFAULT")
			c.Default = p.exprUntil("NOT")
		case p.is("PRIMARY", "KEY"), p.is("UNIQUE"):
			p.unsupported(p.peek().Span, "a key on a column", "name the column in the option es.mapping.id")
		case p.is("GENERATED"):
			p.unsupported(p.peek().Span, "a generated column", "compute it in the SELECT that fills the table")
		default:
			return c
		}
	}
	return c
}

func (p *parser) createView(from int, replace, temporary bool) Statement {
	v := &CreateView{Replace: replace, Temporary: temporary, IfNotExists: p.ifNotExists()}
	v.Name = p.tableName()
	if p.is("(") {
		p.next()
		v.Columns = p.viewColumns()
		p.expect(")")
	}
	for p.err == nil && p.viewClause(v) {
		continue
	}
	if v.Provider.Name == "" {
		p.wanted("USING")
		p.expect("AS")
		start := p.i
		v.Query = p.query()
		v.Text = p.sourceText(start)
	}
	v.At = p.since(from)
	return v
}

func (p *parser) viewClause(v *CreateView) bool {
	at := p.peek().Span
	switch {
	case p.accept("USING"):
		p.repeated(v.Provider.Name != "", at, "USING")
		v.Provider = p.provider()
		if !v.Temporary {
			p.unsupported(at, "a permanent view USING a provider", "use CREATE TABLE … USING, or CREATE TEMPORARY VIEW … USING")
		}
	case v.Provider.Name != "" && p.accept("OPTIONS"):
		p.repeated(v.Options != nil, at, "OPTIONS")
		v.Options = p.options()
	case p.accept("COMMENT"):
		v.Comment = p.stringLit("a string").Name
	case p.accept("TBLPROPERTIES"):
		v.Properties = p.options()
	default:
		return false
	}
	return true
}

// viewColumns reads names with comments; with types for a view USING a
// provider.
func (p *parser) viewColumns() []ColumnDef {
	var list []ColumnDef
	for p.err == nil {
		if !p.at(1).Is(",") && !p.at(1).Is(")") && !p.at(1).Is("COMMENT") {
			list = append(list, p.columnDef())
		} else {
			c := ColumnDef{Name: p.name("a column")}
			if p.accept("COMMENT") {
				c.Comment = p.stringLit("a string").Name
			}
			list = append(list, c)
		}
		if !p.accept(",") {
			break
		}
	}
	return list
}

// sourceText returns the user's text from token i to the last one read, as it
// was written; with variables filled in, token by token.
func (p *parser) sourceText(i int) string {
	if p.err != nil || i >= p.i {
		return ""
	}
	if !p.text.Expanded {
		at := p.since(i)
		return p.text.Src[at.Start:at.End]
	}
	var b strings.Builder
	for n, t := range p.toks[i:p.i] {
		if n > 0 && !t.Touch {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

func (p *parser) createDatabase(from int) Statement {
	d := &CreateDatabase{IfNotExists: p.ifNotExists()}
	d.Name = p.name("a database")
	if p.accept("COMMENT") {
		d.Comment = p.stringLit("a string").Name
	}
	if p.is("LOCATION") || p.is("WITH") {
		p.unsupported(p.peek().Span, strings.ToUpper(p.peek().Text), "a database is only a name for tables")
	}
	d.At = p.since(from)
	return d
}

// drop reads DROP TABLE, VIEW and DATABASE.
func (p *parser) drop() Statement {
	from := p.i
	p.next()
	switch {
	case p.accept("TABLE"):
		d := &DropTable{IfExists: p.accept("IF", "EXISTS"), Name: p.tableName()}
		d.Purge = p.accept("PURGE")
		d.At = p.since(from)
		return d
	case p.accept("VIEW"):
		d := &DropView{IfExists: p.accept("IF", "EXISTS"), Name: p.tableName()}
		d.At = p.since(from)
		return d
	case p.acceptAny("DATABASE", "SCHEMA", "NAMESPACE") != "":
		d := &DropDatabase{IfExists: p.accept("IF", "EXISTS"), Name: p.name("a database")}
		d.Cascade = p.accept("CASCADE")
		if !d.Cascade {
			p.accept("RESTRICT")
		}
		d.At = p.since(from)
		return d
	case p.is("INDEX"):
		p.unsupported(p.peek().Span, "DROP INDEX", "DROP TABLE t PURGE deletes the index of a table")
	}
	p.unexpected()
	return nil
}

// alter reads ALTER TABLE.
func (p *parser) alter() Statement {
	from := p.i
	p.next()
	if p.isAny("VIEW", "DATABASE", "SCHEMA", "INDEX") {
		p.unsupported(p.peek().Span, "ALTER "+strings.ToUpper(p.peek().Text), "CREATE OR REPLACE VIEW changes a view")
		return nil
	}
	p.expect("TABLE")
	a := &AlterTable{Name: p.tableName()}
	switch {
	case p.accept("RENAME", "TO"):
		name := p.tableName()
		a.RenameTo = &name
	case p.accept("SET", "OPTIONS"):
		a.SetOptions = p.options()
	case p.accept("SET", "TBLPROPERTIES"):
		a.SetProperties = p.options()
	case p.accept("UNSET", "OPTIONS"):
		a.UnsetOptions = p.optionNames()
	case p.accept("UNSET", "TBLPROPERTIES"):
		a.UnsetProperties = p.optionNames()
	case p.accept("ADD", "COLUMNS") || p.accept("ADD", "COLUMN"):
		bracket := p.accept("(")
		if a.AddColumns = p.columnDefs(); bracket {
			p.expect(")")
		}
	default:
		p.alterNothing()
	}
	a.At = p.since(from)
	return a
}

func (p *parser) alterNothing() {
	if t := p.peek(); p.isAny("DROP", "ALTER", "CHANGE", "REPLACE", "RENAME") {
		p.unsupported(t.Span, "ALTER TABLE … "+strings.ToUpper(t.Text), "a mapping only grows; make a new table and fill it with INSERT INTO … SELECT")
		return
	}
	p.unexpected()
}

// assignments reads column = value, …; a value may be DEFAULT.
func (p *parser) assignments() []Assignment {
	var list []Assignment
	for p.err == nil {
		from := p.i
		a := Assignment{Column: &expr.Name{Parts: []string{p.name("a column").Name}}}
		for p.accept(".") {
			a.Column.Parts = append(a.Column.Parts, p.name("a column").Name)
		}
		a.Column.At = p.since(from)
		p.expect("=")
		if p.is("DEFAULT") && !p.at(1).Is(".") && !p.at(1).Is("(") {
			p.next()
		} else {
			a.Value = p.expr()
		}
		list = append(list, a)
		if !p.accept(",") {
			break
		}
	}
	return list
}
