package session_test

import (
	"os"
	"strings"
	"testing"
)

// TestSparkRandom asks what Spark was asked in the file that
// ESLAKE_TEST_SPARK_ANSWERS names, in the zone of ESLAKE_TEST_SPARK_ZONE.
func TestSparkRandom(t *testing.T) {
	file, zone := os.Getenv("ESLAKE_TEST_SPARK_ANSWERS"), os.Getenv("ESLAKE_TEST_SPARK_ZONE")
	if file == "" {
		t.Skip("nothing was asked: ESLAKE_TEST_SPARK_ANSWERS names no file of new answers, which random_queries.py and golden.py in cli/testdata/spark make; the answers that are kept are compared by TestSparkAnswers")
	}
	w := newWorld(t, hermetic()[0])
	w.sparkTables(false)
	if zone != "" {
		if out := w.run("SET TIME ZONE '"+zone+"';", false); strings.Contains(out, "error") {
			t.Fatal(out)
		}
	}
	agreed, asked := 0, 0
	for _, g := range readGolden(t, file) {
		asked++
		diff := ""
		if g.Error == "" {
			diff = w.compare(g)
		} else if _, _, err := w.ask(g.SQL); err == nil {
			diff = "is answered; Spark says " + g.Error
		}
		if diff == "" {
			agreed++
		} else {
			t.Errorf("%s\n  %s", g.SQL, diff)
		}
	}
	t.Logf("%d of %d answers are Spark's", agreed, asked)
}
