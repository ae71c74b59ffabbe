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
			if len(args) != sub.args+1 {
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
	run  func(ctx context.Context, args []string) error
}{
	"record": {2, func(_ context.Context, a []string) error { return bench.Record(os.Stdin, os.Stdout, a[0], a[1]) }},
	"limit-bulk": {4, func(ctx context.Context, a []string) error {
		lanes, err := strconv.Atoi(a[3])
		if err != nil {
			return err
		}
		return bench.LimitBulk(ctx, bench.NewCluster(a[0]), a[1], a[2], lanes)
	}},
	"limit-read": {2, func(ctx context.Context, a []string) error {
		pages, err := bench.ReadPages(a[1])
		if err != nil {
			return err
		}
		return bench.LimitRead(ctx, bench.NewCluster(a[0]), pages)
	}},
	"limit-request": {3, func(ctx context.Context, a []string) error {
		return bench.LimitRequest(ctx, bench.NewCluster(a[0]), a[1], []byte(a[2]))
	}},
	"limit-lake-load":  {2, func(ctx context.Context, a []string) error { return bench.LimitLakeLoad(ctx, a[0], a[1]) }},
	"limit-lake-query": {2, func(ctx context.Context, a []string) error { return bench.LimitLakeQuery(ctx, a[0], a[1]) }},
	"endless": {1, func(_ context.Context, a []string) error {
		docs, err := strconv.Atoi(a[0])
		if err != nil {
			return err
		}
		return bench.ServeEndless(os.Stdin, os.Stdout, docs)
	}},
	"limit-lake-read": {2, func(ctx context.Context, a []string) error { return bench.LimitLakeRead(ctx, a[0], a[1]) }},
}

func measure(ctx context.Context, args []string) (err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	s := &bench.Suite{URL: os.Getenv(servers.ElasticsearchEnv), Say: say}
	flags.StringVar(&s.Eslake, "eslake", ".bin/eslake", "the program to measure")
	flags.StringVar(&s.Dir, "dir", ".bench", "folder for files")
	flags.IntVar(&s.Rows, "rows", 300_000, "how many documents")
	flags.IntVar(&s.Rounds, "rounds", 3, "how often each case is run")
	doc := flags.String("doc", "", "document to write the table into, between its marks; only when all was run")
	only := flags.String("only", "", "groups to run, as start,load,read,ask,lake,lake-read,lake-wide,endless; read and ask need load")
	if err := flags.Parse(args); err != nil {
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
	results, complete := groups(ctx, s, *only)
	facts, err := s.Facts(ctx, load)
	if err != nil {
		return err
	}
	text := facts + "\n" + bench.Table(results)
	if _, err := io.WriteString(os.Stdout, text); err != nil {
		return err
	}
	failed := errorsOf(results)
	if *doc == "" || !complete || failed != nil {
		return failed
	}
	return bench.Insert(*doc, text)
}

// groups runs what was chosen. Complete says that nothing was left out.
func groups(ctx context.Context, s *bench.Suite, only string) (results []bench.Result, complete bool) {
	chosen := strings.Split(only, ",")
	complete = true
	for _, g := range s.Groups() {
		if only != "" && !slices.Contains(chosen, g.Name) || g.Cluster && s.URL == "" {
			say("%s: left out", g.Name)
			complete = false
			continue
		}
		g.Run(ctx, func(r bench.Result) {
			results = append(results, r)
			say("%s: %s", g.Name, r)
		})
	}
	return results, complete
}

func errorsOf(results []bench.Result) error {
	var errs []error
	for _, r := range results {
		errs = append(errs, r.Err)
	}
	return errors.Join(errs...)
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }
