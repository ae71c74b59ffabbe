package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest/gencsv"
	"github.com/eslake/eslake/planner/duck"
	"github.com/eslake/eslake/planner/exec"
	"github.com/eslake/eslake/planner/job"
	"github.com/eslake/eslake/sql"
)

// WriteJob loads a CSV file as INSERT INTO does, in this process, and keeps a
// journal in dir or none: what differs is what the journal costs.
func WriteJob(ctx context.Context, cluster *Cluster, csv, dir string, journal bool) error {
	var fields []string
	for _, c := range gencsv.Columns() {
		fields = append(fields, c.Name+": "+c.Type)
	}
	columns, err := sql.ParseType("STRUCT<" + strings.Join(fields, ", ") + ">")
	if err != nil {
		return err
	}
	opts, _, err := esds.ParseOptions(nil)
	if err != nil {
		return err
	}
	mapping, err := esds.MappingOf(columns.Fields, opts)
	if err != nil {
		return err
	}
	source, err := elastic.Open(ctx, elastic.Config{Addresses: []string{cluster.URL}})
	if err != nil {
		return err
	}
	rows, err := duck.OpenFile("csv", csv, map[string]string{"header": "true", "escape": `"`}, columns.Fields)
	if err != nil {
		return err
	}
	const id = "bench-journal"
	j := exec.Job{
		ID: id, Source: source, AutoCreate: true, Definition: esds.Definition{Mappings: mapping}, Way: exec.Again,
		Write: esds.Write{Index: index, ID: "id", Options: opts}, Rejects: filepath.Join(dir, "rejects.ndjson"),
	}
	var kept *job.Journal
	if journal {
		j.Begin = func(esds.Target) (*job.Journal, error) {
			files, err := job.Look(ctx, []string{csv}, true)
			if err != nil {
				return nil, err
			}
			kept, err = job.Open(dir).Begin(job.Start{
				ID: id, Kind: job.Insert, Statement: "INSERT INTO " + table + " SELECT * FROM rows", Snapshot: &job.Snapshot{Way: string(j.Way), Files: files},
			})
			return kept, err
		}
	}
	out, err := j.Run(ctx, rows)
	if err != nil || kept == nil {
		return err
	}
	err = errors.Join(kept.Finish(job.Outcome{Counts: out.Report}), kept.Close(), os.RemoveAll(kept.Path("")))
	if err == nil && out.Report.Created == 0 {
		err = fmt.Errorf("nothing was written: %+v", out.Report)
	}
	return err
}
