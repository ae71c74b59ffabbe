package session_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain asks the same random questions in every run, so that a run that fails
// says something of the change. -rapid.seed=N asks others.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("20261129"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}
