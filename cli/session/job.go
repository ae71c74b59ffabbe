package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
)

// jobs is what a session knows of its jobs.
type jobs struct {
	store   *job.Store
	series  string // of --job-id; "" for none
	count   int    // writing statements of the series so far
	running running
	told    map[string]bool // tables whose interrupted jobs were spoken of
}

// running is the writing statement at hand.
type running struct {
	statement sql.Statement
	name      string       // within the series; "" for none
	journal   *job.Journal // of a job that is resumed; nil for a new one
	record    *job.Record  // what the job did before; nil for a new one
}

func newJobs(stateDir string) jobs {
	return jobs{store: job.Open(filepath.Join(stateDir, "jobs")), told: map[string]bool{}}
}

// Jobs returns the journals of all sessions.
func (s *Session) Jobs() *job.Store { return s.jobs.store }

// SetSeries names the jobs of the statements that follow: name/1, name/2 and so
// on. One that is done is left out, one that broke off is resumed.
func (s *Session) SetSeries(name string) { s.jobs.series, s.jobs.count = name, 0 }

// earlier returns what the job did before it was resumed, nil when it begins.
func (s *Session) earlier() *job.Record { return s.jobs.running.record }

// writes reports whether a statement is a job.
func writes(st sql.Statement) bool {
	switch st := st.(type) {
	case *sql.Insert, *sql.TruncateTable, *sql.Update, *sql.Delete, *sql.Merge, *sql.UndoJob:
		return true
	case *sql.CreateTable:
		return st.As != nil
	case *sql.DropTable:
		return st.Purge
	}
	return false
}

// begin opens the journal of the statement at hand, or goes on in that of the job
// that is resumed. The caller gives what it knows of it: the statement's text and
// target, under the id that jobID returned; finish ends it.
func (s *Session) begin(start job.Start) (*job.Journal, error) {
	r := s.jobs.running
	if r.journal != nil {
		return r.journal, nil
	}
	start.Name = r.name
	start.Text = fingerprint(r.statement)
	start.Statement, start.Hidden = s.redacted(start.Statement)
	start.Database, start.Now = s.cfg.Catalog.Current(), s.cfg.Now().UTC()
	start.Settings = map[string]string{}
	for k, v := range s.settings.values {
		start.Settings[k] = catalog.Redact(k, v)
	}
	start.Folder, _ = os.Getwd() // only for a hint
	s.tellInterrupted(start)
	j, err := s.jobs.store.Begin(start)
	if errors.Is(err, job.ErrTaken) {
		return nil, &job.Error{Op: "begin", Job: start.Name, Err: job.ErrRunning, Hint: "wait until it ends, or give this run a --job-id of its own"}
	}
	return j, err
}

// redacted hides the secrets of a statement's text.
func (s *Session) redacted(text string) (shown string, hidden bool) {
	if s.cfg.Redact == nil {
		return text, false
	}
	shown = s.cfg.Redact(text)
	return shown, shown != text
}

// fingerprint tells whether a statement is the one that it was before.
func fingerprint(st sql.Statement) string {
	sum := sha256.Sum256([]byte(st.String()))
	return hex.EncodeToString(sum[:8])
}

// finish writes how the statement ended and frees the job. That its rows are
// written is not undone by a journal that cannot say so.
func (s *Session) finish(j *job.Journal, out job.Outcome) {
	if err := errors.Join(j.Finish(out), j.Close()); err != nil {
		s.notice(fmt.Sprintf("%v; the job shows as interrupted, though it came to its end", err))
	}
}

// tellInterrupted says, once for each table, that a job on it broke off.
func (s *Session) tellInterrupted(start job.Start) {
	if s.jobs.told[start.Table] {
		return
	}
	s.jobs.told[start.Table] = true
	list, err := s.jobs.store.Unfinished()
	if err != nil {
		return // the new job says what is wrong with the folder
	}
	for _, r := range list {
		if r.State == job.Interrupted && r.Table == start.Table && r.Source == start.Source {
			next := ""
			if Next(&r) == "eslake jobs resume "+r.ID {
				next = Next(&r) + " goes on with it, "
			}
			s.warn(fmt.Sprintf("job %s on %s, begun %s, broke off: %seslake jobs show %[1]s tells more", r.ID, r.Table, clock(r.Began), next))
		}
	}
}

// warn tells what a person should know at once.
func (s *Session) warn(text string) {
	if s.cfg.Warn != nil {
		s.cfg.Warn(text)
		return
	}
	s.notice(text)
}

