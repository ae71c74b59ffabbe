package elastic_test

import (
	"context"
	"maps"
	"testing"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/esds/elastic"
	"github.com/eslake/eslake/esds/esdstest"
	"github.com/eslake/eslake/esds/esdstest/servers"
)

func TestConformanceFake(t *testing.T) {
	for _, flavour := range esdstest.Flavours() {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			esdstest.Suite{Name: "fake", Open: connect(fake.URL), OpenContexts: fake.OpenContexts}.Run(t)
		})
	}
}

func TestConformanceReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		esdstest.Suite{Name: "real", Open: connect(url)}.Run(t)
	})
}

// byDocValues is a source that reads from doc values what it can, also where
// eslake would not choose them.
type byDocValues struct{ esds.Source }

func (s byDocValues) Open(ctx context.Context, resource string, opts esds.Options) (esds.Index, error) {
	opts = maps.Clone(opts)
	if opts == nil {
		opts = esds.Options{}
	}
	opts["eslake.read.fields"] = "docvalues"
	return s.Source.Open(ctx, resource, opts)
}

func connectDocValues(url string) func(t *testing.T) esds.Source {
	return func(t *testing.T) esds.Source { return byDocValues{connect(url)(t)} }
}

func TestConformanceDocValuesFake(t *testing.T) {
	for _, flavour := range []esdstest.Flavour{esdstest.Elasticsearch8, esdstest.OpenSearch2} {
		t.Run(flavour.Name, func(t *testing.T) {
			fake := esdstest.New(t, flavour)
			esdstest.Suite{Name: "fake", Open: connectDocValues(fake.URL), OpenContexts: fake.OpenContexts}.Run(t)
		})
	}
}

func TestConformanceDocValuesReal(t *testing.T) {
	servers.Each(t, func(t *testing.T, url string) {
		esdstest.Suite{Name: "real", Open: connectDocValues(url)}.Run(t)
	})
}

func connect(url string) func(t *testing.T) esds.Source {
	return func(t *testing.T) esds.Source {
		t.Helper()
		source, err := elastic.Open(t.Context(), elastic.Config{Addresses: []string{url}})
		if err != nil {
			t.Fatal(err)
		}
		return source
	}
}
