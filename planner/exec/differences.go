package exec

import (
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/planner/job"
)

// Differences shows what a change does to its document, for a person: a field by
// its path with its value before and after, or the whole document that comes or
// goes. Long values are cut.
func Differences(c job.Change) []string {
	switch {
	case c.Action == esds.DeleteDoc:
		return []string{"deleted: " + shown(c.Before)}
	case c.Before == nil:
		return []string{"new: " + shown(c.After)}
	}
	before, _ := leaves(c.Before, "", nil) // what cannot be read shows as all or nothing
	after, _ := leaves(c.After, "", nil)
	var list []string
	old := map[string]string{}
	for _, f := range before {
		old[f.path] = f.value
	}
	kept := map[string]bool{}
	for _, f := range after {
		kept[f.path] = true
		was, ok := old[f.path]
		switch {
		case !ok:
			list = append(list, f.path+": none -> "+shown([]byte(f.value)))
		case was != f.value:
			list = append(list, f.path+": "+shown([]byte(was))+" -> "+shown([]byte(f.value)))
		}
	}
	for _, f := range before {
		if !kept[f.path] {
			list = append(list, f.path+": "+shown([]byte(f.value))+" -> none")
		}
	}
	return list
}

type leaf struct{ path, value string }

// leaves are the fields of a document that are no objects.
func leaves(doc []byte, prefix string, list []leaf) ([]leaf, error) {
	found, err := members(doc)
	if err != nil {
		return list, err
	}
	for _, m := range found {
		value := doc[m.value:m.end]
		if value[0] != '{' {
			list = append(list, leaf{prefix + m.name, string(value)})
			continue
		}
		if list, err = leaves(value, prefix+m.name+".", list); err != nil {
			return list, err
		}
	}
	return list, nil
}

// shownLength is how many characters of a value a person is shown.
const shownLength = 60

func shown(value []byte) string {
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '\ufffd'
		}
		return r
	}, string(value))
	if runes := []rune(text); len(runes) > shownLength {
		return string(runes[:shownLength]) + "…"
	}
	return text
}
