package esds

import (
	"fmt"
	"strings"
)

// Resource returns the name of the index, alias, list or wildcard that the
// table is bound to on one side, without slashes around it and without the type
// of Elasticsearch 6. The error is an *OptionError: nothing is set, or the name
// does not fit the side. BothSides stands for a name to show.
func (o Options) Resource(side Side) (string, error) {
	key := "es.resource"
	switch {
	case side == WriteSide && o.Has("es.resource.write"):
		key = "es.resource.write"
	case side == ReadSide && o.Has("es.resource.read"):
		key = "es.resource.read"
	case side == BothSides && !o.Has(key):
		if o.Has("es.resource.read") {
			return o.Resource(ReadSide)
		}
		return o.Resource(WriteSide)
	}
	if !o.Has(key) {
		missing := key
		if side != BothSides && (o.Has("es.resource.read") || o.Has("es.resource.write")) {
			missing += "." + side.String()
		}
		return "", &OptionError{Key: missing, Reason: "is missing", Hint: "OPTIONS (resource 'index') names the index"}
	}
	resource := o[key]
	if q := o.resourceQuery(); q != "" && side != WriteSide {
		resource = strings.TrimSuffix(resource, q)
	}
	name, typ := splitType(resource)
	reason, hint := checkResource(name, typ, side)
	if reason != "" {
		return "", &OptionError{Key: key, Value: o[key], Reason: reason, Hint: hint}
	}
	return name, nil
}

// ResourceType returns the type of Elasticsearch 6 that stands behind the index
// in the resource and is left out, "" for none.
func (o Options) ResourceType() string {
	for _, key := range []string{"es.resource", "es.resource.read", "es.resource.write"} {
		resource, _, _ := strings.Cut(o[key], "?")
		if _, typ := splitType(resource); typ != "" && typ != "_doc" {
			return typ
		}
	}
	return ""
}

func splitType(resource string) (name, typ string) {
	if strings.Contains(resource, "{") { // date patterns may hold slashes
		return strings.Trim(resource, "/"), ""
	}
	name, typ, _ = strings.Cut(strings.Trim(resource, "/"), "/")
	return name, typ
}

func checkResource(name, typ string, side Side) (reason, hint string) {
	switch {
	case name == "":
		return "expects the name of an index", ""
	case strings.Contains(name, "?") || strings.Contains(typ, "?"):
		return "a resource with a query is for reading only", "es.resource.write names the index to write"
	case strings.Contains(typ, "/"):
		return "expects index or index/type", ""
	case strings.ContainsAny(name, " \t\r\n"):
		return "holds a blank", ""
	case strings.ContainsAny(name, "{}"):
		return checkDynamic(name, side)
	case strings.HasPrefix(name, "<"):
		return "date math is not supported", "write the index's name"
	}
	if side == WriteSide {
		return checkWritten(name)
	}
	return "", ""
}

func checkDynamic(name string, side Side) (reason, hint string) {
	if side == ReadSide {
		return "a name with braces is for writing only", "es.resource.read names what to read: 'logs-*'"
	}
	d, err := ParseDynamicName(name)
	if err != nil {
		return err.Error(), "idx-{column} or idx-{column|yyyy.MM.dd}"
	}
	for i, p := range d.Parts {
		if i == 0 && p.Field == "" || strings.ContainsAny(p.Text, "*,") || p.Text != strings.ToLower(p.Text) {
			if reason, hint := checkWritten(p.Text); reason != "" {
				return reason, hint
			}
		}
	}
	return "", ""
}

// checkWritten holds a name to Elasticsearch's rules for names of indices.
func checkWritten(name string) (reason, hint string) {
	if strings.ContainsAny(name, "*,") {
		return "a write needs one index, not a wildcard or a list", "es.resource.write names the index to write"
	}
	switch {
	case name != strings.ToLower(name):
		return "the name of an index must be in lower case", ""
	case strings.ContainsAny(name, "\"*\\<|>?#:"):
		return `the name of an index must not hold any of " * \ < | > ? # :`, ""
	case strings.ContainsAny(name[:1], "_+-"):
		return "the name of an index must not begin with _, + or -", ""
	case len(name) > 255:
		return fmt.Sprintf("the name of an index has 255 bytes at most, this one %d", len(name)), ""
	}
	return "", ""
}
