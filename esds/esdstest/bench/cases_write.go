package bench

import (
	"context"
	"errors"
	"os"

	"github.com/eslake/eslake/esds/esdstest/gencsv"
)

// copied is the index that the documents of the last load are copied to.
const copied = index + "-copy"

// copies compares a copy that goes through eslake with one that the server makes
// within itself.
func (s *Suite) copies(ctx context.Context) ([]Case, error) {
	if err := s.settled(ctx); err != nil {
		return nil, err
	}
	create := "CREATE TABLE IF NOT EXISTS " + table + "_copy (" + gencsv.DDL() + ") USING es OPTIONS (resource '" + copied + "', es.mapping.id 'id')"
	if _, err := s.eslake("", create).Measure(ctx); err != nil {
		return nil, err
	}
	return []Case{{
		Name: "copy an index, `INSERT INTO … SELECT *`, against `_reindex` in slices", Goal: Goal{Ratio: 1}, Docs: s.Rows, Rounds: s.Rounds,
		Prepare: func(ctx context.Context) error { return s.cluster.recreate(ctx, copied, s.mappings) },
		Check:   func(ctx context.Context) error { return s.cluster.count(ctx, copied, s.Rows) },
		Eslake:  s.eslake(s.URL, "INSERT INTO "+table+"_copy SELECT * FROM "+table),
		Limit:   s.limit("limit-reindex", s.URL, index, copied),
	}}, nil
}

// million is how many rows memory is measured with.
const million = 1_000_000

// journalRounds is how often loads with and without a journal are compared: they
// differ by little, and take no long time.
const journalRounds = 9

// sink loads into a server that takes everything at once: what is left is what
// eslake itself does.
func (s *Suite) sink(ctx context.Context) ([]Case, error) {
	server, err := startSink(ctx, s.Self)
	if err != nil {
		return nil, err
	}
	cluster, csv := NewCluster(server.url), s.file("million.csv")
	s.Say("%d rows of CSV", million)
	if err := s.writeCSV("million.csv", million); err != nil {
		return nil, errors.Join(err, server.stop())
	}
	rows := "CREATE TABLE IF NOT EXISTS million (" + gencsv.DDL() + ") USING csv OPTIONS (path '" + csv + "', header 'true', multiLine 'true', escape '\"')"
	if _, err := s.eslake("", rows).Measure(ctx); err != nil {
		return nil, errors.Join(err, server.stop())
	}
	prepare := func(ctx context.Context) error { return cluster.remove(ctx, index) }
	check := func(rows int) func(context.Context) error {
		return func(ctx context.Context) error { return cluster.count(ctx, index, rows) }
	}
	journal := func(how string) Command {
		return s.limit("write-job", server.url, s.file("rows.csv"), s.file("state"), how)
	}
	return []Case{
		{
			Name: "load 1,000,000 rows of CSV into a server that takes them at once", Goal: Goal{Peak: 300_000_000}, Docs: million, Rounds: s.Rounds,
			Prepare: prepare, Check: check(million), Eslake: s.eslake(server.url, "INSERT INTO "+table+" SELECT * FROM million"),
		},
		{
			Name: "such a load with its journal, against one without", Goal: Goal{Ratio: 0.97}, Docs: s.Rows, Rounds: journalRounds,
			Prepare: prepare, Check: check(s.Rows), Eslake: journal("journal"), Limit: journal("no journal"),
			Verify: func() error { return errors.Join(server.stop(), os.Remove(csv)) },
		},
	}, nil
}
