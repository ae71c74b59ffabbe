// Command testservers starts real Elasticsearch and OpenSearch servers, runs a
// command that finds their addresses in its environment, and stops them:
//
//	go run ./esds/esdstest/servers/cmd/testservers [-servers NAME,…] -- COMMAND ARGUMENT…
//
// Its exit code is the command's. Where a server cannot be had (no JDK, no
// Maven, nothing to fetch it from) the command runs all the same, its tests
// for that server are skipped, and the last lines say how many they were; with
// ESLAKE_TEST_REQUIRE_SERVERS=1 that is a failure.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/eslake/eslake/esds/esdstest/servers"
)

const requireEnv = "ESLAKE_TEST_REQUIRE_SERVERS"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stderr)
	stop()
	os.Exit(code)
}

func run(ctx context.Context, args []string, errOut io.Writer) int {
	flags := flag.NewFlagSet("testservers", flag.ContinueOnError)
	flags.SetOutput(errOut)
	names := flags.String("servers", "es8.8,os2.19", "the servers to start: "+strings.Join(known(), ", "))
	if err := flags.Parse(args); err != nil {
		return 2
	}
	specs, err := servers.Choose(strings.Split(*names, ",")...)
	if err == nil && flags.NArg() == 0 {
		err = errors.New("no command given")
	}
	if err != nil {
		fmt.Fprintln(errOut, "testservers:", err)
		return 2
	}
	r := &runner{errOut: errOut}
	code := r.run(ctx, specs, flags.Args())
	if err := r.stopAll(); err != nil {
		r.say("%v", err)
		code = max(code, 1)
	}
	return code
}

func known() []string {
	var names []string
	for _, s := range servers.Specs() {
		names = append(names, s.Name)
	}
	return names
}

// runner holds what was started and what was not.
type runner struct {
	errOut  io.Writer
	mu      sync.Mutex // guards all below, and errOut
	running []*servers.Server
	missing []error
	failed  []error
}

func (r *runner) say(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fmt.Fprintf(r.errOut, "testservers: "+format+"\n", args...)
}

func (r *runner) run(ctx context.Context, specs []servers.Spec, command []string) int {
	r.startAll(ctx, specs)
	for _, err := range append(r.missing, r.failed...) {
		r.say("%v", err)
	}
	if len(r.failed) > 0 || ctx.Err() != nil {
		return 1
	}
	if len(r.missing) > 0 && os.Getenv(requireEnv) == "1" {
		r.say("%s=1: nothing is run without them", requireEnv)
		return 1
	}
	tmp, err := os.MkdirTemp("", "testservers-")
	if err != nil {
		r.say("%v", err)
		return 1
	}
	defer os.RemoveAll(tmp)
	skipped := filepath.Join(tmp, "skipped")
	begin := time.Now()
	code := r.command(ctx, command, skipped)
	r.report(skipped, time.Since(begin))
	return code
}

// startAll starts the servers side by side.
func (r *runner) startAll(ctx context.Context, specs []servers.Spec) {
	var wg sync.WaitGroup
	for _, s := range specs {
		wg.Go(func() { r.start(ctx, s) })
	}
	wg.Wait()
}

func (r *runner) start(ctx context.Context, s servers.Spec) {
	srv, err := servers.Start(ctx, s, r.say)
	if err == nil {
		r.say("%s at %s, ready after %.1f s", s, srv.URL, srv.Ready.Seconds())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.running = append(r.running, srv)
	case errors.Is(err, servers.ErrUnavailable):
		r.missing = append(r.missing, err)
	default:
		r.failed = append(r.failed, err)
	}
}

func (r *runner) command(ctx context.Context, command []string, skipped string) int {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 30 * time.Second
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), servers.SkippedEnv+"="+skipped)
	for _, srv := range r.running {
		cmd.Env = append(cmd.Env, srv.Environ()...)
	}
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return max(exit.ExitCode(), 1)
	}
	if err != nil {
		r.say("%v", err)
		return 1
	}
	return 0
}

// report says what the tests ran against, and last and loudest what did not
// run.
func (r *runner) report(skipped string, took time.Duration) {
	ran := []string{"no real server"}
	for i, srv := range r.running {
		ran = append(ran[:i], srv.String())
	}
	r.say("ran with %s in %.0f s", strings.Join(ran, ", "), took.Seconds())
	count, total := countSkipped(skipped)
	if total == 0 && len(r.missing) == 0 {
		return
	}
	r.say("%s", strings.Repeat("=", 64))
	for _, err := range r.missing {
		r.say("NOT STARTED: %v", err)
	}
	for _, env := range slices.Sorted(maps.Keys(count)) {
		r.say("NOT RUN: %s for want of %s", tests(count[env]), env)
	}
	r.say("NOT RUN: %s in all; %s=1 makes a missing server a failure", tests(total), requireEnv)
}

func tests(n int) string {
	if n == 1 {
		return "1 test"
	}
	return fmt.Sprintf("%d tests", n)
}

// countSkipped counts the lines of the file by the variable that each names.
// There is no file when nothing was skipped.
func countSkipped(file string) (count map[string]int, total int) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, 0
	}
	count = map[string]int{}
	for line := range strings.Lines(string(text)) {
		env, _, _ := strings.Cut(line, " ")
		count[env]++
		total++
	}
	return count, total
}

func (r *runner) stopAll() error {
	var wg sync.WaitGroup
	errs := make([]error, len(r.running))
	for i, srv := range r.running {
		wg.Go(func() { errs[i] = srv.Stop() })
	}
	wg.Wait()
	return errors.Join(errs...)
}
