package config

import (
	"errors"

	"github.com/spf13/pflag"
)

// Safety is how much a statement may change without being asked.
type Safety struct {
	Yes            bool
	AllowFullTable bool
	MaxAffected    int64 // 0 for any number
}

// AddFlags adds --yes, --allow-full-table and --max-affected.
func (s *Safety) AddFlags(flags *pflag.FlagSet) {
	flags.BoolVarP(&s.Yes, "yes", "y", false, "do not ask before a change, and write on a protected profile")
	flags.BoolVar(&s.AllowFullTable, "allow-full-table", false, "let UPDATE and DELETE without WHERE change all documents")
	flags.Int64Var(&s.MaxAffected, "max-affected", 0, "stop a statement before it changes more than `n` documents")
}

// Validate refuses what does not fit together.
func (s *Safety) Validate() error {
	if s.MaxAffected < 0 {
		return errors.New("--max-affected is less than 0")
	}
	return nil
}
