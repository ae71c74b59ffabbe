package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/pflag"
)

// Output is how results and messages are written. The format is a flag of the
// command, since it belongs to the renderer.
type Output struct {
	File     string
	NoHeader bool
	Null     string
	MaxRows  int64
	Quiet    bool
	Verbose  bool
	Color    Choice
	Timing   Choice
	Progress Choice

	flags *pflag.FlagSet
}

// DefaultMaxRows is how many rows a terminal shows.
const DefaultMaxRows = 1000

// AddFlags adds the flags of what is shown, and how.
func (o *Output) AddFlags(flags *pflag.FlagSet) {
	o.flags = flags
	o.Color, o.Timing, o.Progress = NewChoice("auto", "always", "never"), NewChoice("auto", "on", "off"), NewChoice("auto", "on", "off")
	flags.StringVarP(&o.File, "output", "o", "", "write results to `file`, which takes its place when all is done")
	flags.BoolVar(&o.NoHeader, "no-header", false, "no line of column names")
	flags.StringVar(&o.Null, "null", "", "`text` for NULL (default NULL in tables, nothing in csv, \\N in tsv)")
	flags.Int64Var(&o.MaxRows, "max-rows", 0, fmt.Sprintf("show at most `n` rows of a table, 0 for all (default %d on a terminal)", DefaultMaxRows))
	flags.BoolVarP(&o.Quiet, "quiet", "q", false, "only results and errors")
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "show each statement before it runs")
	flags.Var(&o.Color, "color", "auto, always or never")
	flags.Var(&o.Timing, "timing", "show how long a statement took; --timing=off never does")
	flags.Var(&o.Progress, "progress", "show how far a load is: auto, on or off")
	flags.Lookup("timing").NoOptDefVal = "on"
}

// Validate refuses what does not fit together.
func (o *Output) Validate() error {
	if o.MaxRows < 0 {
		return errors.New("--max-rows is less than 0")
	}
	return nil
}

// NullText returns what --null says, nil when it was not given.
func (o *Output) NullText() *string {
	if o.flags == nil || !o.flags.Changed("null") {
		return nil
	}
	return &o.Null
}

// Limit returns how many rows to show, 0 for all.
func (o *Output) Limit(terminal bool) int64 {
	if o.flags != nil && o.flags.Changed("max-rows") || !terminal {
		return o.MaxRows
	}
	return DefaultMaxRows
}

// Choice is a flag value that takes one of a few words. The first is auto.
type Choice struct {
	value string
	words []string
}

// NewChoice returns a Choice that stands at auto.
func NewChoice(auto, on, off string) Choice {
	return Choice{value: auto, words: []string{auto, on, off}}
}

// On decides what auto means.
func (c Choice) On(auto bool) bool {
	switch slices.Index(c.words, c.value) {
	case 1:
		return true
	case 2:
		return false
	default:
		return auto
	}
}

// String returns the word.
func (c *Choice) String() string { return c.value }

// Type is what help calls the value.
func (c *Choice) Type() string { return "when" }

// Set takes a word; true and false stand for the second and third.
func (c *Choice) Set(s string) error {
	s = strings.ToLower(s)
	switch s {
	case "true", "1", "yes":
		s = c.words[1]
	case "false", "0", "no":
		s = c.words[2]
	}
	if !slices.Contains(c.words, s) {
		return fmt.Errorf("%q is none of %s", s, strings.Join(c.words, ", "))
	}
	c.value = s
	return nil
}

// Run is how statements run.
type Run struct {
	ContinueOnError bool
	Timeout         time.Duration // of one statement; 0 for none
	JobID           string        // names the jobs of a script; "" for none
	DryRun          bool
	MaxRejects      string // "" for the tables' own
}

// AddFlags adds --continue-on-error, --dry-run, --max-rejects, --timeout and
// --job-id.
func (r *Run) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVar(&r.ContinueOnError, "continue-on-error", false, "go on with the next statement; the exit code still tells of the first error")
	flags.BoolVar(&r.DryRun, "dry-run", false, "show what writing statements would do, and write nothing")
	flags.StringVar(&r.MaxRejects, "max-rejects", "", "stop a statement with more rejected rows than `N`, or a part like 5% (default 1000; 0 stops at the first)")
	flags.DurationVar(&r.Timeout, "timeout", 0, "end a statement that takes longer than `duration`, like 90s or 5m")
	flags.StringVar(&r.JobID, "job-id", "", "`name` of this run of a script: run again, it leaves out what is done and goes on with what broke off")
}

// Settings returns settings with those that the flags stand for.
func (r *Run) Settings(given map[string]string) map[string]string {
	all := maps.Clone(given)
	if all == nil {
		all = map[string]string{}
	}
	if r.DryRun {
		all["eslake.dry.run"] = "true"
	}
	if r.MaxRejects != "" {
		all["eslake.max.rejects"] = r.MaxRejects
	}
	return all
}

// Validate refuses what does not fit together.
func (r *Run) Validate() error {
	if r.Timeout < 0 {
		return errors.New("--timeout is less than 0")
	}
	if strings.ContainsFunc(r.JobID, func(c rune) bool { return c == '/' || unicode.IsSpace(c) || unicode.IsControl(c) }) {
		return errors.New("--job-id has a space or a / in it")
	}
	return nil
}
