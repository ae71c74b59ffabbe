package elastic

import (
	"errors"
	"fmt"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// newEncoder reads what the options say of the rows, and refuses what cannot be.
func newEncoder(w esds.Write, s row.Schema, fields []esds.Field) (*encoder, error) {
	e := &encoder{
		schema: s, action: w.Action, prefix: w.IDPrefix, input: w.Options.Bool("es.input.json"),
		nulls: w.Options.Bool("es.spark.dataframe.write.null"), versionType: w.Options.String("es.mapping.version.type"),
		retries: w.Options.Int("es.update.retry.on.conflict"),
	}
	if e.action == "" {
		e.action = esds.IndexDoc
	}
	w.Action = e.action
	if e.action != esds.UpdateDoc && e.action != esds.UpsertDoc {
		e.retries = 0
	}
	if err := e.checkWrite(w); err != nil {
		return nil, err
	}
	if err := e.setPicks(w); err != nil {
		return nil, err
	}
	var err error
	if e.script, err = newScript(w, s, e.input); err != nil {
		return nil, err
	}
	e.keep = keeps(w.Options)
	e.columns = e.columnsFor(fields)
	name := string(e.action)
	if e.action == esds.UpsertDoc {
		name = string(esds.UpdateDoc)
	}
	e.opening = []byte(`{"` + name + `":{"_id":`)
	return e, nil
}

// checkWrite refuses options that exclude each other.
func (e *encoder) checkWrite(w esds.Write) error {
	opts := w.Options
	updates := e.action == esds.UpdateDoc || e.action == esds.UpsertDoc
	some := len(opts.List("es.mapping.include"))+len(opts.List("es.mapping.exclude")) > 0
	switch {
	case e.input && (len(e.schema) != 1 || e.schema[0].Type.Kind != row.String):
		return errors.New("es.input.json needs rows of one STRING column, which holds the document")
	case e.input && some:
		return errors.New("es.mapping.include and es.mapping.exclude have no meaning with es.input.json: the document goes as it is")
	case e.action == esds.DeleteDoc && some:
		return errors.New("es.mapping.include and es.mapping.exclude have no meaning when documents are deleted")
	case w.ID == "" && e.action != esds.CreateDoc && e.action != esds.IndexDoc:
		return fmt.Errorf("es.write.operation %s needs es.mapping.id", e.action)
	case w.ID == "" && w.IDPrefix == "":
		return errors.New("neither a column for the ids nor a prefix of ids is given")
	case updates && opts.Has("es.ingest.pipeline"):
		return fmt.Errorf("es.ingest.pipeline cannot be with es.write.operation %s: pipelines see whole documents only", e.action)
	case opts.Has("es.mapping.version") && (updates || w.ID == ""):
		return errors.New("es.mapping.version needs es.mapping.id, and cannot be with update or upsert")
	case opts.Has("es.mapping.version") && e.versionType == "internal":
		return errors.New("es.mapping.version.type internal cannot take versions from outside: use external or external_gte")
	}
	return nil
}

func (e *encoder) setPicks(w esds.Write) error {
	var err error
	var t row.Type
	if w.ID != "" {
		if e.id, t, err = newPick(w.ID, e.schema, e.input); err != nil {
			return fmt.Errorf("es.mapping.id: %w", err)
		}
		if t.Nested() || t.Kind == row.Float || t.Kind == row.Double || t.Kind == row.Binary {
			return fmt.Errorf("column %s is %s: an id must be text, a whole number, a decimal, a date or a boolean", w.ID, t)
		}
	}
	routing := w.Options.String("es.mapping.routing")
	if join := w.Options.String("es.mapping.join"); join != "" && routing == "" && e.hasParent(join) {
		routing = join + ".parent" // a child lives where its parent does
	}
	if routing != "" {
		if e.routing, t, err = newPick(routing, e.schema, e.input); err != nil {
			return fmt.Errorf("es.mapping.routing: %w", err)
		}
		if t.Nested() || t.Kind == row.Binary {
			return fmt.Errorf("es.mapping.routing: column %s of type %s cannot be a routing", routing, t)
		}
	}
	if version := w.Options.String("es.mapping.version"); version != "" {
		if e.version, t, err = newPick(version, e.schema, e.input); err != nil {
			return fmt.Errorf("es.mapping.version: %w", err)
		}
		if !t.Integral() && t.Kind != row.String && t.Kind != row.Decimal {
			return fmt.Errorf("es.mapping.version: column %s of type %s cannot be a version", version, t)
		}
	}
	return nil
}

// hasParent reports whether the join field holds the parent's id: it may also be
// the name of the relation alone.
func (e *encoder) hasParent(join string) bool {
	if e.input {
		return true
	}
	_, _, err := newPick(join+".parent", e.schema, false)
	return err == nil
}

// columnsFor returns what makes documents for a mapping.
func (e *encoder) columnsFor(fields []esds.Field) (columns []encoded) {
	if e.input {
		return nil
	}
	for i, f := range e.schema {
		if e.keep(f.Name) {
			columns = append(columns, newEncoded(i, f, fields, e.nulls))
		}
	}
	return columns
}

// keeps says which columns go into the document.
func keeps(opts esds.Options) func(string) bool {
	include, exclude := opts.List("es.mapping.include"), opts.List("es.mapping.exclude")
	return func(name string) bool {
		return !isMetadata(name) && (len(include) == 0 || esds.MatchNames(include, name)) && !esds.MatchNames(exclude, name)
	}
}
