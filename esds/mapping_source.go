package esds

import "encoding/json"

// SourceLoss says what the _source of an index with these mappings lacks of the
// documents that were sent, "" when it has all.
func SourceLoss(mappings []byte) string {
	type source struct {
		Source struct {
			Enabled  *looseBool `json:"enabled"`
			Mode     string     `json:"mode"`
			Includes looseList  `json:"includes"`
			Excludes looseList  `json:"excludes"`
		} `json:"_source"`
	}
	var m struct {
		source
		Mappings source `json:"mappings"`
	}
	if len(mappings) == 0 || json.Unmarshal(mappings, &m) != nil {
		return ""
	}
	for _, s := range []source{m.source, m.Mappings} {
		switch {
		case !s.Source.Enabled.or(true), s.Source.Mode == "disabled":
			return "it keeps no _source"
		case len(s.Source.Includes) > 0 || len(s.Source.Excludes) > 0:
			return "its _source leaves fields out"
		}
	}
	return ""
}
