package textcopy

import (
	"slices"
	"unsafe"

	"github.com/eslake/eslake/sql/row"
)

// #include "records.h"
import "C"

// Records makes JSON lines of the records of a CSV file. What is not for it (values that
// must be read, signs behind a quote, a record at the end of the text) is left.
type Records struct {
	way    C.records_way
	steps  []C.records_step
	fields []C.records_field
	words
	// At is where the record begins, Step the step that comes next.
	At, Step int
}

// Format is how a CSV file is written. Records end with \n or \r\n.
type Format struct {
	Sep    byte // of ASCII
	Quote  byte // '"', or 0 for none
	Escape byte // of quotes within quotes, and of itself: '"' or a backslash, 0 for none
	Null   []byte
	Fields int // of a record, at least two
}

// Field is a field as the file has it, without the quotes around it.
type Field struct {
	Text            []byte
	Quoted, Escaped bool
}

// Step is a place of a line.
type Step struct {
	Field int
	Look  Look
	Open  []byte // what stands before the value in a line
	Keep  KeepField
}

// KeepField says how a field comes into a line.
type KeepField uint8

// The ways of keeping a field.
const (
	FieldNot    KeepField = iota // Records stops there, unless it is NULL
	FieldNull                    // as NULL, whatever it is
	FieldBare                    // as it stands there, a text as a JSON string
	FieldQuoted                  // as it stands there, as a JSON string
)

// WhyRecord says why Records stopped.
type WhyRecord int

// The reasons.
const (
	RecordDone  WhyRecord = iota
	RecordRoom            // the storage of lines is too small
	RecordField           // at a step whose field must be read
	RecordOdd             // the record is not for Records
)

// NewRecords returns what makes such lines. Others are steps without a place: fields that
// must be readable.
func NewRecords(f Format, l *row.Lines, places, others []Step) *Records {
	r := &Records{fields: make([]C.records_field, f.Fields)}
	w := &r.way
	w.sep, w.quote, w.escape, w.none = C.uint8_t(f.Sep), C.uint8_t(f.Quote), C.uint8_t(f.Escape), r.word(f.Null)
	w.null, w.close, w.omit = r.word(l.Null), r.word(l.Close), flag(l.Omit)
	w.places, w.steps, w.fields, w.fixed = C.uint32_t(len(places)), C.uint32_t(len(places)+len(others)), C.uint32_t(f.Fields), w.close.len
	for _, s := range slices.Concat(places, others) {
		step := C.records_step{field: C.uint32_t(s.Field), open: r.word(s.Open), look: s.Look.c(), keep: C.uint8_t(s.Keep)}
		r.steps = append(r.steps, step)
		w.fixed += step.open.len + max(w.null.len, 2)
	}
	r.close()
	return r
}

// Begin says that the next record begins at i.
func (r *Records) Begin(i int) { r.At, r.Step = i, -1 }

// Run goes on with the record, appends to dst as much as it has storage for, and says why
// it stopped. After RecordField the caller may append the step itself, and go on.
func (r *Records) Run(dst, text []byte) ([]byte, WhyRecord) {
	w := &r.way
	w.len, w.cap, w.at, w.out, w.step = C.uint64_t(len(text)), C.uint64_t(cap(dst)), C.uint64_t(r.At), C.uint64_t(len(dst)), C.int64_t(r.Step)
	why := C.eslake_record(w, unsafe.SliceData(r.steps), unsafe.SliceData(r.fields), first(r.words), first(text), first(dst))
	r.Step = int(w.step)
	return dst[:w.out], WhyRecord(why)
}

// End returns the position behind the record, and how many lines of the file it has.
func (r *Records) End() (at int, lines int64) { return int(r.way.end), int64(r.way.newlines) }

// Field returns a field of the record.
func (r *Records) Field(text []byte, k int) Field {
	f := r.fields[k]
	return Field{Text: text[f.from : f.from+f.len], Quoted: bool(f.quoted), Escaped: bool(f.escaped)}
}

// More returns how many bytes more than it has dst should have after RecordRoom.
func (r *Records) More(dst []byte) int {
	return cap(dst)/2 + 2*(int(r.way.end)-r.At) + int(r.way.fixed) + Reach
}
