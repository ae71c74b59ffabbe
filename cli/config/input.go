package config

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/pflag"
)

// Input is what to run, and the values that it starts with.
type Input struct {
	Steps  []Step // of -e and -f, in their order
	Define map[string]string
	Set    map[string]string
}

// Step is one -e or -f.
type Step struct {
	SQL  string // of -e
	File string // of -f; "-" is the standard input; "" for -e
}

// AddFlags adds --execute and --file.
func (in *Input) AddFlags(flags *pflag.FlagSet) {
	flags.VarP(&stepValue{steps: &in.Steps}, "execute", "e", "run `SQL`; may be given several times, and mixed with -f")
	flags.VarP(&stepValue{steps: &in.Steps, file: true}, "file", "f", "run the statements of `file`, - for the standard input")
	flags.VarP(&stepValue{steps: &in.Steps}, "command", "c", "")
	flags.Lookup("command").Hidden = true // as psql spells it
	for _, name := range []string{"execute", "file", "command"} {
		_ = flags.SetAnnotation(name, noEnvironment, []string{"true"})
	}
}

// AddValueFlags adds --define and --set.
func (in *Input) AddValueFlags(flags *pflag.FlagSet) {
	in.Define, in.Set = map[string]string{}, map[string]string{}
	flags.VarP(&pairs{values: in.Define, name: variableName, what: "the name of a variable"}, "define", "d", "`NAME=VALUE` for ${NAME} in the statements")
	flags.Var(&pairs{values: in.Set, name: settingName, what: "the name of a setting"}, "set", "`KEY=VALUE` as SET KEY = VALUE does")
	for _, name := range []string{"define", "set"} {
		_ = flags.SetAnnotation(name, noEnvironment, []string{"true"})
	}
}

// stepValue appends to the steps of both flags, so that their order is kept.
type stepValue struct {
	steps *[]Step
	file  bool
}

func (v *stepValue) String() string { return "" }
func (v *stepValue) Type() string   { return "string" }

func (v *stepValue) Set(s string) error {
	if !v.file {
		*v.steps = append(*v.steps, Step{SQL: s})
		return nil
	}
	if s == "" {
		return fmt.Errorf("no file is named")
	}
	*v.steps = append(*v.steps, Step{File: s})
	return nil
}

var (
	variableName = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_.-]*$`)
	settingName  = regexp.MustCompile(`^[^\s=]+$`)
)

// pairs takes NAME=VALUE; a value may hold any character.
type pairs struct {
	values map[string]string
	name   *regexp.Regexp
	what   string
}

func (p *pairs) String() string { return "" }
func (p *pairs) Type() string   { return "NAME=VALUE" }

func (p *pairs) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return fmt.Errorf("%q has no =", s)
	}
	if !p.name.MatchString(name) {
		return fmt.Errorf("%q is not %s", name, p.what)
	}
	p.values[name] = value
	return nil
}
