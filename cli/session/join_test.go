package session_test

import (
	"strings"
	"testing"
)

// Subqueries in the ON of joins, also those that Spark 3.5 fails at with an internal error.
func TestSubqueriesInJoins(t *testing.T) {
	for _, c := range hermetic() {
		t.Run(c.name, func(t *testing.T) { testSubqueriesInJoins(t, newWorld(t, c)) })
	}
}

func testSubqueriesInJoins(t *testing.T, w *world) {
	w.run(`CREATE TABLE a (id BIGINT, v BIGINT) USING es OPTIONS (resource '${prefix}a', 'es.mapping.id' 'id'); INSERT INTO a VALUES (1, 1), (2, 2);
		CREATE TABLE b (id BIGINT, v BIGINT) USING es OPTIONS (resource '${prefix}b', 'es.mapping.id' 'id'); INSERT INTO b VALUES (1, 1), (3, 3)`, false)
	for _, tt := range []struct{ query, says string }{
		{"SELECT a.id AS x, b.id AS y FROM a LEFT JOIN b ON a.id = b.id AND EXISTS (SELECT 1 FROM b c WHERE c.v = a.v) ORDER BY 1", "x,y\n1,1\n2,\n"},
		{"SELECT a.id AS x, b.id AS y FROM a FULL JOIN b ON a.id = b.id AND a.v = (SELECT max(c.v) + 1 FROM b c WHERE c.id = a.id) ORDER BY 1, 2", "x,y\n,1\n,3\n1,\n2,\n"},
		{"SELECT a.id FROM a LEFT ANTI JOIN b ON a.id = b.id AND EXISTS (SELECT 1 FROM a c WHERE c.v = b.v) ORDER BY 1", "id\n2\n"},
		{"SELECT a.id FROM a LEFT SEMI JOIN b ON a.v IN (SELECT v FROM b) AND a.id < b.v ORDER BY 1", "id\n1\n"},
		{"SELECT * FROM a RIGHT JOIN b ON a.id = b.id AND a.v IN (SELECT v FROM b) ORDER BY 3", "id,v,id,v\n1,1,1,1\n,,3,3\n"},
		{"SELECT count(*) AS n FROM a LEFT JOIN b ON EXISTS (SELECT 1 FROM b c WHERE c.v = a.v AND c.id = b.id)", "uses columns of both sides"},
		{"SELECT count(*) AS n FROM a JOIN b ON EXISTS (SELECT 1 FROM b c WHERE c.v = a.v AND c.id = b.id)", "n\n1\n"},
		{"MERGE INTO a USING b ON a.id = b.id AND EXISTS (SELECT 1 FROM b c WHERE c.v = a.v AND c.id = b.id) WHEN NOT MATCHED THEN INSERT *", "uses columns of both sides"},
		{`MERGE INTO a USING b ON a.id = b.id AND EXISTS (SELECT 1 FROM b c WHERE c.v = a.v)
			WHEN MATCHED THEN UPDATE SET v = 100 WHEN NOT MATCHED THEN INSERT * WHEN NOT MATCHED BY SOURCE THEN DELETE; SELECT * FROM a ORDER BY id`, "id,v\n1,100\n3,3\n"},
	} {
		if got := w.run(tt.query, false); !strings.Contains(got, tt.says) {
			t.Errorf("%s\n%s\nwant %s", tt.query, got, tt.says)
		}
	}
}
