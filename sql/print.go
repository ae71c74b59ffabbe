package sql

import (
	"strings"

	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
)

// words joins the parts of a statement that are there with spaces.
func words(parts ...string) string {
	var b strings.Builder
	for _, part := range parts {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(part)
	}
	return b.String()
}

// when returns the text when a condition holds, else "".
func when(ok bool, text string) string {
	if ok {
		return text
	}
	return ""
}

// clause returns a keyword and what follows it, "" without the latter.
func clause(keyword, text string) string {
	return when(text != "", keyword+" "+text)
}

// joined prints every element of a list, with commas between them.
func joined[T any](list []T, show func(T) string) string {
	parts := make([]string, len(list))
	for i, x := range list {
		parts[i] = show(x)
	}
	return strings.Join(parts, ", ")
}

// bracketed is joined between parentheses, "" for an empty list.
func bracketed[T any](list []T, show func(T) string) string {
	return when(len(list) > 0, "("+joined(list, show)+")")
}

func showExpr(e expr.Expr) string { return e.String() }

// optional prints an expression that may be missing.
func optional(e expr.Expr) string {
	if e == nil {
		return ""
	}
	return e.String()
}

func quoted(text string) string { return when(text != "", lex.QuoteString(text)) }

// String returns the name as it must be written.
func (n Ident) String() string { return when(n.Name != "", expr.QuoteName(n.Name)) }

// String returns the name as it must be written.
func (n TableName) String() string {
	if n.Database.Name != "" {
		return n.Database.String() + "." + n.Table.String()
	}
	return n.Table.String()
}

// String returns the option as OPTIONS (…) holds it.
func (o Option) String() string {
	return lex.QuoteString(o.Key.Name) + " = " + lex.QuoteString(o.Value.Name)
}

func optionList(keyword string, list []Option) string {
	if list == nil {
		return ""
	}
	return keyword + " (" + joined(list, Option.String) + ")"
}

// String returns the column as CREATE TABLE holds it.
func (c ColumnDef) String() string {
	typ := ""
	if c.TypeAt.Line > 0 {
		typ = c.Type.SQL()
	}
	return words(c.Name.String(), typ, when(c.NotNull, "NOT NULL"), clause("DEFAULT", optional(c.Default)), clause("COMMENT", quoted(c.Comment)))
}

// provider prints a name whose dots are part of it.
func providerText(p Ident) string {
	parts := strings.Split(p.Name, ".")
	for i, part := range parts {
		parts[i] = expr.QuoteName(part)
	}
	return when(p.Name != "", strings.Join(parts, "."))
}

// String returns the statement as Spark SQL.
func (s *SelectStmt) String() string { return s.Query.String() }

// String returns the statement as Spark SQL.
func (s *CreateTable) String() string {
	as := ""
	if s.As != nil {
		as = "AS " + s.As.String()
	}
	return words("CREATE", when(s.Replace, "OR REPLACE"), "TABLE", when(s.IfNotExists, "IF NOT EXISTS"), s.Name.String(),
		bracketed(s.Columns, ColumnDef.String), clause("USING", providerText(s.Provider)), optionList("OPTIONS", s.Options),
		clause("COMMENT", quoted(s.Comment)), optionList("TBLPROPERTIES", s.Properties), as)
}

// String returns the statement as Spark SQL.
func (s *CreateView) String() string {
	as := ""
	if s.Query != nil {
		as = "AS " + s.Query.String()
	}
	return words("CREATE", when(s.Replace, "OR REPLACE"), when(s.Temporary, "TEMPORARY"), "VIEW", when(s.IfNotExists, "IF NOT EXISTS"),
		s.Name.String(), bracketed(s.Columns, ColumnDef.String), clause("USING", providerText(s.Provider)), optionList("OPTIONS", s.Options),
		clause("COMMENT", quoted(s.Comment)), optionList("TBLPROPERTIES", s.Properties), as)
}

// String returns the statement as Spark SQL.
func (s *DropTable) String() string {
	return words("DROP TABLE", when(s.IfExists, "IF EXISTS"), s.Name.String(), when(s.Purge, "PURGE"))
}

// String returns the statement as Spark SQL.
func (s *DropView) String() string {
	return words("DROP VIEW", when(s.IfExists, "IF EXISTS"), s.Name.String())
}

// String returns the statement as Spark SQL.
func (s *AlterTable) String() string {
	rename := ""
	if s.RenameTo != nil {
		rename = "RENAME TO " + s.RenameTo.String()
	}
	key := func(id Ident) string { return lex.QuoteString(id.Name) }
	return words("ALTER TABLE", s.Name.String(), rename, optionList("SET OPTIONS", s.SetOptions), optionList("SET TBLPROPERTIES", s.SetProperties),
		clause("UNSET OPTIONS", bracketed(s.UnsetOptions, key)), clause("UNSET TBLPROPERTIES", bracketed(s.UnsetProperties, key)),
		clause("ADD COLUMNS", bracketed(s.AddColumns, ColumnDef.String)))
}

// String returns the statement as Spark SQL.
func (s *TruncateTable) String() string { return "TRUNCATE TABLE " + s.Name.String() }

// String returns the statement as Spark SQL.
func (s *RefreshTable) String() string { return "REFRESH TABLE " + s.Name.String() }

// String returns the statement as Spark SQL.
func (s *Show) String() string {
	table := s.Table.String()
	if s.Kind == ShowColumns {
		table = "IN " + table
	}
	return words("SHOW", string(s.Kind), clause("IN", s.Database.String()), table, clause("LIKE", quoted(s.Like)))
}

