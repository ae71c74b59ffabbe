package session

import (
	"context"
	"fmt"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// checkDefaults refuses a DEFAULT that is no constant or does not fit its column.
func (s *Session) checkDefaults(ctx context.Context, columns []sql.ColumnDef) error {
	for _, c := range columns {
		if c.Default == nil {
			continue
		}
		if err := planner.CheckDefault(ctx, s.env(), row.Field{Name: c.Name.Name, Type: c.Type}, c.Default); err != nil {
			return err
		}
	}
	return nil
}

// declared is a column of a table as the catalog keeps it.
func declared(t *catalog.Table, c sql.ColumnDef) (row.Field, error) {
	f := row.Field{Name: c.Name.Name, Type: c.Type, NotNull: c.NotNull, Comment: c.Comment}
	if c.Default == nil {
		return f, nil
	}
	if t.Provider != esds.ProviderES {
		return f, &lex.Error{
			Code: "E2118", Span: c.Default.Span(), Message: fmt.Sprintf("column %s of %s files takes no DEFAULT", row.QuoteName(f.Name), t.Provider),
			Hint: "a default is for rows that are written; coalesce(column, value) fills what is read",
		}
	}
	f.Default = c.Default.String()
	return f, nil
}
