// Package sql turns text into statements: Spark's DDL and DML by a grammar of
// its own, the body of each query block through sqlparser.
package sql

import (
	"github.com/eslake/eslake/sql/expr"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Statement is one statement of a script. It prints back as Spark SQL.
type Statement interface {
	Span() lex.Span
	String() string
	stmt()
}

// base is what every statement has: its place in the text.
type base struct{ At lex.Span }

// Span returns the place in the text.
func (b base) Span() lex.Span { return b.At }

func (base) stmt() {}

// Ident is a name in the text: database, table, column.
type Ident struct {
	Name string
	At   lex.Span
}

// TableName is a table or view as written, one or two parts.
type TableName struct {
	Database Ident // "" for the current one
	Table    Ident
}

// Span returns the place in the text.
func (n TableName) Span() lex.Span {
	if n.Database.Name != "" {
		return n.Database.At.To(n.Table.At)
	}
	return n.Table.At
}

// Option is a key and value of OPTIONS (…), TBLPROPERTIES (…) or SET.
type Option struct {
	Key   Ident
	Value Ident // the text of the literal
}

// ColumnDef is a column of CREATE TABLE or ADD COLUMNS.
type ColumnDef struct {
	Name    Ident
	Type    row.Type
	TypeAt  lex.Span
	NotNull bool
	Comment string
	Default expr.Expr // nil for none
}

// SelectStmt is a query as a statement; TABLE t and VALUES too.
type SelectStmt struct {
	base
	Query *Query
}

// CreateTable is CREATE [OR REPLACE] TABLE … USING provider.
type CreateTable struct {
	base
	Name        TableName
	Replace     bool
	IfNotExists bool
	Columns     []ColumnDef
	Provider    Ident // "" when USING is missing
	Options     []Option
	Comment     string
	Properties  []Option
	As          *Query // nil for none
}

// CreateView is CREATE [OR REPLACE] [TEMPORARY] VIEW, of a query or, for a
// temporary one, USING a provider.
type CreateView struct {
	base
	Name        TableName
	Replace     bool
	Temporary   bool
	IfNotExists bool
	Columns     []ColumnDef // names and comments; types only with USING
	Comment     string
	Properties  []Option
	Provider    Ident
	Options     []Option
	Query       *Query // nil with USING
	Text        string // the query as the user wrote it
}

// DropTable is DROP TABLE [IF EXISTS] t [PURGE].
type DropTable struct {
	base
	Name     TableName
	IfExists bool
	Purge    bool
}

// DropView is DROP VIEW [IF EXISTS] v.
type DropView struct {
	base
	Name     TableName
	IfExists bool
}

// AlterTable is one ALTER TABLE; exactly one of the actions is set.
type AlterTable struct {
	base
	Name            TableName
	RenameTo        *TableName
	SetOptions      []Option
	SetProperties   []Option
	UnsetOptions    []Ident
	UnsetProperties []Ident
	AddColumns      []ColumnDef
}

// TruncateTable is TRUNCATE TABLE t.
type TruncateTable struct {
	base
	Name TableName
}

// RefreshTable is REFRESH [TABLE] t.
type RefreshTable struct {
	base
	Name TableName
}

// ShowKind says what a Show lists.
type ShowKind string

// What SHOW can list.
const (
	ShowTables      ShowKind = "TABLES"
	ShowViews       ShowKind = "VIEWS"
	ShowDatabases   ShowKind = "DATABASES"
	ShowColumns     ShowKind = "COLUMNS"
	ShowCreateTable ShowKind = "CREATE TABLE"
	ShowJobs        ShowKind = "JOBS"
	ShowFunctions   ShowKind = "FUNCTIONS"
)

// Show is SHOW TABLES [IN db] [LIKE 'p'], SHOW CREATE TABLE t and the like.
type Show struct {
	base
	Kind     ShowKind
	Database Ident     // of TABLES and VIEWS, "" for the current one
	Table    TableName // of COLUMNS and CREATE TABLE
	Like     string    // "" for all; Spark's pattern: * and |
}

// CreateDatabase is CREATE DATABASE [IF NOT EXISTS] d [COMMENT 'c'].
type CreateDatabase struct {
	base
	Name        Ident
	IfNotExists bool
	Comment     string
}

// DropDatabase is DROP DATABASE [IF EXISTS] d [CASCADE].
type DropDatabase struct {
	base
	Name     Ident
	IfExists bool
	Cascade  bool
}

// Use is USE [DATABASE] d.
type Use struct {
	base
	Name Ident
}

// Describe is DESCRIBE [TABLE] [EXTENDED] t, DESCRIBE QUERY q and DESCRIBE
// FUNCTION f; exactly one of Table, Query and Function is set.
type Describe struct {
	base
	Table    *TableName
	Query    *Query
	Function Ident
	Extended bool
}

// Explain is EXPLAIN [EXTENDED | ANALYZE] statement.
type Explain struct {
	base
	Extended  bool
	Analyze   bool
	Statement Statement
}

// Insert is INSERT INTO or INSERT OVERWRITE a table.
type Insert struct {
	base
	Table     TableName
	Overwrite bool
	Columns   []Ident // nil: all, in order
	ByName    bool
	Query     *Query
}

// InsertDirectory is INSERT OVERWRITE DIRECTORY 'path' USING format SELECT ….
type InsertDirectory struct {
	base
	Path     Ident
	Provider Ident
	Options  []Option
	Query    *Query
}

// Assignment is SET column = value. Column has one part, or more for a field of
// a struct.
type Assignment struct {
	Column *expr.Name
	Value  expr.Expr // nil for DEFAULT
}

// Update is UPDATE t [alias] SET … [WHERE …].
type Update struct {
	base
	Table TableName
	Alias string
	Set   []Assignment
	Where expr.Expr // nil for none
}

// Delete is DELETE FROM t [alias] [WHERE …].
type Delete struct {
	base
	Table TableName
	Alias string
	Where expr.Expr // nil for none
}

// Merge is MERGE INTO t USING s ON … WHEN ….
type Merge struct {
	base
	Table  TableName
	Alias  string
	Source TableExpr
	On     expr.Expr
	Whens  []MergeWhen
}

// MergeWhen is one WHEN clause of a Merge.
type MergeWhen struct {
	Matched  bool
	BySource bool // NOT MATCHED BY SOURCE
	Cond     expr.Expr
	Action   MergeAction
	All      bool // UPDATE SET *, INSERT *
	Set      []Assignment
	Columns  []Ident
	Values   []expr.Expr
}

// MergeAction is what a WHEN clause does.
type MergeAction string

// The actions of MERGE.
const (
	MergeUpdate MergeAction = "UPDATE"
	MergeInsert MergeAction = "INSERT"
	MergeDelete MergeAction = "DELETE"
)

// UndoJob is UNDO JOB 'id'.
type UndoJob struct {
	base
	ID Ident
}

// Set is SET k = v; SET k; SET; SET -v.
type Set struct {
	base
	Key     Ident  // "" lists all
	Value   string // as written, trimmed; quotes of a quoted value removed
	Assign  bool   // false: show the key
	Verbose bool
}

// Reset is RESET [k].
type Reset struct {
	base
	Key Ident // "" for all
}

// Source is SOURCE 'file'.
type Source struct {
	base
	Path Ident
}

// Assert is ASSERT condition [, 'message'].
type Assert struct {
	base
	Cond    expr.Expr
	Message string
}
