package elastic_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/sql/row"
)

// TestClearWithoutDeleteByQuery empties an index of a server that lacks the
// module, while other writers delete some of the documents and change others.
func TestClearWithoutDeleteByQuery(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			source := connect(fake.URL)(t)
			mappings, err := esds.MappingOf(idAndN, nil)
			if err == nil {
				err = source.Create(t.Context(), "idx", esds.Definition{Mappings: mappings})
			}
			if err != nil {
				t.Fatal(err)
			}
			batch := row.NewBatch(idAndN)
			for i := range 2500 {
				if err := batch.AppendRow(fmt.Sprint("r", i), int64(i)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := source.Write(t.Context(), esds.Write{Index: "idx", ID: "id"}, row.NewBatches(idAndN, batch)); err != nil {
				t.Fatal(err)
			}
			fake.Next(esdstest.DeleteByQuery, esdstest.Answer(http.StatusBadRequest, `{"error":"no handler found for uri [/idx/_delete_by_query] and method [POST]"}`))
			fake.Next(esdstest.Bulk, esdstest.PartialBulk(map[int]int{2: 409, 5: 404}))
			n, err := source.Clear(t.Context(), "idx")
			if n != 2500 || err != nil {
				t.Errorf("clear = %d, %v, want 2500", n, err)
			}
			if n, err := source.Count(t.Context(), "idx"); n != 0 || err != nil {
				t.Errorf("%d documents are left, %v", n, err)
			}
			if open := fake.OpenContexts(); open != 0 {
				t.Errorf("%d contexts are open", open)
			}
		})
	}
}
