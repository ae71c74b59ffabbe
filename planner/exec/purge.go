package exec

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// indexFile is the file of a job's folder with the index that it removed.
const indexFile = "index.json"

// SavedIndex is an index that is removed, with all that is needed to make it anew
// but its documents, which are in the job's file of changes.
type SavedIndex struct {
	Name     string          `json:"index"` // concrete
	Mappings json.RawMessage `json:"mappings,omitempty"`
	Settings json.RawMessage `json:"settings,omitempty"`
	Aliases  json.RawMessage `json:"aliases,omitempty"`
	Table    json.RawMessage `json:"table,omitempty"` // that is dropped with it, as the caller has it
}

// saveDefinition writes the file of a saved index.
func saveDefinition(path string, s Saved, def esds.Definition) error {
	settings, err := unblocked(def.Settings)
	if err != nil {
		return err
	}
	text, err := json.Marshal(SavedIndex{Name: s.Like, Mappings: def.Mappings, Settings: settings, Aliases: def.Aliases, Table: s.Table})
	if err != nil {
		return err
	}
	return writeSynced(path, text)
}

// unblocked takes the block away from settings that a run before has put on.
func unblocked(settings []byte) ([]byte, error) {
	var all struct {
		Index map[string]any `json:"index"`
	}
	if len(settings) == 0 {
		return settings, nil
	}
	if err := json.Unmarshal(settings, &all); err != nil {
		return nil, err
	}
	blocks, ok := all.Index["blocks"].(map[string]any)
	if _, flat := all.Index["blocks.write"]; !flat && !ok {
		return settings, nil
	}
	delete(all.Index, "blocks.write")
	if delete(blocks, "write"); len(blocks) == 0 {
		delete(all.Index, "blocks")
	}
	return json.Marshal(all)
}

func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		syncFolder(filepath.Dir(path))
	}
	return err
}

// ReadSavedIndex reads what SaveIndex wrote into the folder of a job.
func ReadSavedIndex(dir string) (SavedIndex, error) {
	var x SavedIndex
	text, err := os.ReadFile(filepath.Join(dir, indexFile))
	if err == nil {
		err = json.Unmarshal(text, &x)
	}
	if err != nil {
		return x, fmt.Errorf("saved index: %w", err)
	}
	return x, nil
}

// Remake is the Changer that brings the documents of a removed index back. The
// index is made by Make, before they are sent.
type Remake struct {
	Undo
	Index SavedIndex
}

// All hands out every document. It refuses to when there is an index of that name
// with documents.
func (r *Remake) All(ctx context.Context, out *Sink) error {
	target, err := r.Source.Resolve(ctx, r.Index.Name)
	if err != nil {
		return err
	}
	if target.Kind != esds.Absent {
		n, err := r.Source.Count(ctx, r.Index.Name)
		if err != nil {
			return err
		}
		if target.Kind != esds.Concrete || n > 0 {
			return &esds.Error{
				Op: "make", Index: r.Index.Name, Err: fmt.Errorf("there is an %s of this name now, with %d documents", target.Kind, n),
				Hint: "remove or rename it first",
			}
		}
	}
	file, err := job.OpenChanges(r.Path(job.ChangesFile))
	if err != nil {
		return err
	}
	defer file.Close()
	for {
		c, err := file.Next()
		if isEnd(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := out.Add(job.Change{Action: esds.CreateDoc, Index: r.Index.Name, ID: c.ID, Routing: c.Routing, After: c.Before}); err != nil {
			return err
		}
	}
}

// Make makes the index, unless it is there.
func (r *Remake) Make(ctx context.Context) error {
	x := r.Index
	err := r.Source.Create(ctx, x.Name, esds.Definition{Mappings: x.Mappings, Settings: x.Settings, Aliases: x.Aliases})
	if errors.Is(err, esds.ErrIndexExists) { // an undo before made it, and was broken off
		return nil
	}
	return err
}
