package exec

import (
	"context"
	"encoding/json"

	"github.com/eslake/eslake/esds"
)

// Relax says which index is loaded without refresh and replicas. Both are set back
// before the index is put in place.
type Relax string

// The values of eslake.write.relax; "" is RelaxNone.
const (
	RelaxNone    Relax = "false"
	RelaxStaging Relax = "staging" // that of an overwrite
)

// relaxed is what makes loading a large index cheaper: nothing is made visible
// and nothing is copied before all is there.
var relaxed = map[string]any{"refresh_interval": "-1", "number_of_replicas": "0"}

// large reports whether rows are loaded into relaxed indices. A load of one batch
// at most is not worth the requests.
func (j *Job) large(ctx context.Context, rows *Primed) (bool, error) {
	if j.Relax != RelaxStaging {
		return false, nil
	}
	return rows.More(ctx)
}

// relax returns the definition to stage with.
func (o *overwrite) relax(large bool) (esds.Definition, error) {
	o.state.Restore = nil
	if !large || o.state.Target.Kind == esds.Absent { // templates may say more than the definition
		o.relaxLater = large
		return o.def, nil
	}
	def := o.def
	settings, restore, err := relaxSettings(def.Settings)
	if err != nil {
		return def, err
	}
	o.state.Restore, def.Settings = restore, settings
	return def, nil
}

// relaxMade changes the settings of a staging index that templates had a part in.
func (o *overwrite) relaxMade(ctx context.Context) error {
	if !o.relaxLater {
		return nil
	}
	o.relaxLater = false
	restore, err := relaxIndex(ctx, o.job.Source, o.state.Staging)
	o.state.Restore = restore
	return err
}

// relaxIndex changes the settings of an index and returns what gives them back.
func relaxIndex(ctx context.Context, source esds.Source, index string) (restore []byte, err error) {
	def, err := source.Definition(ctx, index)
	if err != nil {
		return nil, err
	}
	_, restore, err = relaxSettings(def.Settings)
	if err != nil {
		return nil, err
	}
	changes := map[string]any{}
	var back struct {
		Index map[string]any `json:"index"`
	}
	if err := json.Unmarshal(restore, &back); err != nil {
		return nil, err
	}
	for key := range back.Index {
		changes[key] = relaxed[key]
	}
	body, err := json.Marshal(map[string]any{"index": changes})
	if err != nil {
		return nil, err
	}
	return restore, source.Configure(ctx, index, body)
}

// relaxSettings returns settings for the load, and those that give it back what it
// had: null where nothing was set.
func relaxSettings(settings []byte) (load, restore []byte, err error) {
	all := map[string]map[string]any{}
	if len(settings) > 0 {
		if err := json.Unmarshal(settings, &all); err != nil {
			return nil, nil, err
		}
	}
	own := all["index"]
	if own == nil {
		own = map[string]any{}
		all["index"] = own
	}
	back := map[string]any{}
	expands := own["auto_expand_replicas"] != nil && own["auto_expand_replicas"] != "false"
	for key, value := range relaxed {
		if key == "number_of_replicas" && expands { // the cluster chooses it
			continue
		}
		back[key], own[key] = own[key], value
	}
	if load, err = json.Marshal(all); err == nil {
		restore, err = json.Marshal(map[string]any{"index": back})
	}
	return load, restore, err
}
