// Command bench measures eslake against the limit and prints a table:
//
//	go build -o .bin/bench ./esds/esdstest/bench/cmd/bench
//	.bin/testservers -servers es8.19 -- .bin/bench -doc docs/benchmarks.md
//
// The cluster is the one that ESLAKE_TEST_ELASTICSEARCH names. The limits are
// subcommands, so that each is a process of its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/eslake/eslake/esds/esdstest/bench"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) > 0 {
		if sub, ok := subcommands[args[0]]; ok {
			if n := len(args) - 1; n < sub.args || n > sub.args && !sub.more {
				return fmt.Errorf("%s takes %d arguments", args[0], sub.args)
			}
			return sub.run(ctx, args[1:])
		}
	}
	return measure(ctx, args)
}

// subcommands are what the measuring process starts.
var subcommands = map[string]struct {
	args int
	more bool // further arguments of the last kind
	run  func(ctx context.Context, args []string) error
}{
	"record": {args: 2, run: func(_ context.Context, a []string) error { return bench.Record(os.Stdin, os.Stdout, a[0], a[1]) }},
	"limit-bulk": {args: 3, run: func(ctx context.Context, a []string) error {
		return bench.LimitBulk(ctx, bench.NewCluster(a[0]), a[1], a[2])
	}},
	"limit-read": {args: 2, run: func(ctx context.Context, a []string) error {
		pages, err := bench.ReadPages(a[1])
		if err != nil {
			return err
		}
		return bench.LimitRead(ctx, bench.NewCluster(a[0]), pages)
	}},
	"limit-request": {args: 3, more: true, run: func(ctx context.Context, a []string) error {
		return bench.LimitRequests(ctx, bench.NewCluster(a[0]), a[1], a[2:]...)
	}},
	"limit-lake-load":  {args: 2, run: func(ctx context.Context, a []string) error { return bench.LimitLakeLoad(ctx, a[0], a[1]) }},
	"limit-lake-query": {args: 2, run: func(ctx context.Context, a []string) error { return bench.LimitLakeQuery(ctx, a[0], a[1]) }},
	"endless": {args: 1, run: func(_ context.Context, a []string) error {
		docs, err := strconv.Atoi(a[0])
		if err != nil {
			return err
		}
		return bench.Serve(os.Stdin, os.Stdout, bench.NewEndless(docs, 0))
	}},
	"sink": {args: 1, run: func(_ context.Context, a []string) error {
		n, err := strconv.Atoi(a[0])
		if err != nil {
			return err
		}
		return bench.Serve(os.Stdin, os.Stdout, &bench.Sink{PerSecond: n})
	}},
	"write-job": {args: 4, run: func(ctx context.Context, a []string) error {
		return bench.WriteJob(ctx, bench.NewCluster(a[0]), a[1], a[2], a[3] == "journal")
	}},
	"limit-reindex": {args: 3, run: func(ctx context.Context, a []string) error {
		return bench.LimitReindex(ctx, bench.NewCluster(a[0]), a[1], a[2])
	}},
	"limit-lake-read": {args: 2, run: func(ctx context.Context, a []string) error { return bench.LimitLakeRead(ctx, a[0], a[1]) }},
}

func measure(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := &bench.Suite{URL: os.Getenv(servers.ElasticsearchEnv), Say: say}
	flags.StringVar(&s.Eslake, "eslake", ".bin/eslake", "the program to measure")
	flags.StringVar(&s.Dir, "dir", ".bench", "folder for files")
	flags.IntVar(&s.Rows, "rows", 1_000_000, "how many documents")
	flags.IntVar(&s.Rounds, "rounds", 3, "how often each case is run")
	doc := flags.String("doc", "", "document to write the table into, between its marks; not with -only")
	only := flags.String("only", "", "groups to run, as load,copy; the groups are "+strings.Join(s.Names(), ",")+"; copy, read and ask need load")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := checkChoice(s, *only, *doc); err != nil {
		return err
	}
	if s.Self, err = os.Executable(); err != nil {
		return err
	}
	for _, path := range []*string{&s.Eslake, &s.Dir} {
		if *path, err = filepath.Abs(*path); err != nil {
			return err
		}
	}
	load := bench.Load()
	if err := s.Setup(ctx); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	results := groups(ctx, s, *only)
	facts, err := s.Facts(ctx, load)
	if err != nil {
		return err
	}
	text := facts + "\n" + bench.Table(results)
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return err
	}
	if *doc != "" { // a case that failed stands in it as one
		err = bench.Insert(*doc, text)
	}
	return errors.Join(err, errorsOf(results))
}

// checkChoice refuses groups that are not there, and to write a document of a
// part of them: what it says would be from runs of different days.
func checkChoice(s *bench.Suite, only, doc string) error {
	switch {
	case doc != "" && only != "":
		return errors.New("-doc needs all groups: leave -only out")
	case doc != "" && s.URL == "":
		return fmt.Errorf("-doc needs all groups, and so a cluster that %s names", servers.ElasticsearchEnv)
	case only == "":
		return nil
	}
	for _, name := range strings.Split(only, ",") {
		if !slices.Contains(s.Names(), name) {
			return fmt.Errorf("-only: there is no group %q; there are %s", name, strings.Join(s.Names(), ", "))
		}
	}
	return nil
}

// groups runs what was chosen.
func groups(ctx context.Context, s *bench.Suite, only string) (results []bench.Result) {
	chosen := strings.Split(only, ",")
	for _, g := range s.Groups() {
		if only != "" && !slices.Contains(chosen, g.Name) || g.Cluster && s.URL == "" {
			say("%s: left out", g.Name)
			continue
		}
		g.Run(ctx, func(r bench.Result) {
			results = append(results, r)
			say("%s: %s", g.Name, r)
		})
	}
	return results
}

func errorsOf(results []bench.Result) error {
	var errs []error
	for _, r := range results {
		errs = append(errs, r.Err)
	}
	return errors.Join(errs...)
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
