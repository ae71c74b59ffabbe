package esds

import "github.com/eslake/eslake/sql/row"

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

// Encoder turns rows into the documents that a Write would send. It is for one
// goroutine.
type Encoder interface {
	// AppendID appends the id of row i of b, the n-th of the write from 1.
	AppendID(dst []byte, b *row.Batch, i int, n int64) ([]byte, error)
	// AppendDocument appends row i of b as a JSON object. An error says why the
	// row would be rejected.
	AppendDocument(dst []byte, b *row.Batch, i int) ([]byte, error)
}
