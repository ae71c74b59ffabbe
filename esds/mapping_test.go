package esds

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/eslake/eslake/sql/row"
)

// TestMapping runs the golden files. schema takes a mapping, or several with
// "index: " before each, and shows the columns that they give, under the options
// of its arguments; create takes columns "name TYPE", shows the mapping of a new
// index and, when they differ, the columns that it reads back as.
func TestMapping(t *testing.T) {
	datadriven.Walk(t, "testdata/mapping", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			raw := map[string]string{}
			for _, arg := range d.CmdArgs {
				raw[arg.Key] = strings.Join(arg.Vals, ",")
			}
			opts, _, err := ParseOptions(raw)
			if err != nil {
				return err.Error() + "\n"
			}
			switch d.Cmd {
			case "schema":
				return readMappings(d.Input, opts)
			case "create":
				return createMapping(t, d.Input, opts)
			}
			t.Fatalf("unknown command %s", d.Cmd)
			return ""
		})
	})
}

func readMappings(input string, opts Options) string {
	indices := map[string][]Field{}
	for line := range strings.Lines(input) {
		name, body := "idx", strings.TrimSpace(line)
		if !strings.HasPrefix(body, "{") {
			name, body, _ = strings.Cut(body, ": ")
		}
		fields, err := ParseMapping([]byte(body))
		if err != nil {
			return err.Error() + "\n"
		}
		indices[name] = fields
	}
	fields := ReadFields(MergeMappings(indices), opts)
	var out strings.Builder
	for i, c := range SchemaOf(fields) {
		fmt.Fprintf(&out, "%s %s%s\n", c.Name, c.Type, traits(fields[i]))
	}
	return out.String()
}

func traits(f Field) string {
	var out strings.Builder
	for name, set := range map[string]bool{"mixed": f.Mixed} {
		if set {
			out.WriteString(" " + name)
		}
	}
	if f.Clash != "" {
		out.WriteString(" clash: " + f.Clash)
	}
	return out.String()
}

func createMapping(t *testing.T, input string, opts Options) string {
	var schema row.Schema
	for line := range strings.Lines(input) {
		name, typ, _ := strings.Cut(strings.TrimSpace(line), " ")
		parsed, err := parseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		schema = append(schema, row.Field{Name: name, Type: parsed})
	}
	mapping, err := MappingOf(schema, opts)
	if err != nil {
		return err.Error() + "\n"
	}
	if mapping == nil {
		return "none\n"
	}
	var out bytes.Buffer
	if err := json.Indent(&out, mapping, "", " "); err != nil {
		t.Fatal(err)
	}
	out.WriteByte('\n')
	fields, err := ParseMapping(mapping)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range SchemaOf(fields) {
		if i := schema.Index(c.Name); i < 0 || !schema[i].Type.Equal(c.Type) {
			fmt.Fprintf(&out, "reads back: %s %s\n", c.Name, c.Type)
		}
	}
	return out.String()
}

func TestSettingsOf(t *testing.T) {
	opts, _, err := ParseOptions(map[string]string{"eslake.index.settings.number_of_shards": "3", "eslake.index.settings.index.refresh_interval": "30s"})
	if err != nil {
		t.Fatal(err)
	}
	got, err := SettingsOf(opts)
	if want := `{"index.number_of_shards":"3","index.refresh_interval":"30s"}`; string(got) != want || err != nil {
		t.Errorf("settings = %s, %v, want %s", got, err, want)
	}
}

func TestParseTypeErrors(t *testing.T) {
	for _, text := range []string{"", "TEXT", "ARRAY<", "ARRAY<INT", "MAP<INT>", "STRUCT<a INT>", "DECIMAL(39,0)", "DECIMAL(5", "INT INT", strings.Repeat("ARRAY<", 200)} {
		if parsed, err := parseType(text); err == nil {
			t.Errorf("%q was read as %s", text, parsed)
		}
	}
}

func FuzzParseType(f *testing.F) {
	for _, text := range []string{"STRUCT<`a ``b`: ARRAY<DECIMAL(12, 2)>, c: MAP<STRING, DATE>>", "TIMESTAMP_NTZ", "STRUCT<>"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := parseType(text)
		if err != nil {
			return
		}
		again, err := parseType(parsed.SQL())
		if err != nil || !again.Equal(parsed) {
			t.Errorf("%q was read as %s, which reads back as %s, %v", text, parsed.SQL(), again.SQL(), err)
		}
	})
}
