package local

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/duckdb"
	"github.com/eslake/eslake/sql/row"
)

// refuseConflicts takes back the added rows whose ids were there already, before
// or in a row before.
func (t *transaction) refuseConflicts(ctx context.Context) (int64, error) {
	again, err := t.conflictsWithin(ctx)
	if err != nil {
		return 0, err
	}
	before, err := t.conflictsBefore(ctx)
	if err != nil || again == "" && before == "" {
		return 0, err
	}
	clash := strings.Join(slices.DeleteFunc([]string{again, before}, func(s string) bool { return s == "" }), " OR ")
	n, err := t.count(ctx, "CREATE TEMP TABLE conflicts AS SELECT _seq_no FROM %s WHERE _seq_no >= %d AND (%s)", t.table, t.start, clash)
	if err != nil || n == 0 {
		return n, err
	}
	drop := "DELETE FROM %s WHERE _seq_no IN (SELECT _seq_no FROM conflicts)"
	if t.write.Resumed && t.write.ID == "" { // an earlier run has written them
		return 0, t.exec(ctx, drop, t.table)
	}
	rejects := fmt.Sprintf("SELECT _seq_no, _id, %s FROM %s WHERE _seq_no IN (SELECT _seq_no FROM conflicts) ORDER BY _seq_no", t.target.document(), t.table)
	err = t.rejectEach(ctx, rejects, http.StatusConflict, "version_conflict_engine_exception", "[%s]: version conflict, document already exists")
	if err != nil {
		return n, err
	}
	return n, t.exec(ctx, drop, t.table)
}

// conflictsWithin is the condition for rows whose id a row before them has.
func (t *transaction) conflictsWithin(ctx context.Context) (string, error) {
	if t.write.ID == "" {
		return "", nil
	}
	groups, err := t.count(ctx, "CREATE TEMP TABLE repeated AS SELECT _id, min(_seq_no) AS first FROM %s WHERE _seq_no >= %d GROUP BY _id HAVING count(*) > 1", t.table, t.start)
	if err != nil || groups == 0 {
		return "", err
	}
	return "_id IN (SELECT _id FROM repeated) AND _seq_no NOT IN (SELECT first FROM repeated)", nil
}

// conflictsBefore is the condition for rows whose id a document has already.
func (t *transaction) conflictsBefore(ctx context.Context) (string, error) {
	if t.start == 0 {
		return "", nil
	}
	if t.write.ID == "" { // own ids are seldom there: a look at the prefix tells
		n, err := t.count(ctx, "SELECT count(*) FROM %s WHERE _seq_no < %d AND starts_with(_id, %s)", t.table, t.start, duckdb.Text(t.write.IDPrefix))
		if err != nil || n == 0 {
			return "", err
		}
	}
	return fmt.Sprintf("_id IN (SELECT _id FROM %s WHERE _seq_no < %d)", t.table, t.start), nil
}

// rejectEach tells each row of a query of _seq_no, id and document.
func (t *transaction) rejectEach(ctx context.Context, sql string, status int, kind, reason string) error {
	r, err := t.conn.Query(ctx, sql, row.Schema{{Name: "n", Type: row.BigIntType}, {Name: "id", Type: row.StringType}, {Name: "doc", Type: row.StringType}})
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if err != nil {
			return endOf(err)
		}
		for i := range b.Len {
			id := string(b.Columns[1].Text(i))
			err := t.refused(esds.Reject{
				Row: b.Columns[0].Ints[i] - t.start + 1, ID: id, Status: status, Type: kind,
				Reason: fmt.Sprintf(reason, id), Document: append([]byte{}, b.Columns[2].Text(i)...),
			})
			if err != nil {
				return err
			}
		}
	}
}
