package exec

import (
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// meets keeps in the journal which index the rows go to. A resume that leaves out
// the rows of an earlier run must meet the one that has them.
func (j *Job) meets(index, uuid string) error {
	if err := j.sameIndex(index, uuid); err != nil {
		return err
	}
	return j.step(job.StepMet, map[string]any{"index": index, "uuid": uuid})
}

// sameIndex compares an index with what an earlier run met; a uuid of "" is not
// known, or says that the index is not there.
func (j *Job) sameIndex(index, uuid string) error {
	from := j.resumed(esds.Write{}).From
	if from == 0 {
		return nil
	}
	for _, s := range j.Earlier.Steps {
		if s.Name != job.StepMet || s.Facts["index"] != index || s.Facts["uuid"] == "" || s.Facts["uuid"] == uuid {
			continue
		}
		return &esds.Error{
			Op: "resume", Index: index, Err: fmt.Errorf("%w: the one that has the first %d rows was deleted", esds.ErrReplaced, from),
			Hint: "run the statement again; eslake jobs clean " + j.ID + " forgets this one",
		}
	}
	return nil
}
