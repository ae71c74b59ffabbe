package esds

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eslake/eslake/sql/lex"
)

// ParseFileOptions checks the options of a table or directory of provider csv,
// json or parquet. Keys are taken in any case and kept as Spark spells them.
// The error is an *OptionError.
func ParseFileOptions(provider string, raw map[string]string) (Options, []string, error) {
	opts := FileCatalogue(provider)
	p := parser{
		opts: Options{}, spelling: map[string]string{},
		lookup: func(spelling string) (string, Option, error) { return lookupFile(opts, provider, spelling) },
		// "" says something here: nullValue '', quote ''
		blankUnset: func(opt Option) bool { return opt.Type != Text && opt.Type != Char },
	}
	if err := p.parse(raw); err != nil {
		return nil, nil, err
	}
	return p.opts, p.notes, nil
}

// FileCatalogue returns the options of csv, json or parquet, none for another
// provider.
func FileCatalogue(provider string) []Option {
	var opts []Option
	for _, o := range fileOptions {
		if slices.Contains(o.providers, provider) {
			opts = append(opts, o.Option)
		}
	}
	return opts
}

func lookupFile(opts []Option, provider, spelling string) (string, Option, error) {
	key := strings.TrimSpace(spelling)
	if to, ok := fileAliases[strings.ToLower(key)]; ok {
		key = to
	}
	names := make([]string, len(opts))
	for i, opt := range opts {
		if strings.EqualFold(opt.Key, key) {
			return opt.Key, opt, nil
		}
		names[i] = opt.Key
	}
	e := &OptionError{Key: spelling, Reason: "unknown option of " + provider, Hint: "there are " + strings.Join(names, ", ")}
	if near := lex.Near(key, names); near != "" {
		e.Hint = fmt.Sprintf("did you mean %s?", near)
	}
	return "", Option{}, e
}

func findFileOption(key string) (Option, bool) {
	for _, o := range fileOptions {
		if o.Key == key {
			return o.Option, true
		}
	}
	return Option{}, false
}

var fileAliases = map[string]string{"delimiter": "sep", "charset": "encoding", "codec": "compression", "separator": "sep"}

type fileOption struct {
	providers []string
	Option
}

var (
	allFiles = []string{ProviderCSV, ProviderJSON, ProviderParquet}
	textual  = []string{ProviderCSV, ProviderJSON}
	csvOnly  = []string{ProviderCSV}
	jsonOnly = []string{ProviderJSON}
	parquet  = []string{ProviderParquet}
)

// whole is why options about single files do not serve parquet.
const whole = "DuckDB opens the parquet files of a path as one"

var modes = []string{"PERMISSIVE", "DROPMALFORMED", "FAILFAST"}

