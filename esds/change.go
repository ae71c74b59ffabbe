package esds

import (
	"fmt"

	"github.com/eslake/eslake/sql/row"
)

// The columns of ChangeSchema, by position.
const (
	ChangeAction = iota
	ChangeID
	ChangeIndex
	ChangeRouting
	ChangeSeqNo
	ChangeTerm
	ChangeSource
)

// ChangeSchema is the columns of the rows of a Write with Changes set: each row
// says what happens to one document, given whole as JSON.
//
// _action is an Action: IndexDoc replaces the document, CreateDoc makes one,
// DeleteDoc removes it. _index is the concrete index, NULL for Write.Index. With
// _seq_no and _primary_term the change happens only when the document is still
// the one that was read with them; else the row is rejected with status 409.
// Both are NULL for a change without condition. _source is NULL for DeleteDoc.
func ChangeSchema() row.Schema {
	return row.Schema{
		{Name: "_action", Type: row.StringType},
		{Name: "_id", Type: row.StringType},
		{Name: "_index", Type: row.StringType},
		{Name: "_routing", Type: row.StringType},
		{Name: "_seq_no", Type: row.BigIntType},
		{Name: "_primary_term", Type: row.BigIntType},
		{Name: "_source", Type: row.StringType},
	}
}

// CheckChanges reports what keeps rows with a schema from being changes.
func CheckChanges(s row.Schema) error {
	want := ChangeSchema()
	if len(s) != len(want) {
		return fmt.Errorf("the rows have %d columns, changes have %d", len(s), len(want))
	}
	for i, f := range s {
		if f.Name != want[i].Name || !f.Type.Equal(want[i].Type) {
			return fmt.Errorf("column %s %s of the rows is to be %s %s", f.Name, f.Type, want[i].Name, want[i].Type)
		}
	}
	return nil
}

// Encoder turns rows into the documents that a Write would send. It is for one
// goroutine.
type Encoder interface {
	// AppendID appends the id of row i of b, the n-th of the write from 1.
	AppendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error)
	// AppendDocument appends row i of b as a JSON object. An error says why the
	// row would be rejected.
	AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error)
}
