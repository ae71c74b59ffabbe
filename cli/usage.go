package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eslake/eslake/sql/lex"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// usageError is a call that makes no sense; nothing ran.
type usageError struct {
	err  error
	hint string
}

// Error returns the cause.
func (e *usageError) Error() string { return e.err.Error() }

func (e *usageError) Unwrap() error { return e.err }

func usagef(hint, format string, args ...any) error {
	return &usageError{err: fmt.Errorf(format, args...), hint: hint}
}

// flagError words what pflag says, with the nearest flag.
func flagError(cmd *cobra.Command, err error) error {
	hint := cmd.CommandPath() + " --help lists the flags"
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) {
		var invalid *pflag.InvalidValueError
		if errors.As(err, &invalid) && invalid.GetFlag() != nil {
			return usagef(hint, "--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
		}
		return &usageError{err: err, hint: hint}
	}
	if unknown.GetSpecifiedShortnames() != "" {
		return usagef(hint, "unknown flag -%s", unknown.GetSpecifiedShortnames())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := lex.Near(unknown.GetSpecifiedName(), names); near != "" {
		return usagef(hint, "unknown flag --%s; did you mean --%s?", unknown.GetSpecifiedName(), near)
	}
	return usagef(hint, "unknown flag --%s", unknown.GetSpecifiedName())
}

// noCommand refuses words behind eslake: they are mistyped commands.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := cmd.CommandPath() + " --help lists the commands"
	if strings.HasSuffix(strings.ToLower(args[0]), ".sql") {
		return usagef(hint, "unknown command %q; eslake run %s runs a script", args[0], args[0])
	}
	if args[0] == "on" || args[0] == "off" {
		return usagef(hint, "unknown command %q; the value of --timing stands behind a =: --timing=%s", args[0], args[0])
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	if near := lex.Near(args[0], names); near != "" {
		return usagef(hint, "unknown command %q; did you mean %q?", args[0], near)
	}
	return usagef(hint, "unknown command %q", args[0])
}

// checked makes the errors of a check of arguments mistakes of the call.
func checked(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return &usageError{err: err, hint: "usage: " + cmd.UseLine()}
		}
		return nil
	}
}
