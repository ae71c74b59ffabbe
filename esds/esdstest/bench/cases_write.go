package bench

import (
	"context"
	"errors"
	"fmt"

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

// million is how many rows memory is measured with, and pace how many documents a
// second the server of the journal's case takes: some times what Elasticsearch
// takes where it shares two processors with its client.
const (
	million = 1_000_000
	pace    = 50_000
)

// sink loads into a server that takes everything at once: what is left is what
// eslake itself does.
func (s *Suite) sink(ctx context.Context) ([]Case, error) {
	server, err := startSink(ctx, s.Self, 0)
	if err != nil {
		return nil, err
	}
	s.Say("%d rows of CSV", million)
	err = s.writeCSV("million.csv", million)
	if err == nil {
		_, err = s.eslake("", "CREATE TABLE IF NOT EXISTS million ("+gencsv.DDL()+") USING csv OPTIONS (path '"+s.file("million.csv")+"', header 'true', multiLine 'true', escape '\"')").Measure(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, server.stop())
	}
	load := s.sinkCase(server, million)
	load.Name, load.Goal = "load 1,000,000 rows of CSV into a server that takes them at once", Goal{Peak: 300_000_000}
	load.Eslake = s.eslake(server.url, "INSERT INTO "+table+" SELECT * FROM million")
	return []Case{load}, nil
}

// journal compares a load that keeps a journal with one that does not. It cannot
// be turned off, so both are runs of its code and of the writer's in a program of
// this suite.
func (s *Suite) journal(ctx context.Context) ([]Case, error) {
	server, err := startSink(ctx, s.Self, pace)
	if err != nil {
		return nil, err
	}
	load := s.sinkCase(server, s.Rows)
	load.Name, load.Goal = fmt.Sprintf("load with its journal, against one without, at %d documents a second", pace), Goal{Ratio: 0.97}
	load.Eslake = s.limit("write-job", server.url, s.file("rows.csv"), s.file("state"), "journal")
	load.Limit = s.limit("write-job", server.url, s.file("rows.csv"), s.file("state"), "no journal")
	return []Case{load}, nil
}

// sinkCase is a load of so many rows into a Sink, which it ends.
func (s *Suite) sinkCase(server *recording, rows int) Case {
	cluster := NewCluster(server.url)
	return Case{
		Docs: rows, Rounds: s.Rounds, Verify: server.stop,
		Prepare: func(ctx context.Context) error { return cluster.remove(ctx, index) },
		Check:   func(ctx context.Context) error { return cluster.count(ctx, index, rows) },
	}
}
