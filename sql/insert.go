package sql

import "github.com/eslake/eslake/sql/lex"

// insert reads INSERT INTO and INSERT OVERWRITE. Names that stand before it
// (WITH … INSERT) go into its query.
func (p *parser) insert(with []CTE) Statement {
	from := p.i
	if with != nil {
		from = 0
	}
	p.expect("INSERT")
	switch {
	case p.accept("OVERWRITE"):
		if p.is("DIRECTORY") || p.is("LOCAL", "DIRECTORY") {
			return p.insertDirectory(from, with)
		}
		return p.insertTable(from, true, with)
	case p.accept("INTO"):
		return p.insertTable(from, false, with)
	}
	p.unexpected()
	return nil
}

func (p *parser) insertTable(from int, overwrite bool, with []CTE) Statement {
	s := &Insert{Overwrite: overwrite}
	if p.is("TABLE") && p.at(1).Name() {
		p.next()
	}
	s.Table = p.tableName()
	if t := p.peek(); p.is("PARTITION") {
		p.unsupported(t.Span, "INSERT … PARTITION", "put the value into the rows; a dynamic resource spreads them over indices: resource 'logs-{day}'")
	}
	if p.accept("BY", "NAME") {
		s.ByName = true
	} else if p.is("(") && !p.queryAt(p.i+1) {
		s.Columns = p.names("a column")
	}
	if t := p.peek(); p.is("REPLACE", "WHERE") {
		p.unsupported(t.Span, "REPLACE WHERE", "use DELETE FROM … WHERE and INSERT INTO, or es.mapping.id")
	}
	s.Query = p.insertQuery(with)
	s.At = p.since(from)
	return s
}

// insertQuery reads the rows to insert.
func (p *parser) insertQuery(with []CTE) *Query {
	if p.i >= len(p.toks) || !p.queryAt(p.i) && !p.is("VALUES") && !p.is("WITH") {
		if p.is("DEFAULT", "VALUES") || p.is("SET") {
			p.unsupported(p.peek().Span, "INSERT without rows", "write VALUES (…) or a SELECT")
		}
		p.queryExpected()
		return &Query{Body: &Values{}}
	}
	q := p.query()
	if with != nil {
		q.With = append(with, q.With...)
	}
	return q
}

func (p *parser) insertDirectory(from int, with []CTE) Statement {
	p.accept("LOCAL")
	p.expect("DIRECTORY")
	s := &InsertDirectory{Path: p.stringLit("a path")}
	if p.is("STORED") || p.is("ROW", "FORMAT") {
		p.unsupported(p.peek().Span, "Hive's format of a directory", "write USING csv, json or parquet")
	}
	p.expect("USING")
	s.Provider = p.provider()
	if p.accept("OPTIONS") {
		s.Options = p.options()
	}
	s.Query = p.insertQuery(with)
	s.At = p.since(from)
	return s
}

// targetAlias reads [AS] name of a table that is changed.
func (p *parser) targetAlias() string {
	a := p.alias()
	if len(a.Columns) > 0 {
		p.fail(lex.CodeUnexpected, p.since(p.i-1), "names of columns have no place here", "")
	}
	return a.Name
}

// update reads UPDATE t [alias] SET … [WHERE …].
func (p *parser) update() Statement {
	from := p.i
	p.next()
	u := &Update{Table: p.tableName()}
	u.Alias = p.targetAlias()
	p.expect("SET")
	u.Set = p.assignments()
	if p.is("FROM") {
		p.unsupported(p.peek().Span, "UPDATE … FROM", "use MERGE INTO … USING … WHEN MATCHED THEN UPDATE")
	}
	if p.accept("WHERE") {
		u.Where = p.expr()
	}
	u.At = p.since(from)
	return u
}

// delete reads DELETE FROM t [alias] [WHERE …].
func (p *parser) delete() Statement {
	from := p.i
	p.next()
	p.expect("FROM")
	d := &Delete{Table: p.tableName()}
	d.Alias = p.targetAlias()
	if p.is("USING") {
		p.unsupported(p.peek().Span, "DELETE … USING", "use MERGE INTO … USING … WHEN MATCHED THEN DELETE")
	}
	if p.accept("WHERE") {
		d.Where = p.expr()
	}
	d.At = p.since(from)
	return d
}

// merge reads MERGE INTO t USING s ON … WHEN ….
func (p *parser) merge() Statement {
	from := p.i
	p.next()
	p.expect("INTO")
	m := &Merge{Table: p.tableName()}
	m.Alias = p.targetAlias()
	p.expect("USING")
	m.Source = p.table()
	p.expect("ON")
	m.On = p.expr()
	for first := true; p.err == nil && (first || p.is("WHEN")); first = false {
		m.Whens = append(m.Whens, p.mergeWhen())
	}
	m.At = p.since(from)
	return m
}

func (p *parser) mergeWhen() MergeWhen {
	var w MergeWhen
	p.expect("WHEN")
	w.Matched = !p.accept("NOT")
	p.expect("MATCHED")
	if !w.Matched && p.accept("BY") {
		if w.BySource = p.accept("SOURCE"); !w.BySource {
			p.expect("TARGET")
		}
	}
	if p.accept("AND") {
		w.Cond = p.expr()
	}
	p.expect("THEN")
	switch {
	case !w.Matched && !w.BySource:
		p.expect("INSERT")
		w.Action = MergeInsert
		p.mergeInsert(&w)
	case p.accept("DELETE"):
		w.Action = MergeDelete
	default:
		p.expect("UPDATE", "SET")
		w.Action = MergeUpdate
		if w.All = p.accept("*"); !w.All {
			w.Set = p.assignments()
		}
	}
	return w
}

func (p *parser) mergeInsert(w *MergeWhen) {
	if w.All = p.accept("*"); w.All {
		return
	}
	if p.is("(") {
		w.Columns = p.names("a column")
	}
	p.expect("VALUES", "(")
	w.Values = p.exprs()
	p.expect(")")
	if w.Columns != nil && len(w.Columns) != len(w.Values) && p.err == nil {
		p.fail(lex.CodeRows, p.since(p.i-1), plural(len(w.Values), "value")+" for "+plural(len(w.Columns), "column"), "")
	}
}
