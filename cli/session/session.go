// Package session runs statements one after the other: it keeps the settings and
// the catalog between them, plans each, and hands its rows on. It knows no
// terminal.
package session

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"sync"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// Config is what a session works with.
type Config struct {
	Catalog  *catalog.Catalog
	Sources  planner.Sources
	Engine   *duck.Engine
	Safety   Safety                  // what keeps documents from being changed by mistake
	Settings map[string]string       // SET values to begin with and to RESET to; nil for none
	StateDir string                  // folder of the jobs
	Redact   func(sql string) string // hides the secrets of a text that is kept; nil for none
	Now      func() time.Time        // nil: time.Now
	Progress func(Progress)          // of running writes; nil for none
	Warn     func(text string)       // what a person should know while a statement runs; nil: with its result
}

// Session is one user's sequence of statements. It is for one goroutine.
type Session struct {
	cfg      Config
	settings settings
	jobs     jobs

	telling sync.Mutex // of what follows
	notices []string
	told    map[string]bool // of the statement
}

// Result is what a statement gave.
type Result struct {
	Rows    row.Reader // nil when the statement has none; the caller reads and closes it
	Message string     // what was done, for the person; "" for none
	Notices []string   // what the person should know besides
}

// New returns a session. The catalog, the sources and the engine stay the
// caller's to close.
func New(cfg Config) *Session {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Session{cfg: cfg, settings: newSettings(cfg.Settings), jobs: newJobs(cfg.StateDir)}
}

// Exec runs a statement. An error of a write that some rows survived is an
// *exec.PartialError or *exec.StoppedError; the result is valid with it.
func (s *Session) Exec(ctx context.Context, st sql.Statement) (Result, error) {
	s.forgetNotices()
	s.told = map[string]bool{}
	res, err := s.exec(esds.WithNotice(ctx, s.tell), st)
	if res.Rows != nil {
		res.Rows = heard{res.Rows, s}
		if z, err := s.env().Zone(); err == nil && z != nil {
			res.Rows = zoned{res.Rows, z}
		}
	}
	res.Notices = append(res.Notices, s.noticed()...)
	return res, err
}

// exec runs a statement; one that writes is a job.
func (s *Session) exec(ctx context.Context, st sql.Statement) (Result, error) {
	if !writes(st) {
		return s.dispatch(ctx, st)
	}
	s.jobs.running = running{statement: st}
	defer func() { s.jobs.running = running{} }()
	if s.jobs.series != "" {
		return s.next(ctx, st)
	}
	return s.dispatch(ctx, st)
}

func (s *Session) dispatch(ctx context.Context, st sql.Statement) (Result, error) {
	switch st := st.(type) {
	case *sql.SelectStmt:
		return s.query(ctx, st.Query)
	case *sql.Insert:
		return s.insert(ctx, st)
	case *sql.InsertDirectory:
		return s.insertDirectory(ctx, st)
	case *sql.TruncateTable:
		return s.truncate(ctx, st)
	case *sql.Show:
		return s.show(ctx, st)
	case *sql.Describe:
		return s.describe(ctx, st)
	case *sql.Explain:
		return s.explain(ctx, st)
	case *sql.Set:
		return s.set(st)
	case *sql.Reset:
		return s.reset(st)
	case *sql.Assert:
		return s.assert(ctx, st)
	default:
		return s.define(ctx, st)
	}
}

// define runs the statements that change the catalog, and refuses the rest.
func (s *Session) define(ctx context.Context, st sql.Statement) (Result, error) {
	switch st := st.(type) {
	case *sql.CreateTable:
		return s.createTable(ctx, st)
	case *sql.CreateView:
		return s.createView(ctx, st)
	case *sql.DropTable:
		return s.dropTable(ctx, st)
	case *sql.DropView:
		return s.dropView(st)
	case *sql.AlterTable:
		return s.alterTable(ctx, st)
	case *sql.RefreshTable:
		return s.refresh(ctx, st)
	case *sql.CreateDatabase, *sql.DropDatabase, *sql.Use:
		return s.database(st)
	case *sql.Update, *sql.Delete, *sql.Merge:
		return s.modify(ctx, st)
	case *sql.UndoJob:
		return s.undo(ctx, st)
	default:
		return Result{}, later(st)
	}
}

