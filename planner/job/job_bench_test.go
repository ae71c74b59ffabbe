package job_test

import (
	"fmt"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// What a statement pays for its journal, whatever it writes.
func BenchmarkStatement(b *testing.B) {
	s := job.Open(b.TempDir())
	for i := range b.N {
		j, err := s.Begin(job.Start{ID: fmt.Sprint("j", i), Kind: job.Insert, Statement: "INSERT INTO t VALUES (1)"})
		if err != nil {
			b.Fatal(err)
		}
		if err := j.Finish(job.Outcome{}); err != nil {
			b.Fatal(err)
		}
		if err := j.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// What a bulk request pays.
func BenchmarkAck(b *testing.B) {
	j, err := job.Open(b.TempDir()).Begin(job.Start{ID: "j"})
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	b.ResetTimer()
	for i := range b.N {
		if err := j.Ack(int64(i), esds.Report{Rows: int64(i), Created: int64(i)}); err != nil {
			b.Fatal(err)
		}
	}
}