// String returns the statement as Spark SQL.
func (s *CreateDatabase) String() string {
	return words("CREATE DATABASE", when(s.IfNotExists, "IF NOT EXISTS"), s.Name.String(), clause("COMMENT", quoted(s.Comment)))
}

// String returns the statement as Spark SQL.
func (s *DropDatabase) String() string {
	return words("DROP DATABASE", when(s.IfExists, "IF EXISTS"), s.Name.String(), when(s.Cascade, "CASCADE"))
}

// String returns the statement as Spark SQL.
func (s *Use) String() string { return "USE DATABASE " + s.Name.String() }

// String returns the statement as Spark SQL.
func (s *Describe) String() string {
	extended := when(s.Extended, "EXTENDED")
	switch {
	case s.Query != nil:
		return "DESCRIBE QUERY " + s.Query.String()
	case s.Table != nil:
		return words("DESCRIBE TABLE", extended, s.Table.String())
	default:
		return words("DESCRIBE FUNCTION", extended, lex.QuoteString(s.Function.Name))
	}
}

// String returns the statement as Spark SQL.
func (s *Explain) String() string {
	return words("EXPLAIN", when(s.Extended, "EXTENDED"), when(s.Analyze, "ANALYZE"), s.Statement.String())
}

// String returns the statement as Spark SQL.
func (s *Insert) String() string {
	verb := "INSERT INTO"
	if s.Overwrite {
		verb = "INSERT OVERWRITE"
	}
	return words(verb, s.Table.String(), when(s.ByName, "BY NAME"), bracketed(s.Columns, Ident.String), s.Query.String())
}

// String returns the statement as Spark SQL.
func (s *InsertDirectory) String() string {
	return words("INSERT OVERWRITE DIRECTORY", lex.QuoteString(s.Path.Name), "USING", providerText(s.Provider), optionList("OPTIONS", s.Options),
		s.Query.String())
}

// String returns the assignment as SET holds it.
func (a Assignment) String() string {
	if a.Value == nil {
		return a.Column.String() + " = DEFAULT"
	}
	value := a.Value.String()
	if strings.EqualFold(value, "DEFAULT") {
		value = "`" + value + "`" // a column of that name
	}
	return a.Column.String() + " = " + value
}

// String returns the statement as Spark SQL.
func (s *Update) String() string {
	return words("UPDATE", s.Table.String(), clause("AS", aliasText(s.Alias)), "SET", joined(s.Set, Assignment.String), clause("WHERE", optional(s.Where)))
}

// String returns the statement as Spark SQL.
func (s *Delete) String() string {
	return words("DELETE FROM", s.Table.String(), clause("AS", aliasText(s.Alias)), clause("WHERE", optional(s.Where)))
}

func aliasText(name string) string { return when(name != "", expr.QuoteName(name)) }

// String returns the statement as Spark SQL.
func (s *Merge) String() string {
	parts := []string{"MERGE INTO", s.Table.String(), clause("AS", aliasText(s.Alias)), "USING", s.Source.String(), "ON", s.On.String()}
	for _, w := range s.Whens {
		parts = append(parts, w.String())
	}
	return words(parts...)
}

// String returns the clause as Spark SQL.
func (w MergeWhen) String() string {
	action := string(w.Action)
	switch {
	case w.Action == MergeUpdate && w.All:
		action += " SET *"
	case w.Action == MergeUpdate:
		action += " SET " + joined(w.Set, Assignment.String)
	case w.Action == MergeInsert && w.All:
		action += " *"
	case w.Action == MergeInsert:
		action = words(action, bracketed(w.Columns, Ident.String), "VALUES ("+joined(w.Values, showExpr)+")")
	}
	return words("WHEN", when(!w.Matched, "NOT"), "MATCHED", when(w.BySource, "BY SOURCE"), clause("AND", optional(w.Cond)), "THEN", action)
}

// String returns the statement as Spark SQL.
func (s *UndoJob) String() string { return "UNDO JOB " + lex.QuoteString(s.ID.Name) }

// String returns the statement as Spark SQL.
func (s *Set) String() string {
	if s.Verbose {
		return "SET -v"
	}
	return words("SET", keyText(s.Key), when(s.Assign, "= "+setValue(s.Value)))
}

// String returns the statement as Spark SQL.
func (s *Reset) String() string { return words("RESET", keyText(s.Key)) }

// keyText prints a key of SET: plain where it reads back as the same, else as
// a quoted name.
func keyText(k Ident) string {
	if k.Name == "" {
		return ""
	}
	for _, part := range strings.Split(k.Name, ".") {
		if part == "" || part != expr.QuoteName(part) && !lex.Reserved(part) {
			return "`" + strings.ReplaceAll(k.Name, "`", "``") + "`"
		}
	}
	return k.Name
}

// setValue prints a value of SET: between quotes where it would not read back
// as it is.
func setValue(v string) string {
	t, err := lex.One("", "SET k = "+v+" ;")
	if err != nil || len(t.Tokens) < 4 || t.Rest != len(t.Src) {
		return lex.QuoteString(v)
	}
	if p := newParser(t); v != p.set().(*Set).Value {
		return lex.QuoteString(v)
	}
	return v
}

// String returns the statement as eslake reads it.
func (s *Source) String() string { return "SOURCE " + lex.QuoteString(s.Path.Name) }

// String returns the statement as eslake reads it.
func (s *Assert) String() string {
	return "ASSERT " + s.Cond.String() + when(s.Message != "", ", "+quoted(s.Message))
}
