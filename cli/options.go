package cli

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
	"github.com/spf13/cobra"
)

func newOptionsCommand(app *App) *cobra.Command {
	return &cobra.Command{
		Use:     "options [PREFIX]",
		Short:   "List the options of tables USING es",
		Example: "  eslake options es.batch\n  eslake options es.mapping.id",
		Args:    checked(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix := ""
			if len(args) == 1 {
				prefix = args[0]
			}
			return app.listOptions(cmd, prefix)
		},
	}
}

func (app *App) listOptions(cmd *cobra.Command, prefix string) error {
	schema := row.Schema{
		{Name: "option", Type: row.StringType},
		{Name: "type", Type: row.StringType},
		{Name: "default", Type: row.StringType},
		{Name: "meaning", Type: row.StringType},
	}
	b := row.NewBatch(schema)
	var keys []string
	for _, o := range esds.Catalogue() {
		keys = append(keys, o.Key)
		if !strings.Contains(o.Key, strings.ToLower(prefix)) {
			continue
		}
		if err := b.AppendRow(o.Key, fmt.Sprint(o.Type), o.Default, meaning(o)); err != nil {
			return err
		}
	}
	if b.Len == 0 {
		if near := lex.Near(prefix, keys); near != "" {
			return usagef("", "no option has %q in its name; did you mean %s?", prefix, near)
		}
		return usagef("eslake options lists all", "no option has %q in its name", prefix)
	}
	format := render.Auto
	if f := cmd.Flags().Lookup("format"); f.Changed {
		format = render.Format(f.Value.String())
	}
	_, err := (&output{w: app.Out}).write(cmd.Context(), format, row.NewBatches(schema, b), render.Options{Width: app.width()})
	return err
}

// meaning says what an option does, and whether it works here.
func meaning(o esds.Option) string {
	switch o.Status {
	case esds.Refused:
		return "not supported: " + o.Reason
	case esds.Later:
		return o.Help + " (not supported yet)"
	case esds.Note:
		return "no effect: " + o.Reason
	default:
		return o.Help
	}
}