// next runs the next writing statement of a series: it begins, goes on, or is
// done already.
func (s *Session) next(ctx context.Context, st sql.Statement) (Result, error) {
	s.jobs.count++
	name := fmt.Sprintf("%s/%d", s.jobs.series, s.jobs.count)
	r, err := s.jobs.store.Named(name)
	switch {
	case err != nil:
		return Result{}, err
	case r == nil:
		s.jobs.running.name = name
		return s.dispatch(ctx, st)
	case r.Text != fingerprint(st):
		return Result{}, &job.Error{
			Op: "repeat", Job: name, Err: fmt.Errorf("the statement is another one than before, which was: %s", cut(r.Statement)),
			Hint: "a script that was changed needs another --job-id",
		}
	case r.Finished():
		return Result{Message: fmt.Sprintf("job %s: left out, it was done %s (%s)", name, clock(r.Last), either(r.Outcome.Message, r.ID))}, nil
	}
	s.warn(fmt.Sprintf("job %s broke off and goes on behind row %d", name, r.Acked))
	return s.resume(ctx, r.ID, false)
}

func either(value, otherwise string) string {
	if value != "" {
		return value
	}
	return otherwise
}

// clock writes a time for a person.
func clock(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") }

// cut keeps a text on one line of a readable length.
func cut(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 120 {
		return string(runes[:119]) + "…"
	}
	return text
}

// Resume goes on with a job that broke off or failed, given its id or the
// beginning of it, with the database and the settings that it began with.
func (s *Session) Resume(ctx context.Context, id string) (Result, error) {
	s.forgetNotices()
	res, err := s.resume(ctx, id, true)
	res.Notices = append(res.Notices, s.noticed()...)
	return res, err
}

// resume plans the statement of a job once more and runs it on from where it
// stopped. With restore the session is for that time as it was when the job began.
func (s *Session) resume(ctx context.Context, id string, restore bool) (Result, error) {
	j, r, err := s.jobs.store.Resume(id)
	if err != nil {
		return Result{}, resumeHint(err)
	}
	s.jobs.running = running{journal: j, record: r}
	defer func() {
		s.jobs.running = running{}
		_ = j.Close() // a statement that got as far as finish closed it
	}()
	if r.Hidden {
		return Result{}, &job.Error{Op: "resume", Job: r.ID, Err: errors.New("its statement has secrets, which the journal does not keep"), Hint: "run the script again with the same --job-id"}
	}
	st, err := parseOne(r.Statement)
	if err != nil {
		return Result{}, &job.Error{Op: "resume", Job: r.ID, Err: err}
	}
	s.jobs.running.statement = st
	if restore {
		back, err := s.restore(r)
		if err != nil {
			return Result{}, err
		}
		defer back()
	}
	res, err := s.dispatch(ctx, st)
	if folder, _ := os.Getwd(); err != nil && r.Folder != "" && folder != r.Folder && r.Snapshot != nil && relative(r.Snapshot.Files) {
		err = fmt.Errorf("%w; the job began in the folder %s", err, r.Folder)
	}
	return res, err
}

func relative(files []job.File) bool {
	for _, f := range files {
		if !filepath.IsAbs(f.Path) {
			return true
		}
	}
	return false
}

func resumeHint(err error) error {
	var e *job.Error
	if errors.As(err, &e) && errors.Is(err, job.ErrFinished) {
		e.Hint = "eslake jobs show " + e.Job + " tells what it did"
	}
	return err
}

func parseOne(text string) (sql.Statement, error) {
	for t, err := range lex.Split("", []byte(text)) {
		if err != nil {
			return nil, err
		}
		return sql.Parse(t)
	}
	return nil, errors.New("it has no statement")
}

// restore gives the session the database and the settings of a job, and returns
// how to go back.
func (s *Session) restore(r *job.Record) (back func(), err error) {
	values := map[string]string{}
	for k, v := range r.Settings {
		if strings.Contains(v, catalog.Hidden) {
			now, ok := s.settings.values[k]
			if !ok {
				return nil, &job.Error{Op: "resume", Job: r.ID, Err: fmt.Errorf("it began with a secret in %s, which the journal does not keep", k), Hint: "give it again: --set " + k + "=…"}
			}
			v = now
		}
		values[k] = v
	}
	database, settings := s.cfg.Catalog.Current(), s.settings.values
	if err := s.cfg.Catalog.Use(r.Database); err != nil {
		return nil, &job.Error{Op: "resume", Job: r.ID, Err: err}
	}
	s.settings.values = values
	return func() {
		s.settings.values = settings
		_ = s.cfg.Catalog.Use(database) // it was there before
	}, nil
}

// startOf describes a planned write for its journal.
func (s *Session) startOf(ctx context.Context, plan *planner.Insert, kind, text string) (job.Start, error) {
	w := plan.Job.Write
	ids := "column " + w.ID
	if w.ID == "" {
		ids = w.IDPrefix + "<row>"
	}
	start := job.Start{
		ID: plan.Job.ID, Kind: kind, Statement: text, Table: plan.Table.Database + "." + plan.Table.Name, Source: plan.Job.Source.String(),
		Index: w.Index, IDs: ids, Snapshot: &job.Snapshot{Way: string(plan.Job.Way)}, Rejects: plan.Job.Rejects,
	}
	if info, err := os.Stat(plan.Job.Rejects); err == nil {
		start.RejectsAt = info.Size()
	}
	files, err := planner.Files(plan.Input)
	if err != nil {
		return start, err
	}
	start.Snapshot.Files, err = job.Look(ctx, files, plan.Job.Way != exec.Whole)
	return start, err
}

// check refuses to go on when what a job reads, or where it writes to, is not
// what it was.
func check(r *job.Record, now job.Start) error {
	refuse := func(hint, format string, args ...any) error {
		return &job.Error{Op: "resume", Job: r.ID, Err: fmt.Errorf(format, args...), Hint: hint}
	}
	switch {
	case place(r.Source) != place(now.Source):
		return refuse("connect as before: --url, --lake or es.nodes", "it writes to %s, this session to %s", r.Source, now.Source)
	case r.Index != now.Index:
		return refuse("", "it writes to index %s, table %s is bound to %s now", r.Index, now.Table, now.Index)
	case r.IDs != now.IDs:
		return refuse("", "its ids come from %s, those of table %s from %s now", r.IDs, now.Table, now.IDs)
	case r.Snapshot == nil:
		return nil
	}
	_, kept := r.Step(job.StepSpooled)
	if changed := job.Changed(r.Snapshot.Files, now.Snapshot.Files); changed != "" && !kept {
		return refuse("put the file back, or run the statement again and eslake jobs clean "+r.ID, "%s", changed)
	}
	if r.Snapshot.Way != now.Snapshot.Way {
		return refuse("run the statement again", "a resume of it %s; now it %s", r.Snapshot.Way, now.Snapshot.Way)
	}
	if !exec.Way(r.Snapshot.Way).Resumable() {
		return refuse(insteadOf(r), "resuming it %s", r.Snapshot.Way)
	}
	return nil
}

// insteadOf says what to do about a job that cannot be resumed.
func insteadOf(r *job.Record) string {
	forget := ", then eslake jobs clean " + r.ID + " forgets the job"
	if r.Sent == 0 && !r.Cut {
		return "it had sent nothing: run the statement again" + forget
	}
	known := fmt.Sprintf("%s of its rows were taken for certain, %s more may have been", thousands(r.Acked), thousands(r.Sent-r.Acked))
	if r.Cut {
		known = fmt.Sprintf("%s of its rows were taken for certain, and nobody knows how many more, since the machine began anew meanwhile", thousands(r.Acked))
	}
	if exec.Way(r.Snapshot.Way) == exec.Scripted {
		return known + ": look at their documents, write those that are left by a statement of their own" + forget
	}
	if strings.HasPrefix(r.IDs, r.ID) {
		return fmt.Sprintf("%s: DELETE those WHERE _id LIKE '%s-%%', and run the statement again%s", known, r.ID, forget)
	}
	return known + ": run the statement again; with es.write.operation create the rows that are there are rejected" + forget
}

// place is a source's address, without the version in its name.
func place(source string) string {
	if _, address, ok := strings.Cut(source, " at "); ok {
		return address
	}
	return source
}

// committed finishes a job whose rows were taken, in one transaction, by the run
// that did not come to say so.
func (s *Session) committed(ctx context.Context, source esds.Source, id string) (*esds.Report, error) {
	atomic, ok := source.(esds.Atomic)
	if !ok || s.earlier() == nil {
		return nil, nil
	}
	return atomic.Committed(ctx, id)
}
