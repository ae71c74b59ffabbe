package cli

import (
	"github.com/eslake/eslake/cli/config"
	"github.com/spf13/cobra"
)

const rootLong = `eslake makes Elasticsearch and OpenSearch indices behave like the tables of a data
lake, in the SQL that Spark users write.

Without -e and -f it is a shell on a terminal, and runs its standard input elsewhere.
Tables that name no cluster live in the embedded lake, one local file.`

const rootExample = `  eslake                                        the shell, on the embedded lake
  eslake -e "SELECT * FROM clicks" > clicks.csv
  eslake -f load.sql -d day=2024-05-01          ${day} in the script is 2024-05-01
  eslake --url https://es1:9200 -u ana -e "SHOW TABLES"`

func newRootCommand(app *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "eslake [flags]",
		Short:             "Elasticsearch and OpenSearch indices as tables, in Spark's SQL",
		Long:              rootLong,
		Example:           rootExample,
		Version:           versionLine(),
		Args:              noCommand,
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	cmd.SetFlagErrorFunc(flagError)
	cmd.SetVersionTemplate("{{.Version}}\n")
	cmd.SuggestionsMinimumDistance = 2
	o := newOptions(cmd)
	cmd.Flags().SortFlags = false
	o.input.AddFlags(cmd.Flags())
	cmd.Flags().BoolP("version", "V", false, "print the version")
	cmd.Flags().BoolP("help", "h", false, "print this help")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := o.prepare(app, cmd.Flags()); err != nil {
			return err
		}
		if len(o.input.Steps) > 0 {
			return app.runSteps(o, o.input.Steps)
		}
		if app.watched() && o.output.File == "" {
			return app.shell(o)
		}
		return app.runSteps(o, []config.Step{{File: "-"}})
	}
	cmd.AddCommand(newRunCommand(app, o), newShellCommand(app, o), newJobsCommand(app, o), newOptionsCommand(app), newVersionCommand(app))
	return cmd
}
