package exec

import "github.com/eslake/eslake/esds"

// stepAnew is the journal's step of a job that begins at its first row again, with
// what the runs before are known to have done.
const stepAnew = "begun again" // created, updated, deleted: acknowledged by all runs before

// beginAgain forgets how far the runs before came, but not what they did: a
// document that one of them made is there when its row is written again.
func (j *Job) beginAgain() error {
	j.journal.Restart()
	if j.Way != Again || j.Earlier == nil {
		return nil
	}
	done := j.Earlier.Settled
	if s, ok := j.Earlier.Step(stepAnew); ok {
		number := func(name string) int64 { n, _ := s.Facts[name].(float64); return int64(n) }
		done.Created += number("created")
		done.Updated += number("updated")
		done.Deleted += number("deleted")
	}
	if err := j.journal.Ack(0, esds.Report{}); err != nil { // else they would be added once more after the next crash
		return err
	}
	j.done = esds.Report{Created: done.Created, Updated: done.Updated, Deleted: done.Deleted}
	return j.step(stepAnew, map[string]any{"created": done.Created, "updated": done.Updated, "deleted": done.Deleted})
}

// withDone counts rows by what the first run did with them that wrote them: a
// later one found the document as it was to be.
func (j *Job) withDone(r esds.Report) esds.Report {
	from := &r.Noop // of updates, upserts and deletes
	if a := j.Write.Action; a == "" || a == esds.IndexDoc {
		from = &r.Updated
	}
	take := func(to *int64, n int64) {
		n = min(n, *from)
		*from -= n
		*to += n
	}
	take(&r.Created, j.done.Created)
	if from == &r.Noop {
		take(&r.Updated, j.done.Updated)
		take(&r.Deleted, j.done.Deleted)
	}
	return r
}

// keepSent keeps in the journal which rows a resume, or a person, must doubt: those
// that may have been sent. Where it begins at the first row again it need not know.
func (j *Job) keepSent(w esds.Write) esds.Write {
	if j.journal != nil && !j.Way.restarts() {
		w.Sent = j.journal.Sent
	}
	return w
}

// AgainNote says, of a job that was begun again, what its counts cannot tell; "" for
// other jobs.
func (j *Job) AgainNote() string {
	if j.Way != Again || j.Earlier == nil {
		return ""
	}
	return "the job was begun again: what it had written shortly before it broke off, without an acknowledgement, counts as updated or unchanged"
}
