package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// version and commit are set when a release is linked.
var (
	version = ""
	commit  = ""
)

func newVersionCommand(app *App) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the versions of eslake, Go and DuckDB",
		Args:  checked(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			info := buildInfo()
			fmt.Fprintf(app.Out, "eslake  %s\ncommit  %s\ngo      %s %s/%s\nduckdb  %s\n",
				info.version, info.commit, strings.TrimPrefix(runtime.Version(), "go"), runtime.GOOS, runtime.GOARCH, info.duckdb)
			return nil
		},
	}
}

type buildFacts struct{ version, commit, duckdb string }

// buildInfo reads what the linker wrote; DuckDB is not started for it.
func buildInfo() buildFacts {
	facts := buildFacts{version: version, commit: commit, duckdb: "unknown"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && facts.commit == "" {
			facts.commit = s.Value[:min(12, len(s.Value))]
		}
	}
	for _, m := range info.Deps {
		if strings.HasPrefix(m.Path, "github.com/duckdb/duckdb-go") {
			facts.duckdb = either(duckVersion(m.Version), facts.duckdb)
		}
	}
	if facts.version == "" {
		facts.version = either(strings.TrimPrefix(strings.TrimPrefix(info.Main.Version, "(devel)"), "v"), "0.0.0-dev")
	}
	facts.commit = either(facts.commit, "unknown")
	return facts
}

// duckVersion reads DuckDB's version out of that of its Go module, which has it
// as its second part: v2.10506.0 is 1.5.6.
func duckVersion(module string) string {
	parts := strings.Split(module, ".")
	if len(parts) < 2 {
		return ""
	}
	n, err := strconv.Atoi(parts[1])
	if err != nil || n < 10000 {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d", n/10000, n/100%100, n%100)
}

func versionLine() string {
	info := buildInfo()
	return fmt.Sprintf("eslake %s (%s)", info.version, info.commit)
}
