package elastic_test

import (
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
