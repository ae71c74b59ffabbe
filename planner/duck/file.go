package duck

import (
	"context"
	"errors"
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

const fileMacros = ""

// FileSQL returns a table expression that reads files as Spark reads them.
func FileSQL(format, path string, opts map[string]string, columns row.Schema) (string, error) {
	return "", errors.New("files are not read yet")
}

// FileSchema returns the columns that files have.
func (e *Engine) FileSchema(ctx context.Context, format, path string, opts map[string]string) (row.Schema, error) {
	return nil, fmt.Errorf("files are not read yet")
}

func fileError(_ context.Context, _ *Engine, err error) error { return err }
