package elastic

import (
	"strings"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// docValue is how a column is read from the doc values of its field: the form
// in which the index keeps values for sorting. They come without the documents
// being opened, which costs the cluster a fraction for a few columns.
type docValue struct {
	format string // that dates are asked for in, "" for other kinds
	// proof: the values are all there only when no document names the field in
	// _ignored, which the scan must ask first.
	proof bool
}

// docValue reports how doc values of a field, nil for none, give exactly what the documents
// give as type t. Where they do not, why says the reason.
func (x *index) docValue(f *esds.Field, t row.Type) (d docValue, why string) {
	switch {
	case f == nil:
		return d, "the mapping lacks it"
	case x.noDocValues != "":
		return d, x.noDocValues
	case f.Mixed || f.Clash != "":
		return d, "its kind differs between the indices"
	case !f.DocValues:
		return d, "it has none"
	case f.Runtime || f.CopiedTo || f.NullValue || f.Disabled:
		return d, "it holds other values than the documents"
	case f.Late:
		return d, "dynamic mapping is off, so older documents may be missing"
	case x.underNested(f.Path):
		return d, "it lies in a list of objects"
	}
	d.proof = f.Malformed || x.malformed
	switch f.Kind {
	case "keyword":
		return x.keywordValue(f, t, d)
	case "date", "date_nanos":
		return dateValue(f, t, d)
	}
	if sameNumber(f.Kind, t) {
		return d, ""
	}
	return d, "as " + f.Kind + " it is kept in another form than " + t.SQL()
}

func (x *index) keywordValue(f *esds.Field, t row.Type, d docValue) (docValue, string) {
	switch {
	case t.Kind != row.String:
		return d, "as keyword it is kept in another form than " + t.SQL()
	case f.Normalizer != "":
		return d, "a normalizer changes it"
	case f.IgnoreAbove > 0 && !x.tellsIgnored:
		return d, "the cluster does not tell which texts were too long for it"
	}
	d.proof = f.IgnoreAbove > 0
	return d, ""
}

// dateValue takes what loses no digit: the index keeps milliseconds of a date,
// where the document may hold more.
func dateValue(f *esds.Field, t row.Type, d docValue) (docValue, string) {
	_, known := parseDateFormat(f.Format)
	if !known {
		return d, "its format is not known here"
	}
	d.format = "epoch_millis"
	switch t.Kind {
	case row.Timestamp, row.TimestampNTZ:
		if f.Kind == "date" && !coarse(f.Format) {
			return d, "the index keeps milliseconds, the documents may hold more"
		}
	case row.Date:
	default:
		return d, "as " + f.Kind + " it is kept in another form than " + t.SQL()
	}
	if f.Kind == "date_nanos" {
		d.format = "strict_date_optional_time_nanos"
	}
	return d, ""
}

// coarse reports whether no form of a date format has digits below milliseconds.
func coarse(format string) bool {
	for name := range strings.SplitSeq(format, "||") {
		name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "8"), "strict_")
		switch name {
		case "date", "year_month_day", "year_month", "year", "basic_date", "date_time_no_millis", "basic_date_time_no_millis",
			"date_hour_minute_second", "date_hour_minute":
			continue
		}
		form, ok := parseDateForm(name, name)
		if !ok || form.kind != datePattern {
			return false
		}
		for _, token := range form.pattern {
			if token.letter == 'S' && token.width > 3 {
				return false
			}
		}
	}
	return true
}

var wholeKinds = map[string]row.Kind{"byte": row.TinyInt, "short": row.SmallInt, "integer": row.Int, "long": row.BigInt}

// sameNumber reports whether a kind keeps a type's values as the document means
// them. Not among the kinds: float, which some servers round once and others
// twice, half_float and scaled_float, which round more, ip, which has one
// spelling of several, and token_count, which counts.
func sameNumber(kind string, t row.Type) bool {
	switch kind {
	case "boolean":
		return t.Kind == row.Boolean
	case "double":
		return t.Kind == row.Double
	}
	whole, ok := wholeKinds[kind]
	return ok && t.Integral() && t.Kind >= whole
}