// fileOptions has the options of Spark's file sources, each key once for every
// default that it can have.
var fileOptions = []fileOption{
	{allFiles, Option{Key: "path", Type: Text, Help: "file, folder or pattern"}},
	{csvOnly, Option{Key: "header", Type: Bool, Default: "false", Help: "the first line holds names"}},
	{csvOnly, Option{Key: "sep", Type: Char, Default: ",", Help: "what stands between two values"}},
	{csvOnly, Option{Key: "quote", Type: Char, Max: 1, Default: `"`, Help: "what stands around values; '' for nothing"}},
	{csvOnly, Option{Key: "escape", Type: Char, Max: 1, Default: `\`, Help: "what stands before a quote inside quotes"}},
	{csvOnly, Option{Key: "comment", Type: Char, Max: 1, Side: ReadSide, Help: "lines that begin with it are left out"}},
	{csvOnly, Option{Key: "nullValue", Type: Text, Help: "text that is NULL"}},
	{csvOnly, Option{Key: "emptyValue", Type: Text, Help: "text that stands for an empty string"}},
	{csvOnly, Option{Key: "inferSchema", Type: Bool, Default: "false", Side: ReadSide, Help: "find the types by reading the file; else all columns are STRING"}},
	{csvOnly, Option{Key: "quoteAll", Type: Bool, Default: "false", Side: WriteSide, Help: "quote every value"}},
	{csvOnly, Option{Key: "ignoreLeadingWhiteSpace", Type: Bool, Default: "false", Side: ReadSide, Help: "drop blanks before values"}},
	{csvOnly, Option{Key: "ignoreTrailingWhiteSpace", Type: Bool, Default: "false", Side: ReadSide, Help: "drop blanks after values"}},
	{csvOnly, Option{Key: "enforceSchema", Type: Bool, Default: "true", Side: ReadSide, Help: "take columns by place, whatever the header says; false: its names must be those of the columns"}},
	{csvOnly, Option{Key: "nanValue", Type: Text, Default: "NaN", Side: ReadSide, Help: "text that is not a number"}},
	{csvOnly, Option{Key: "positiveInf", Type: Text, Default: "Inf", Side: ReadSide, Help: "text of infinity"}},
	{csvOnly, Option{Key: "negativeInf", Type: Text, Default: "-Inf", Side: ReadSide, Help: "text of negative infinity"}},
	{csvOnly, Option{Key: "maxColumns", Type: Int, Default: "20480", Side: ReadSide, Status: Note, Reason: "there is no limit", Help: "most columns"}},
	{csvOnly, Option{Key: "maxCharsPerColumn", Type: Int, Default: "-1", Side: ReadSide, Status: Note, Min: -1, Reason: "there is no limit", Help: "longest value"}},
	{textual, Option{Key: "mode", Type: Enum, Values: modes, Default: "FAILFAST", Side: ReadSide, Help: "what to do with a line that cannot be read"}},
	{textual, Option{Key: "encoding", Type: Text, Default: "UTF-8", Side: ReadSide, Help: "encoding of the text"}},
	{textual, Option{Key: "dateFormat", Type: Text, Default: "yyyy-MM-dd", Help: "form of dates"}},
	{textual, Option{Key: "timestampFormat", Type: Text, Help: "form of timestamps; '' for ISO"}},
	{textual, Option{Key: "timestampNTZFormat", Type: Text, Side: ReadSide, Help: "form of timestamps without zone; '' for ISO"}},
	{textual, Option{Key: "timeZone", Type: Text, Side: ReadSide, Help: "zone of timestamps that have none; the session's when it is not set"}},
	{textual, Option{Key: "locale", Type: Enum, Values: []string{"en-US", "en"}, Default: "en-US", Help: "language of names in dates: English"}},
	{textual, Option{Key: "multiLine", Type: Bool, Default: "false", Side: ReadSide, Help: "a record may span lines"}},
	{textual, Option{Key: "lineSep", Type: Char, Max: 2, Side: WriteSide, Help: "what ends a line; any of \\n, \\r\\n, \\r is read"}},
	{textual, Option{Key: "samplingRatio", Type: Text, Default: "1.0", Side: ReadSide, Status: Note, Reason: "eslake samples as it needs", Help: "part of the rows that types are found from"}},
	{textual, Option{Key: "columnNameOfCorruptRecord", Type: Text, Default: "_corrupt_record", Side: ReadSide, Help: "STRING column that gets what cannot be read, with mode PERMISSIVE"}},
	{textual, Option{Key: "compression", Type: Enum, Values: []string{"none", "uncompressed", "gzip", "zstd", "bzip2", "lz4", "snappy", "deflate"}, Side: WriteSide, Help: "compression of files; bzip2 and lz4 are not written. Reading goes by the ending: .gz, .zst, .bz2, .deflate, .snappy"}},
	{jsonOnly, Option{Key: "primitivesAsString", Type: Bool, Default: "false", Side: ReadSide, Help: "find STRING for every value that is no object or list"}},
	{jsonOnly, Option{Key: "prefersDecimal", Type: Bool, Default: "false", Side: ReadSide, Help: "find DECIMAL for fractions, where 38 digits are enough"}},
	{jsonOnly, Option{Key: "ignoreNullFields", Type: Bool, Default: "true", Side: WriteSide, Help: "leave out NULL"}},
	{jsonOnly, Option{Key: "allowComments", Type: Bool, Default: "false", Side: ReadSide, Help: "take comments in JSON: // and /* */"}},
	{jsonOnly, Option{Key: "allowSingleQuotes", Type: Bool, Default: "true", Side: ReadSide, Status: Note, Reason: "JSON as the standard has it is read", Help: "take single quotes"}},
	{parquet, Option{Key: "compression", Type: Enum, Values: []string{"snappy", "none", "uncompressed", "gzip", "zstd", "lz4", "lz4_raw", "brotli"}, Side: WriteSide, Help: "compression of pages; snappy when it is not set"}},
	{parquet, Option{Key: "mergeSchema", Type: Bool, Default: "true", Side: ReadSide, Help: "the table has the columns of all files; false: those of the first"}},
	{allFiles, Option{Key: "recursiveFileLookup", Type: Bool, Default: "false", Side: ReadSide, Help: "read folders inside the folder too"}},
	{allFiles, Option{Key: "pathGlobFilter", Type: Text, Side: ReadSide, Help: "pattern that names of files match"}},
	{allFiles, Option{Key: "modifiedBefore", Type: Text, Side: ReadSide, Help: "only files changed before: 2024-01-31T12:30:00"}},
	{allFiles, Option{Key: "modifiedAfter", Type: Text, Side: ReadSide, Help: "only files changed after"}},
	{textual, Option{Key: "ignoreMissingFiles", Type: Bool, Default: "false", Side: ReadSide, Help: "leave out a file that vanishes before it is read; a path without files is an error still"}},
	{textual, Option{Key: "ignoreCorruptFiles", Type: Bool, Default: "false", Side: ReadSide, Help: "leave out the rest of a file that cannot be read on; a note tells"}},
	{parquet, Option{Key: "ignoreMissingFiles", Type: Bool, Side: ReadSide, Status: Refused, Reason: whole, Help: "leave out a file that vanishes"}},
	{parquet, Option{Key: "ignoreCorruptFiles", Type: Bool, Side: ReadSide, Status: Refused, Reason: whole, Help: "leave out files that cannot be read"}},
}
