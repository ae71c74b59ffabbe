package lex

import (
	"slices"
	"strings"
)

// keywords are the words that the grammar knows, sorted.
var keywords = strings.Fields(`
ADD ALL ALTER ANALYZE AND ANTI ANY ARRAY AS ASC ASSERT BETWEEN BIGINT BINARY BOOLEAN BOTH BY CASCADE CASE CAST COLUMN COLUMNS COMMENT
CREATE CROSS CUBE CURRENT DATABASE DATABASES DATE DECIMAL DEFAULT DELETE DESC DESCRIBE DIRECTORY DISTINCT DIV DOUBLE DROP ELSE END
ESCAPE EXCEPT EXISTS EXPLAIN EXTENDED EXTRACT FALSE FILTER FIRST FLOAT FOLLOWING FROM FULL FUNCTION FUNCTIONS GROUP GROUPING HAVING IF
IGNORE ILIKE IN INNER INSERT INT INTEGER INTERSECT INTERVAL INTO IS JOB JOBS JOIN LAST LATERAL LEADING LEFT LIKE LIMIT MAP MATCHED MERGE
MINUS NAME NATURAL NOT NULL NULLS OFFSET ON OPTIONS OR ORDER OUTER OVER OVERLAY OVERWRITE PARTITION PERCENT PLACING POSITION PRECEDING
PURGE QUALIFY QUERY RANGE RECURSIVE REFRESH REGEXP RENAME REPLACE RESET RESPECT RIGHT RLIKE ROLLUP ROW ROWS SELECT SEMI SET SETS SHOW
SMALLINT SOURCE STRING STRUCT TABLE TABLES TABLESAMPLE TARGET TBLPROPERTIES TEMP TEMPORARY THEN TIMESTAMP TIMESTAMP_NTZ TINYINT TO TRAILING TRIM
TRUE TRUNCATE TRY_CAST UNBOUNDED UNDO UNION UNSET UPDATE USE USING VALUES VIEW VIEWS WHEN WHERE WINDOW WITH WITHIN
`)

// reserved are the keywords that cannot be a name without back-quotes, sorted:
// they begin or end something wherever a name could stand.
var reserved = strings.Fields(`
ALL AND ANTI AS BETWEEN BOTH CASE CAST CROSS CUBE DISTINCT DIV ELSE END ESCAPE EXCEPT EXISTS FALSE FROM FULL GROUP HAVING ILIKE IN INNER
INTERSECT INTERVAL INTO IS JOIN LATERAL LEADING LEFT LIKE LIMIT MINUS NATURAL NOT NULL OFFSET ON OR ORDER QUALIFY REGEXP RIGHT RLIKE ROLLUP
SELECT SEMI SET SORT TABLE TABLESAMPLE THEN TRAILING TRUE TRY_CAST UNBOUNDED UNION USING VALUES WHEN WHERE WINDOW WITH
`)

// Keywords returns the words that the grammar knows, sorted, in upper case.
func Keywords() []string { return slices.Clone(keywords) }

// Keyword reports whether a word is one that the grammar knows, in any case.
func Keyword(word string) bool { return found(keywords, word) }

// Reserved reports whether a word needs back-quotes to be a name everywhere.
func Reserved(word string) bool { return found(reserved, word) }

func found(sorted []string, word string) bool {
	if len(word) > len("TBLPROPERTIES") {
		return false
	}
	_, ok := slices.BinarySearch(sorted, strings.ToUpper(word))
	return ok
}

// Near returns the candidate that a misspelt word most likely means, "" when
// none is near enough: one slip in a word of up to four letters, two in a
// longer one; a swap of neighbours is one slip. Case does not count.
func Near(word string, candidates []string) string {
	limit := 1
	switch n := len([]rune(word)); {
	case n < 2: // every other letter would be near
		return ""
	case n > 4:
		limit = 2
	}
	best, distance := "", limit+1
	for _, c := range candidates {
		if d := slips(strings.ToLower(word), strings.ToLower(c), distance); d < distance {
			best, distance = c, d
		}
	}
	return best
}

// slips counts the insertions, deletions, changes and swaps of neighbours that
// make a into b (optimal string alignment); limit or more may come out as limit.
func slips(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	before, last := make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row := make([]int, len(y)+1)
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(y)]
}
