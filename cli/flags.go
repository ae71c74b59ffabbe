package cli

import (
	"errors"
	"fmt"

	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags of the commands that run statements.
type options struct {
	places   config.Places
	profiles config.Profiles
	cluster  config.Cluster
	safety   config.Safety
	input    config.Input
	output   config.Output
	run      config.Run
	format   render.Format

	profile  *config.Profile // nil for none
	password string
	color    bool
	timing   bool
	progress bool
}

// newOptions adds the flags to every command below root.
func newOptions(root *cobra.Command) *options {
	o := &options{format: render.Auto}
	flags := root.PersistentFlags()
	flags.SortFlags = false
	o.input.AddValueFlags(flags)
	flags.Var(&o.format, "format", "auto, table, vertical, csv, tsv, json, ndjson, markdown or raw (default auto: a table on a terminal, else csv)")
	flags.Lookup("format").DefValue = ""
	o.output.AddFlags(flags)
	o.run.AddFlags(flags)
	o.safety.AddFlags(flags)
	o.profiles.AddFlags(flags)
	o.cluster.AddFlags(flags)
	o.places.AddFlags(flags)
	_ = root.RegisterFlagCompletionFunc("format", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		for _, f := range render.Formats() {
			names = append(names, string(f))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	})
	return o
}

// prepare takes what the environment says and checks what fits together. Its
// errors are mistakes of the call.
func (o *options) prepare(app *App, flags *pflag.FlagSet) error {
	if err := config.ApplyEnvironment(flags, app.Lookup); err != nil {
		return &usageError{err: err}
	}
	if err := o.takeProfile(flags); err != nil {
		return &usageError{err: err}
	}
	err := errors.Join(o.cluster.Validate(), o.output.Validate(), o.run.Validate(), o.safety.Validate())
	if err == nil {
		o.password, err = o.findPassword(app)
	}
	if err != nil {
		return &usageError{err: err}
	}
	if !flags.Changed("format") && o.output.File != "" {
		o.format = formatOf(o.output.File)
	}
	o.color = o.output.Color.On(app.colorful(app.Lookup)) && (o.output.File == "" || o.output.Color.String() == "always")
	o.timing = o.output.Timing.On(app.ErrTerminal)
	o.progress = o.output.Progress.On(app.ErrTerminal) && !o.output.Quiet
	return nil
}

// takeProfile fills in what the profile says. The default profile is for its own
// cluster: it does not count where another was asked for.
func (o *options) takeProfile(flags *pflag.FlagSet) error {
	p, explicit, err := o.profiles.Chosen()
	if err != nil || p == nil {
		return err
	}
	if !explicit && flags.Changed("url") && o.cluster.URL != p.URL {
		return nil
	}
	o.profile = p
	for k, v := range p.Set {
		if _, ok := o.input.Set[k]; !ok {
			o.input.Set[k] = v
		}
	}
	return p.Apply(flags)
}

// findPassword returns the user's password: of the flag or the environment, else
// as the profile says.
func (o *options) findPassword(app *App) (string, error) {
	password, err := o.cluster.Password(app.Lookup)
	if err != nil || password != "" || o.profile == nil || o.profile.PasswordEnv == "" || o.cluster.URL != o.profile.URL || o.cluster.User != o.profile.User {
		return password, err
	}
	password, ok := app.Lookup(o.profile.PasswordEnv)
	if !ok {
		return "", fmt.Errorf("profile %s: the variable %s of the environment is not set", o.profile.Name, o.profile.PasswordEnv)
	}
	return password, nil
}

// protected reports whether the cluster is one to be careful with.
func (o *options) protected() bool { return o.profile != nil && o.profile.Protected }

// promptName begins the prompt: with the profile, and a mark when it is protected.
func (o *options) promptName() string {
	switch {
	case o.profile == nil:
		return "eslake"
	case o.profile.Protected:
		return "eslake:" + o.profile.Name + "!"
	default:
		return "eslake:" + o.profile.Name
	}
}
