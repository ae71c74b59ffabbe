package sql

import (
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// firstWords are the words that begin a statement.
var firstWords = []string{
	"ALTER", "ASSERT", "CREATE", "DELETE", "DESCRIBE", "DROP", "EXPLAIN", "INSERT", "MERGE", "REFRESH", "RESET", "SELECT", "SET",
	"SHOW", "SOURCE", "TABLE", "TRUNCATE", "UNDO", "UPDATE", "USE", "VALUES", "WITH",
}

// statement reads one statement.
func (p *parser) statement() Statement {
	t := p.peek()
	if p.is("WITH") || p.is("VALUES") || p.i < len(p.toks) && p.queryAt(p.i) {
		return p.queryStatement()
	}
	switch word := strings.ToUpper(t.Text); {
	case t.Kind != lex.Word:
		return p.noStatement(t)
	case word == "CREATE":
		return p.create()
	case word == "DROP":
		return p.drop()
	case word == "ALTER":
		return p.alter()
	case word == "TRUNCATE":
		return p.truncate()
	case word == "REFRESH":
		return p.refresh()
	case word == "SHOW":
		return p.show()
	case word == "USE":
		return p.use()
	case word == "DESCRIBE" || word == "DESC":
		return p.describe()
	case word == "EXPLAIN":
		return p.explain()
	case word == "INSERT":
		return p.insert(nil)
	default:
		return p.otherStatement(t, word)
	}
}

func (p *parser) otherStatement(t lex.Token, word string) Statement {
	switch word {
	case "UPDATE":
		return p.update()
	case "DELETE":
		return p.delete()
	case "MERGE":
		return p.merge()
	case "UNDO":
		return p.undo()
	case "SET":
		return p.set()
	case "RESET":
		return p.reset()
	case "SOURCE":
		return p.source()
	case "ASSERT":
		return p.assert()
	default:
		return p.noStatement(t)
	}
}

// elsewhere holds statements of other systems, with what to do here.
var elsewhere = map[string]struct{ what, hint string }{
	"BEGIN":    {"BEGIN: there are no transactions", transactionHint},
	"START":    {"START TRANSACTION: there are no transactions", transactionHint},
	"COMMIT":   {"COMMIT: there are no transactions", transactionHint},
	"ROLLBACK": {"ROLLBACK: there are no transactions", "UNDO JOB 'id' takes an UPDATE, DELETE or MERGE back; SHOW JOBS lists them"},
	"SAVEPOINT": {
		"SAVEPOINT: there are no transactions", transactionHint,
	},
	"GRANT":   {"GRANT", "rights are given in Elasticsearch or OpenSearch; eslake uses those of es.net.http.auth.user"},
	"REVOKE":  {"REVOKE", "rights are given in Elasticsearch or OpenSearch; eslake uses those of es.net.http.auth.user"},
	"ANALYZE": {"ANALYZE", "the cluster keeps its own statistics; EXPLAIN ANALYZE SELECT … shows what a query does"},
	"CACHE":   {"CACHE", "write what is used again into a table: CREATE TABLE … AS SELECT …"},
	"UNCACHE": {"UNCACHE", "there is no cache to clear"},
	"CALL":    {"CALL", "there are no procedures; put statements into a file and run it with SOURCE 'file'"},
	"COPY":    {"COPY", "INSERT INTO t SELECT * FROM csv.`file` loads, INSERT OVERWRITE DIRECTORY 'path' USING csv SELECT … writes files"},
	"LOAD":    {"LOAD", "INSERT INTO t SELECT * FROM csv.`file` loads a file"},
	"EXPORT":  {"EXPORT", "INSERT OVERWRITE DIRECTORY 'path' USING csv SELECT … writes files"},
	"IMPORT":  {"IMPORT", "INSERT INTO t SELECT * FROM csv.`file` loads a file"},
	"LOCK":    {"LOCK", transactionHint},
	"UNLOCK":  {"UNLOCK", transactionHint},
	"REPLACE": {"REPLACE", "INSERT INTO a table with es.mapping.id replaces rows of the same id; CREATE OR REPLACE TABLE replaces a table"},
	"UPSERT":  {"UPSERT", "INSERT INTO a table with es.mapping.id replaces rows of the same id; or use MERGE INTO"},
	"VACUUM":  {"VACUUM", "the cluster merges its segments itself"},
	"DECLARE": {"DECLARE", "variables are given with --define NAME=VALUE and written ${NAME}"},
	"MSCK":    {"MSCK", "REFRESH TABLE t reads the mapping again"},
	"FROM":    {"FROM in front", "begin with SELECT or INSERT INTO"},
}

const transactionHint = "INSERT OVERWRITE replaces a table as a whole, es.mapping.id makes a repeated INSERT safe, UNDO JOB takes an UPDATE, DELETE or MERGE back"

// noStatement fails at a word that begins none.
func (p *parser) noStatement(t lex.Token) Statement {
	word := strings.ToUpper(t.Text)
	if other, ok := elsewhere[word]; ok && t.Kind == lex.Word {
		what, _, _ := strings.Cut(other.what, ":")
		if what != other.what {
			p.fail(lex.CodeUnsupported, t.Span, other.what, other.hint)
		} else {
			p.unsupported(t.Span, what, other.hint)
		}
		return nil
	}
	hint := "statements begin with " + strings.Join(firstWords[:len(firstWords)-1], ", ") + " or WITH"
	if near := lex.Near(t.Text, firstWords); near != "" && t.Kind == lex.Word {
		hint = "did you mean " + near + "?"
	}
	p.fail(lex.CodeUnexpected, t.Span, "unexpected "+found(t)+", expected a statement", hint)
	return nil
}

// queryStatement reads a query, or WITH … INSERT.
func (p *parser) queryStatement() Statement {
	from := p.i
	if p.is("WITH") {
		if end := p.withEnd(); end < len(p.toks) && p.toks[end].Is("INSERT") {
			p.next()
			with := p.ctes()
			return p.insert(with)
		}
	}
	s := &SelectStmt{Query: p.query()}
	s.At = p.since(from)
	return s
}

// withEnd returns the place behind the names of a WITH.
func (p *parser) withEnd() int {
	for i := p.i; i < len(p.toks); i++ {
		switch {
		case p.toks[i].Is("("):
			i = p.partner(i)
		case isWord(p.toks[i], []string{"INSERT", "SELECT", "VALUES"}) && p.toks[i-1].Is(")"):
			return i
		}
	}
	return len(p.toks)
}

// explain reads EXPLAIN [EXTENDED | ANALYZE] statement. FORMATTED, COST and
// CODEGEN, which are Spark's, show what EXTENDED shows.
func (p *parser) explain() Statement {
	from := p.i
	p.next()
	e := &Explain{}
	switch p.acceptAny("EXTENDED", "ANALYZE", "FORMATTED", "COST", "CODEGEN", "VERBOSE") {
	case "":
	case "ANALYZE":
		e.Analyze = true
	default:
		e.Extended = true
	}
	if p.is("EXPLAIN") {
		p.fail(lex.CodeUnexpected, p.peek().Span, "EXPLAIN of EXPLAIN shows nothing more", "")
		return e
	}
	e.Statement = p.statement()
	e.At = p.since(from)
	return e
}

// describe reads DESCRIBE of a table, a query or a function.
func (p *parser) describe() Statement {
	from := p.i
	p.next()
	d := &Describe{}
	switch {
	case p.is("FUNCTION") && (p.at(1).Name() || p.at(1).IsString()):
		p.next()
		d.Extended = p.is("EXTENDED") && p.at(1).Kind != lex.EOF && p.accept("EXTENDED")
		if d.Function = p.functionName(); p.err != nil {
			return d
		}
	case p.is("QUERY") && p.i+1 < len(p.toks) && p.queryAt(p.i+1):
		p.next()
		d.Query = p.query()
	case p.i < len(p.toks) && p.queryAt(p.i) && !p.is("TABLE"):
		d.Query = p.query()
	case p.isAny("DATABASE", "SCHEMA", "NAMESPACE") && p.at(1).Name():
		p.unsupported(p.peek().Span, "DESCRIBE "+strings.ToUpper(p.peek().Text), "SHOW TABLES IN d lists what is in it")
	default:
		if p.is("TABLE") && p.at(1).Name() {
			p.next()
		}
		d.Extended = p.isAny("EXTENDED", "FORMATTED") && p.at(1).Name() && p.acceptAny("EXTENDED", "FORMATTED") != ""
		name := p.tableName()
		d.Table = &name
	}
	d.At = p.since(from)
	return d
}

// functionName reads the name of a function, or an operator between quotes.
func (p *parser) functionName() Ident {
	if t := p.peek(); t.IsString() {
		p.next()
		return Ident{Name: t.Value(), At: t.Span}
	}
	return p.name("a function")
}

// use reads USE [DATABASE] d.
func (p *parser) use() Statement {
	from := p.i
	p.next()
	if p.isAny("DATABASE", "SCHEMA", "NAMESPACE") && p.at(1).Name() {
		p.next()
	}
	u := &Use{Name: p.name("a database")}
	u.At = p.since(from)
	return u
}

// truncate reads TRUNCATE TABLE t.
func (p *parser) truncate() Statement {
	from := p.i
	p.next()
	p.expect("TABLE")
	t := &TruncateTable{Name: p.tableName()}
	t.At = p.since(from)
	return t
}

// refresh reads REFRESH [TABLE] t.
func (p *parser) refresh() Statement {
	from := p.i
	p.next()
	if p.is("TABLE") && p.at(1).Name() {
		p.next()
	}
	r := &RefreshTable{Name: p.tableName()}
	r.At = p.since(from)
	return r
}

// show reads what SHOW can list.
func (p *parser) show() Statement {
	from := p.i
	p.next()
	s := &Show{}
	switch p.acceptAny("TABLES", "VIEWS", "DATABASES", "SCHEMAS", "COLUMNS", "CREATE", "JOBS", "FUNCTIONS") {
	case "TABLES":
		s.Kind = ShowTables
		p.inDatabase(s)
	case "VIEWS":
		s.Kind = ShowViews
		p.inDatabase(s)
	case "DATABASES", "SCHEMAS":
		s.Kind = ShowDatabases
	case "JOBS":
		s.Kind = ShowJobs
	case "FUNCTIONS":
		s.Kind = ShowFunctions
	case "CREATE":
		s.Kind = ShowCreateTable
		p.expect("TABLE")
		s.Table = p.tableName()
	case "COLUMNS":
		s.Kind = ShowColumns
		if p.acceptAny("IN", "FROM") == "" {
			p.unexpected()
		}
		s.Table = p.tableName()
		if p.acceptAny("IN", "FROM") != "" {
			s.Table.Database = p.name("a database")
		}
	default:
		p.showNothing()
	}
	p.like(s)
	s.At = p.since(from)
	return s
}

func (p *parser) showNothing() {
	if p.isAny("PARTITIONS", "TBLPROPERTIES", "INDEXES", "INDEX", "USER", "LOCKS") {
		p.unsupported(p.peek().Span, "SHOW "+strings.ToUpper(p.peek().Text), "SHOW CREATE TABLE t and DESCRIBE EXTENDED t show what is known of a table")
		return
	}
	p.unexpected()
}

func (p *parser) inDatabase(s *Show) {
	if p.acceptAny("IN", "FROM") != "" {
		s.Database = p.name("a database")
	}
}

// like reads [LIKE] 'pattern'.
func (p *parser) like(s *Show) {
	kinds := []ShowKind{ShowTables, ShowViews, ShowDatabases, ShowFunctions}
	if slices.Contains(kinds, s.Kind) && (p.accept("LIKE") || p.peek().IsString()) {
		s.Like = p.stringLit("a pattern").Name
	}
}
