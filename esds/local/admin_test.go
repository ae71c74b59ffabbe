package local_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

func TestNamesAndAliases(t *testing.T) {
	s := fresh(t)
	ctx := t.Context()
	for _, name := range []string{"logs-1", "logs-2", "other"} {
		def := esds.Definition{Mappings: []byte(`{"properties":{"n":{"type":"long"}}}`)}
		if name != "other" {
			def.Aliases = []byte(fmt.Sprintf(`{"logs":{"is_write_index":%t}}`, name == "logs-2"))
		}
		if err := s.Create(ctx, name, def); err != nil {
			t.Fatal(err)
		}
		write(t, s, esds.Write{Index: name, ID: "n"}, rows(t, row.Schema{{Name: "n", Type: row.BigIntType}}, []any{len(name)}))
	}
	tests := []struct{ name, want string }{
		{"logs", "alias [logs-1 logs-2] logs-2"},
		{"logs-1", "index [logs-1] logs-1"},
		{"logs-*", "pattern [logs-1 logs-2] "},
		{"*,-logs-1", "pattern [logs-2 other] "},
		{"other,logs", "pattern [logs-1 logs-2 other] "},
		{"none", "absent [] "},
	}
	for _, tt := range tests {
		got, err := s.Resolve(ctx, tt.name)
		check(t, tt.name, fmt.Sprint(got.Kind, " ", got.Indices, " ", got.Write), tt.want)
		if err != nil {
			t.Error(err)
		}
	}
	check(t, "alias", read(t, s, "logs", text("_index", "n")), "[logs-1 6]\n[logs-2 6]")
	check(t, "missing", read(t, s, "none", nil), "error: describe none: index not found (status 404)")
	check(t, "missing pattern", read(t, s, "none*", nil), "error: describe none*: index not found (status 404)")
	check(t, "missing in list", read(t, s, "logs,none", nil), "error: describe none: index not found (status 404)")
	check(t, "to alias", write(t, s, esds.Write{Index: "logs", ID: "n"}, rows(t, row.Schema{{Name: "n", Type: row.BigIntType}}, []any{7})), "rows 1 created 1 updated 0 deleted 0 noop 0 rejected 0")
	check(t, "to pattern", write(t, s, esds.Write{Index: "logs*", ID: "n"}, rows(t, row.Schema{{Name: "n", Type: row.BigIntType}}, []any{7})),
		"rows 0 created 0 updated 0 deleted 0 noop 0 rejected 0\nerror: write logs*: a wildcard or a list of indices cannot be written (status 400)")
	for _, bad := range []string{"Upper", "_x", "-x", "a*b", "a b", "", strings.Repeat("x", 256)} {
		if err := s.Create(ctx, bad, esds.Definition{}); err == nil {
			t.Errorf("%q is taken as a name", bad)
		}
	}
	if err := s.Create(ctx, "other", esds.Definition{}); !errors.Is(err, esds.ErrIndexExists) {
		t.Errorf("error = %v", err)
	}
	if err := s.Drop(ctx, "none"); !errors.Is(err, esds.ErrIndexNotFound) {
		t.Errorf("error = %v", err)
	}
	if err := s.Drop(ctx, "other"); err != nil {
		t.Error(err)
	}
	if err := s.Refresh(ctx, "other"); !errors.Is(err, esds.ErrIndexNotFound) {
		t.Errorf("error = %v", err)
	}
}

func TestReplace(t *testing.T) {
	one := row.Schema{{Name: "n", Type: row.BigIntType}}
	tests := []struct {
		name   string
		target string
		mode   esds.ReplaceMode
		kind   string
		index  string
	}{
		{"recreate an index", "idx", esds.Recreate, "index", "[idx]"},
		{"swap an index", "idx", esds.Swap, "alias", "[idx-staged]"},
		{"swap an alias", "al", esds.Swap, "alias", "[idx-staged]"},
		{"recreate what is absent", "new", esds.Recreate, "index", "[new]"},
		{"swap what is absent", "new", esds.Swap, "index", "[new]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, ctx := fresh(t), t.Context()
			if err := s.Create(ctx, "idx", esds.Definition{Aliases: []byte(`{"al":{}}`)}); err != nil {
				t.Fatal(err)
			}
			write(t, s, esds.Write{Index: "idx", ID: "n"}, rows(t, one, []any{1}, []any{2}))
			write(t, s, esds.Write{Index: "idx-staged", ID: "n"}, rows(t, one, []any{3}))
			old, err := s.Open(ctx, "idx", nil)
			if err != nil {
				t.Fatal(err)
			}
			reading, err := old.Scan(ctx, esds.Scan{Columns: one}) // a reader of the old rows is not disturbed
			if err != nil {
				t.Fatal(err)
			}
			target, err := s.Resolve(ctx, tt.target)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Replace(ctx, esds.Replacement{Staging: "idx-staged", Target: target, Mode: tt.mode}); err != nil {
				t.Fatal(err)
			}
			check(t, "read", read(t, s, tt.target, one), "[3]")
			now, err := s.Resolve(ctx, tt.target)
			check(t, "resolved", fmt.Sprintf("%s %v %v", now.Kind, now.Indices, err), tt.kind+" "+tt.index+" <nil>")
			got, err := row.ReadAll(ctx, reading)
			check(t, "old reader", fmt.Sprint(got, err), "[[1] [2]] <nil>")
			if tt.target != "new" {
				check(t, "alias", read(t, s, "al", one), "[3]")
			}
		})
	}
}
