package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/eslake/eslake/catalog"
	"github.com/eslake/eslake/cli/repl"
	"github.com/eslake/eslake/cli/session"
	"github.com/eslake/eslake/sql"
)

// Codes of errors of safety; those of a single statement are in cli/session.
const codeProtected = "E5004" // a statement that writes, on a protected profile

// checkSafety stops a script before its first statement when one of them may not
// run: a change of a whole table, or any change on a protected profile.
func checkSafety(o *options, steps []step) error {
	for _, s := range steps {
		if o.safety.AllowFullTable {
			break
		}
		if err := session.FullTable(s.stmt); err != nil {
			return &placedError{placed{err: err, src: s.text.Src, at: s.text.Tokens[0].Span, number: s.number, via: s.via}}
		}
	}
	if !o.protected() || o.safety.Yes || rehearses(o, steps) {
		return nil
	}
	var writing []string
	for _, s := range steps {
		if writes(s.stmt) {
			writing = append(writing, repl.Redact(firstLine(s.source()), catalog.Redact))
		}
	}
	if len(writing) == 0 {
		return nil
	}
	what := "this statement would write: " + writing[0]
	if len(writing) > 1 {
		what = fmt.Sprintf("%d statements would write, the first is: %s", len(writing), writing[0])
	}
	return &session.SafetyError{Code: codeProtected, Message: fmt.Sprintf("profile %s is protected, and %s", o.profile.Name, what), Hint: "--yes lets them; nothing was run"}
}

// rehearses reports whether --dry-run keeps all statements from writing: none of
// them takes it back.
func rehearses(o *options, steps []step) bool {
	if !o.run.DryRun {
		return false
	}
	for _, s := range steps {
		switch st := s.stmt.(type) {
		case *sql.Set:
			if st.Assign && isDryRun(st.Key.Name) {
				return false
			}
		case *sql.Reset:
			if st.Key.Name == "" || isDryRun(st.Key.Name) {
				return false
			}
		}
	}
	return true
}

func isDryRun(key string) bool {
	return strings.EqualFold(strings.TrimPrefix(strings.ToLower(key), "spark."), "eslake.dry.run")
}

// writes reports whether a statement may change documents or remove an index.
func writes(st sql.Statement) bool {
	switch st := st.(type) {
	case *sql.Insert, *sql.Update, *sql.Delete, *sql.Merge, *sql.TruncateTable, *sql.UndoJob:
		return true
	case *sql.CreateTable:
		return st.As != nil
	case *sql.DropTable:
		return st.Purge
	case *sql.Explain:
		return st.Analyze && writes(st.Statement)
	}
	return false
}

// firstLine shows the beginning of a statement.
func firstLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 80 {
		text = string(runes[:80]) + "…"
	}
	return text
}

// safety is what keeps the statements of a session from changing too much. Only
// the shell has someone to ask; before is called first, since the progress of the
// statement may stand where the question is to be.
func (app *App) safety(o *options, before func()) session.Safety {
	s := session.Safety{MaxAffected: o.safety.MaxAffected, AllowFullTable: o.safety.AllowFullTable}
	if app.ask != nil && !o.safety.Yes {
		s.Confirm = func(_ context.Context, c session.Change) (bool, error) {
			before()
			return app.confirm(o, c)
		}
	}
	return s
}

// confirm shows what a statement is about to change and asks.
func (app *App) confirm(o *options, c session.Change) (bool, error) {
	fmt.Fprint(app.talk(), describeChange(c))
	if !o.protected() || c.Removed > 0 && c.Statement != "UNDO" { // of these the name was typed before
		answer, err := app.ask("Go on? [y/N] ")
		answer = strings.ToLower(strings.TrimSpace(answer))
		return err == nil && (answer == "y" || answer == "yes"), nil
	}
	return app.typeName(o, "index", c.Index), nil
}

// typeName has the person of a protected profile type a name.
func (app *App) typeName(o *options, what, name string) bool {
	fmt.Fprintf(app.talk(), "Profile %s is protected. Type the name of the %s to go on: %s\n", o.profile.Name, what, name)
	answer, err := app.ask(what + ": ")
	return err == nil && strings.TrimSpace(answer) == name
}

// confirmWrites asks, in the shell of a protected profile, before a statement that
// does not show its changes itself.
func (app *App) confirmWrites(o *options, steps []step) error {
	if app.ask == nil || !o.protected() || o.safety.Yes || rehearses(o, steps) {
		return nil
	}
	for _, s := range steps {
		name := ""
		switch st := s.stmt.(type) {
		case *sql.Insert:
			name = st.Table.Table.Name
		case *sql.TruncateTable:
			name = st.Name.Table.Name
		case *sql.DropTable:
			name = st.Name.Table.Name
		case *sql.CreateTable:
			name = st.Name.Table.Name
		}
		if name != "" && writes(s.stmt) && !app.typeName(o, "table", name) {
			return &session.SafetyError{Code: codeProtected, Message: fmt.Sprintf("writing to %s was not confirmed; nothing was run", name)}
		}
	}
	return nil
}

// shownSamples is how many changes a person is shown before the question.
const shownSamples = 3

// describeChange says what will be changed, with samples.
func describeChange(c session.Change) string {
	var b strings.Builder
	p := c.Preview
	if c.Removed > 0 {
		verb := "delete"
		switch c.Statement {
		case "INSERT OVERWRITE", "UNDO":
			verb = "replace"
		case "DROP":
			verb = "delete the index and"
		}
		return fmt.Sprintf("%s %s will %s all %s of index %s at %s.\n", c.Statement, c.Table, verb, plural(c.Removed, "document"), c.Index, c.Source)
	}
	var counts []string
	for _, n := range []struct {
		n    int64
		word string
	}{{p.Created, "create"}, {p.Updated, "update"}, {p.Deleted, "delete"}} {
		if n.n > 0 {
			counts = append(counts, fmt.Sprintf("%s %s", n.word, plural(n.n, "document")))
		}
	}
	fmt.Fprintf(&b, "%s %s will %s of index %s at %s.\n", c.Statement, c.Table, strings.Join(counts, ", "), c.Index, c.Source)
	b.WriteString(session.Samples(p, shownSamples))
	return b.String()
}
