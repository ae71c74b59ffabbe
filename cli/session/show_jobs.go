package session

import (
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql/row"
)

// showJobs lists the jobs of all sessions, the newest first.
func (s *Session) showJobs() (Result, error) {
	list, err := s.jobs.store.List()
	if err != nil {
		return Result{}, err
	}
	schema := row.Schema{
		{Name: "job", Type: row.StringType},
		{Name: "name", Type: row.StringType},
		{Name: "kind", Type: row.StringType},
		{Name: "table", Type: row.StringType},
		{Name: "state", Type: row.StringType},
		{Name: "began", Type: row.TimestampType},
		{Name: "rows", Type: row.BigIntType},
		{Name: "rejected", Type: row.BigIntType},
		{Name: "next", Type: row.StringType},
	}
	b := row.NewBatch(schema)
	for _, r := range list {
		counts := r.Counts()
		if err := b.AppendRow(r.ID, orNull(r.Name), r.Kind, r.Table, string(r.State), r.Began.UTC().Format("2006-01-02 15:04:05"), counts.Rows, counts.Rejected, orNull(Next(&r))); err != nil {
			return Result{}, err
		}
	}
	return Result{Rows: row.NewBatches(schema, b)}, nil
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Next is the command that goes on with a job, "" when there is nothing to do.
func Next(r *job.Record) string {
	if r.State == job.Interrupted || r.State == job.Failed {
		if r.Snapshot != nil && !exec.Way(r.Snapshot.Way).Resumable() {
			return "eslake jobs show " + r.ID
		}
		return "eslake jobs resume " + r.ID
	}
	return ""
}
