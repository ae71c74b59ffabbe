package elastic

import (
	"fmt"
	"strings"

	"github.com/eslake/eslake/esds"
)

var _ esds.Reading = (*index)(nil)

// Reading says from where a scan takes its fields, and why, as far as that is known
// before the first page. "" when it needs none.
func (x *index) Reading(s esds.Scan) string {
	p, err := x.plan(s)
	if err != nil || len(p.paths) == 0 {
		return ""
	}
	doc, refused := p.withDocValues(true)
	paths := strings.Join(doc.fromDocs(false), ", ")
	why := ""
	for _, r := range refused {
		why += "\n  " + r
	}
	switch {
	case p.way() == readSource:
		return "the documents (_source), as eslake.read.fields = source asks"
	case p.way() == readDocValues && paths == "":
		return "the documents (_source), though eslake.read.fields = docvalues" + why
	case p.way() == readDocValues:
		return "doc values: " + paths + ", as eslake.read.fields = docvalues asks" + why
	case p.readable() != nil && paths != "":
		return "doc values: " + paths + ", since the index keeps no _source" + why
	case len(s.Sort) > 0:
		return "the documents (_source), since sorted pages are few"
	case s.Limit > 0 && s.Limit < minChoice:
		return fmt.Sprintf("the documents (_source), which is quickest for less than %d", minChoice)
	}
	return x.choices(p, doc, refused) + why
}

// choices is what eslake.read.fields = auto decides between.
func (x *index) choices(p, doc *plan, refused []string) string {
	ways := []string{}
	_, isCut := p.source().([]string)
	switch {
	case p.wants("_source"):
		return "the documents (_source), which are asked for"
	case len(refused) > 0:
	case doc.opensDocuments():
		ways = append(ways, "no doc values, since the documents are opened all the same")
	default:
		ways = append(ways, "doc values")
	}
	if isCut {
		ways = append([]string{"the parts that are needed"}, ways...)
	}
	if len(ways) == 0 {
		return "the whole documents (_source)"
	}
	return fmt.Sprintf("the documents (_source); from %d documents on eslake.read.fields = auto takes the cheapest of whole documents, %s", minChoice, strings.Join(ways, ", "))
}
