// Package job keeps the journal of writing statements: what each was to do, how
// far it came, and how it ended, so that it can be resumed after a crash,
// undone, or cleaned away.
//
// A job is a folder. Its file journal.ndjson has one JSON object a line, with a
// time, and is only ever appended to: the start, named steps, how far the rows
// are settled, the end. A line that a crash cut off is ignored. Beside it lie
// files that the statement needs: rejected rows, spooled rows, saved documents.
package job

import (
	"errors"
	"fmt"
	"time"

	"github.com/eslake/eslake/esds"
)

// The kinds of statements that write.
const (
	Insert    = "INSERT"
	Overwrite = "OVERWRITE"
	Update    = "UPDATE"
	Delete    = "DELETE"
	Merge     = "MERGE"
	Truncate  = "TRUNCATE"
	Drop      = "DROP"
	Undo      = "UNDO"
)

// The files of a job's folder that more than one package knows.
const (
	RejectsFile = "rejects.ndjson" // rows that the source did not accept
	SpoolFile   = "spool"          // rows of a source that cannot be read again
)

// The steps that more than one package knows, and their facts.
const (
	StepSpooled   = "rows kept"        // rows: how many
	StepMade      = "index made"       // index: its name
	StepMet       = "index met"        // index: its name; uuid: what tells it from another of that name, "" unknown
	StepForbidden = "writes forbidden" // indices: names of those that have got index.blocks.write. Written before they get it
	StepAllowed   = "writes allowed"   // indices: those that have it no more
	StepStaging   = "staging index"    // index: its name; for: that of its target; absent: the target was not there. Written before it is made
)

// Start is what is known of a job before it writes. Nothing in it is secret.
type Start struct {
	ID        string            `json:"id"`             // of the job; also the name of its folder
	Name      string            `json:"name,omitempty"` // of --job-id, with the statement's number
	Kind      string            `json:"kind"`
	Statement string            `json:"statement"`            // the text, secrets hidden
	Hidden    bool              `json:"hidden,omitempty"`     // the text had secrets, so that it cannot be run again from here
	Text      string            `json:"text,omitempty"`       // a fingerprint of the text as it was written
	Database  string            `json:"database,omitempty"`   // the current one
	Settings  map[string]string `json:"settings,omitempty"`   // SET values, secrets hidden
	Now       time.Time         `json:"now,omitzero"`         // the statement's current_timestamp
	Table     string            `json:"table"`                // with its database
	Source    string            `json:"source"`               // the cluster or the lake
	Index     string            `json:"index"`                // as the table names it
	IDs       string            `json:"ids,omitempty"`        // where the ids of documents come from
	Folder    string            `json:"folder,omitempty"`     // that relative paths begin in
	Snapshot  *Snapshot         `json:"snapshot,omitempty"`   // of what is read; nil when nothing is
	Rejects   string            `json:"rejects,omitempty"`    // path of the file that rejected rows are added to
	RejectsAt int64             `json:"rejects_at,omitempty"` // its size before
}

// Snapshot is what a statement read, as it was when the statement began.
type Snapshot struct {
	Way   string `json:"way"` // how a resume comes to the same rows, for a person
	Files []File `json:"files,omitempty"`
}

// File is a file that a statement reads.
type File struct {
	Path  string    `json:"path"`
	Size  int64     `json:"size"`
	Time  time.Time `json:"time"`
	Check string    `json:"check"` // a fingerprint of the content
}

// Step is a named point of a job that was reached.
type Step struct {
	Time  time.Time
	Name  string
	Facts map[string]any // as JSON decodes them: numbers are float64
}

// Outcome is how a run of a job ended.
type Outcome struct {
	Error    string      `json:"error,omitempty"` // "" when the statement came to its end
	Message  string      `json:"message,omitempty"`
	Counts   esds.Report `json:"counts"`             // of all runs together
	Rejects  string      `json:"rejects,omitempty"`  // path of the file of rejected rows; "" for none
	Changes  string      `json:"changes,omitempty"`  // path of the file of saved documents; "" for none
	Replaced int64       `json:"replaced,omitempty"` // documents that were there before an overwrite
}

// State is where a job stands.
type State string

// The states of a job.
const (
	Running     State = "running"     // a process works on it
	Interrupted State = "interrupted" // the process ended without saying how
	Failed      State = "failed"      // it ended with an error, and can be resumed
	Done        State = "done"
	Undone      State = "undone" // done, and put back by another job
)

// Record is a job as its journal tells it.
type Record struct {
	Start
	State    State
	Began    time.Time
	Last     time.Time // of the last line
	Runs     int       // how often it was begun or resumed
	Steps    []Step
	Acked    int64       // rows from the first that are settled
	Settled  esds.Report // what became of them
	Sent     int64       // rows from the first that may have been sent by the last run
	Outcome  *Outcome    // of the last run; nil while it runs and after a crash
	UndoneBy string      // job that put the documents back; "" for none
	Dir      string      // the job's folder

	// Cut: the machine began anew since a run of the job, or the job is on another one,
	// so the journal may lack what that run wrote last: rows after Sent may have been
	// sent too.
	Cut  bool
	boot string // of the last run, "" when nobody knows or it came to its end
}

// Step returns the last step of the name.
func (r *Record) Step(name string) (Step, bool) {
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if r.Steps[i].Name == name {
			return r.Steps[i], true
		}
	}
	return Step{}, false
}

// Forbidden returns the indices that the job may have forbidden to write, and did
// not allow again.
func (r *Record) Forbidden() []string {
	var names []string
	for _, s := range r.Steps {
		switch s.Name {
		case StepAllowed:
			names = nil
		case StepForbidden:
			names = nil
			list, _ := s.Facts["indices"].([]any)
			for _, x := range list {
				if name, ok := x.(string); ok {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// Finished reports whether there is nothing to resume.
func (r *Record) Finished() bool { return r.State == Done || r.State == Undone }

// The causes that callers ask for with errors.Is.
var (
	ErrRunning  = errors.New("another process works on it")
	ErrFinished = errors.New("it is done")
	ErrNotFound = errors.New("there is no such job")
	ErrTaken    = errors.New("the name is taken")
)

// Error is a job or a journal that cannot be used.
type Error struct {
	Op   string // read, write, resume, remove
	Job  string // id, or what was given for one
	Err  error
	Hint string
}

// Error names the job and the cause.
func (e *Error) Error() string { return fmt.Sprintf("%s job %s: %v", e.Op, e.Job, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// Counts is what became of the rows so far: by the outcome, or by what was
// acknowledged.
func (r *Record) Counts() esds.Report {
	if r.Outcome != nil {
		return r.Outcome.Counts
	}
	return r.Settled
}