// later refuses a statement that parses but is not built yet.
func later(st sql.Statement) error {
	at, word := st.Span(), "this statement"
	switch st.(type) {
	case *sql.Source:
		word = "SOURCE inside a statement"
	}
	return &lex.Error{Code: "E2190", Span: at, Message: word + " is not supported yet"}
}

// env is what planning a statement needs. A job that is resumed has the time that
// it began with.
func (s *Session) env() *planner.Env {
	now := s.cfg.Now()
	if r := s.earlier(); r != nil && !r.Now.IsZero() {
		now = r.Now
	}
	return &planner.Env{
		Resolver: s.cfg.Catalog, Sources: s.cfg.Sources, Engine: s.cfg.Engine, Database: s.cfg.Catalog.Current(),
		Settings: s.settings.values, Now: now, Notice: s.notice,
	}
}

// query presumes that the indices are still what they were in the statement before.
// Whether they are is seen while its first request is under way.
func (s *Session) query(ctx context.Context, q *sql.Query) (Result, error) {
	presuming, presumed := esds.Presume(ctx)
	rows, err := s.rows(presuming, q)
	if err == nil && presumed.Any() {
		rows.Begin(ctx)
	}
	if !presumed.Holds() {
		if err == nil {
			_ = rows.Close() // what it has read counts for nothing
		}
		s.forgetNotices()
		rows, err = s.rows(ctx, q)
	}
	if err != nil {
		return Result{}, err
	}
	return Result{Rows: rows}, nil
}

func (s *Session) rows(ctx context.Context, q *sql.Query) (*exec.Restarted, error) {
	env := s.env()
	plan, err := planner.PlanQuery(ctx, env, q)
	if err != nil {
		return nil, err
	}
	return exec.NewRestarted(func() *exec.Lazy { return env.Run(plan) }), nil
}

// jobID names a write: its time, so that jobs sort, and enough chance that no
// two are the same. It is lower case, since index names are made of it. A job that
// is resumed keeps its id.
func (s *Session) jobID() string {
	if r := s.earlier(); r != nil {
		return r.ID
	}
	var b [5]byte
	_, _ = rand.Read(b[:]) // never fails
	return s.cfg.Now().UTC().Format("20060102t150405") + "-" + hex.EncodeToString(b[:])
}

// AssertionError is an ASSERT that does not hold.
type AssertionError struct {
	Span    lex.Span
	Message string
}

// Error returns the message.
func (e *AssertionError) Error() string { return "assertion failed: " + e.Message }

func (s *Session) assert(ctx context.Context, st *sql.Assert) (Result, error) {
	env := s.env()
	plan, err := planner.PlanCondition(ctx, env, st.Cond)
	if err != nil {
		return Result{}, err
	}
	rows, err := row.ReadAll(ctx, env.Run(plan))
	if err != nil {
		return Result{}, err
	}
	if len(rows) == 1 && rows[0][0] == true {
		return Result{Message: "ASSERT holds"}, nil
	}
	message := st.Message
	if message == "" {
		message = st.Cond.String()
	}
	return Result{}, &AssertionError{Span: st.Span(), Message: message}
}

// textRows is a result of text columns.
func textRows(names []string, rows [][]any) row.Reader {
	schema := make(row.Schema, len(names))
	for i, n := range names {
		schema[i] = row.Field{Name: n, Type: row.StringType}
		for _, r := range rows {
			if _, ok := r[i].(bool); ok {
				schema[i].Type = row.BooleanType
			}
		}
	}
	b := row.NewBatch(schema)
	for _, r := range rows {
		_ = b.AppendRow(r...) // text and booleans always fit
	}
	return row.NewBatches(schema, b)
}
