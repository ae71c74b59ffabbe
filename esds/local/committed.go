package local

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

var _ esds.Atomic = (*Source)(nil)

// jobsTable says which jobs wrote their rows, and what came of them. It is made
// by the first one.
const jobsTable = "_eslake_jobs"

// mark writes the job into the transaction that writes its rows.
func (t *transaction) mark(ctx context.Context) error {
	if t.write.Job == "" {
		return nil
	}
	report, err := json.Marshal(t.report)
	if err != nil {
		return err
	}
	table := t.source.table(jobsTable)
	return t.exec(ctx, `CREATE TABLE IF NOT EXISTS %s (id VARCHAR, committed TIMESTAMP, report VARCHAR);
		DELETE FROM %s WHERE committed < now()::TIMESTAMP - INTERVAL 90 DAYS;
		INSERT INTO %s VALUES (%s, now()::TIMESTAMP, %s)`,
		table, table, table, duckdb.Text(t.write.Job), duckdb.Text(string(report)))
}

// Committed reports on a job whose rows the lake has.
func (s *Source) Committed(ctx context.Context, job string) (*esds.Report, error) {
	c, err := s.conn(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	known, err := c.Count(ctx, fmt.Sprintf("SELECT count(*) FROM duckdb_tables() WHERE database_name = %s AND table_name = %s",
		duckdb.Text(s.catalog), duckdb.Text(jobsTable)))
	if err != nil || known == 0 {
		return nil, s.fail("read jobs", "", err)
	}
	r, err := c.Query(ctx, fmt.Sprintf("SELECT report FROM %s WHERE id = %s", s.table(jobsTable), duckdb.Text(job)), row.Schema{{Name: "report", Type: row.StringType}})
	if err != nil {
		return nil, s.fail("read jobs", "", err)
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil || len(rows) == 0 {
		return nil, s.fail("read jobs", "", err)
	}
	var report esds.Report
	text, _ := rows[0][0].(string)
	return &report, s.fail("read jobs", "", json.Unmarshal([]byte(text), &report))
}
