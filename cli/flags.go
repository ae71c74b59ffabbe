package cli

import (
	"errors"

	"github.com/eslake/eslake/cli/config"
	"github.com/eslake/eslake/cli/render"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// options are the flags of the commands that run statements.
type options struct {
	places  config.Places
	cluster config.Cluster
	input   config.Input
	output  config.Output
	run     config.Run
	format  render.Format

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
	err := errors.Join(o.cluster.Validate(), o.output.Validate(), o.run.Validate())
	if err == nil {
		o.password, err = o.cluster.Password(app.Lookup)
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
