package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner"
	"github.com/eslake/eslake/sql"
	"github.com/eslake/eslake/sql/lex"
	"github.com/eslake/eslake/sql/row"
)

// settings are the values of SET, keys in lower case, and what RESET goes back to.
type settings struct {
	values, initial map[string]string
}

func newSettings(initial map[string]string) settings {
	s := settings{values: map[string]string{}, initial: map[string]string{}}
	for k, v := range initial {
		s.values[settingKey(k)] = v
	}
	maps.Copy(s.initial, s.values)
	return s
}

// settingKey brings a key to its full name: spark.es.nodes is es.nodes.
func settingKey(key string) string {
	key = strings.ToLower(strings.TrimSpace(key))
	rest := strings.TrimPrefix(key, "spark.")
	if strings.HasPrefix(rest, "es.") || strings.HasPrefix(rest, "eslake.") {
		return rest
	}
	return key
}

// canonicalKey is the full name of a table option, for comparing spellings.
func canonicalKey(spelling string) string {
	if key, err := esds.OptionKey(spelling); err == nil {
		return key
	}
	return strings.ToLower(spelling)
}

// sparkSetting is a key of Spark's that means something here.
type sparkSetting struct {
	values []string                 // allowed, in lower case; nil for any
	why    string                   // why another value is refused
	check  func(value string) error // why a value is refused; nil where values says it
}

func isZone(value string) error {
	_, err := row.ParseZone(value)
	return err
}

var sparkSettings = map[string]sparkSetting{
	"spark.sql.storeassignmentpolicy": {values: []string{"ansi", "legacy", "strict"}, why: "it is ANSI, LEGACY or STRICT"},
	"spark.sql.ansi.enabled":          {values: []string{"true", "false"}, why: "it is true or false"},
	"spark.sql.session.timezone":      {check: isZone},
	"spark.sql.casesensitive":         {values: []string{"false"}, why: "names are compared without case"},
}

func (s *Session) set(st *sql.Set) (Result, error) {
	if st.Key.Name == "" {
		return Result{Rows: s.listSettings(st.Verbose)}, nil
	}
	key := settingKey(st.Key.Name)
	if !st.Assign {
		value, ok := s.settings.values[key]
		if !ok {
			value = "<undefined>"
		}
		return Result{Rows: textRows([]string{"key", "value"}, [][]any{{st.Key.Name, catalog.Redact(key, value)}})}, nil
	}
	if err := s.checkSetting(key, st); err != nil {
		return Result{}, err
	}
	before, had := s.settings.values[key]
	s.settings.values[key] = st.Value
	message := fmt.Sprintf("%s = %s", st.Key.Name, catalog.Redact(key, st.Value))
	if had {
		message += fmt.Sprintf(" (was %s)", catalog.Redact(key, before))
	}
	return Result{Message: message}, nil
}

func (s *Session) checkSetting(key string, st *sql.Set) error {
	switch {
	case strings.HasPrefix(key, "es."), strings.HasPrefix(key, "eslake."):
		_, notes, err := esds.ParseOptions(map[string]string{key: st.Value})
		for _, n := range notes {
			s.notice(n)
		}
		return planner.Located(err, st.Key.At)
	case strings.HasPrefix(key, "spark.") || strings.HasPrefix(key, "hive."):
		known, ok := sparkSettings[key]
		if !ok {
			s.notice(fmt.Sprintf("%s has no effect here", st.Key.Name))
			return nil
		}
		if known.check != nil {
			if err := known.check(st.Value); err != nil {
				return &lex.Error{Code: "E2121", Span: st.Key.At, Message: fmt.Sprintf("%s = %s: %s", st.Key.Name, st.Value, err)}
			}
		}
		if known.values != nil && !slices.Contains(known.values, strings.ToLower(st.Value)) {
			return &lex.Error{Code: "E2121", Span: st.Key.At, Message: fmt.Sprintf("%s = %s: %s", st.Key.Name, st.Value, known.why)}
		}
		return nil
	}
	hint := "keys begin with es., eslake. or spark."
	if full, err := esds.OptionKey(key); err == nil {
		hint = fmt.Sprintf("did you mean %s?", full)
	}
	return &lex.Error{Code: "E2121", Span: st.Key.At, Message: fmt.Sprintf("there is no setting %s", st.Key.Name), Hint: hint}
}

func (s *Session) listSettings(verbose bool) row.Reader {
	if verbose {
		var list [][]any
		for _, o := range esds.Catalogue() {
			value, ok := s.settings.values[o.Key]
			if !ok {
				value = o.Default
			}
			list = append(list, []any{o.Key, catalog.Redact(o.Key, value), o.Help})
		}
		return textRows([]string{"key", "value", "meaning"}, list)
	}
	var list [][]any
	for _, k := range slices.Sorted(maps.Keys(s.settings.values)) {
		list = append(list, []any{k, catalog.Redact(k, s.settings.values[k])})
	}
	return textRows([]string{"key", "value"}, list)
}

func (s *Session) reset(st *sql.Reset) (Result, error) {
	if st.Key.Name == "" {
		s.settings.values = maps.Clone(s.settings.initial)
		return Result{Message: "RESET"}, nil
	}
	key := settingKey(st.Key.Name)
	delete(s.settings.values, key)
	if v, ok := s.settings.initial[key]; ok {
		s.settings.values[key] = v
	}
	return Result{Message: "RESET " + st.Key.Name}, nil
}
