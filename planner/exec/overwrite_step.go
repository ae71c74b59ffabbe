package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/eslake/eslake/esds"
)

// The steps of an overwrite, in their order. Each is journalled when it is done.
// Up to Verified the old documents are untouched, except in mode truncate, where
// OldRemoved comes right after Planned, and no index is staged.
const (
	StepPlanned    = "planned"               // the target was looked at
	StepStaged     = "staged"                // the staging index is there, empty
	StepLoaded     = "loaded"                // every row was taken; a resume reads none any more
	StepVerified   = "verified"              // the staging index holds every row, and has its own settings
	StepOldRemoved = string(esds.OldRemoved) // the old documents are gone
	StepInPlace    = string(esds.InPlace)    // readers see the new documents
	StepCleaned    = "cleaned"               // nothing is left of the overwrite but its result
)

// OverwriteSteps returns the steps in their order.
func OverwriteSteps() []string {
	return []string{StepPlanned, StepStaged, StepLoaded, StepVerified, StepOldRemoved, StepInPlace, StepCleaned}
}

// Overwriting is how far the overwrite of one index came, with all that is needed
// to go on.
type Overwriting struct {
	Step      string          `json:"-"`
	Mode      string          `json:"mode"` // swap, recreate or truncate
	Target    esds.Target     `json:"target"`
	Staging   string          `json:"staging,omitempty"`   // "" in mode truncate
	Aliases   json.RawMessage `json:"aliases,omitempty"`   // of a concrete target
	Identity  string          `json:"identity,omitempty"`  // of a concrete target
	Restore   json.RawMessage `json:"restore,omitempty"`   // settings that the staging index gets back
	Before    int64           `json:"before"`              // documents that were there
	Documents int64           `json:"documents,omitempty"` // that the staging index holds, from StepLoaded on
}

// Facts is the state as a journal keeps it beside the name of its step.
func (o Overwriting) Facts() map[string]any {
	facts := map[string]any{}
	text, err := json.Marshal(o)
	if err == nil {
		err = json.Unmarshal(text, &facts)
	}
	if err != nil {
		panic(err) // only plain values are in it
	}
	return facts
}

// OverwritingOf reads what Facts gave to a journal.
func OverwritingOf(step string, facts map[string]any) (Overwriting, error) {
	o := Overwriting{Step: step}
	text, err := json.Marshal(facts)
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err == nil && (o.Target.Name == "" || o.Mode == "") {
		err = fmt.Errorf("step %q of an overwrite does not say what is overwritten", step)
	}
	return o, err
}

// after reports whether the overwrite has done a step.
func (o Overwriting) after(step string) bool {
	order := OverwriteSteps()
	if o.Mode == modeTruncate {
		order = []string{StepPlanned, StepOldRemoved, StepLoaded, StepInPlace, StepCleaned}
	}
	at := slices.Index(order, step)
	return at >= 0 && slices.Index(order, o.Step) >= at
}

// loaded returns what goes on with an overwrite whose rows an earlier run took, nil
// when there is none or it has to begin again.
func (j *Job) loaded() (func(context.Context) (Outcome, error), error) {
	if j.Earlier == nil || j.Overwrite == "" {
		return nil, nil
	}
	if esds.Dynamic(j.Write.Index) {
		e, err := j.overwritingEach()
		if err != nil || e == nil {
			return nil, err
		}
		return func(ctx context.Context) (Outcome, error) { return j.resumeEach(ctx, e) }, nil
	}
	o, err := j.overwriting()
	if err != nil || o == nil {
		return nil, err
	}
	return func(ctx context.Context) (Outcome, error) { return j.resumeOverwrite(ctx, o) }, nil
}

// overwriting is how far an earlier run of an overwrite came; nil when there was
// none, or it has to begin again.
func (j *Job) overwriting() (*Overwriting, error) {
	for i := len(j.Earlier.Steps) - 1; i >= 0; i-- {
		step := j.Earlier.Steps[i]
		if slices.Index(OverwriteSteps(), step.Name) < 0 {
			continue
		}
		o, err := OverwritingOf(step.Name, step.Facts)
		if err != nil || !o.after(StepLoaded) {
			return nil, err
		}
		return &o, nil
	}
	return nil, nil
}
