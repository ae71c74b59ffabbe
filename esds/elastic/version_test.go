package elastic

import "testing"

// Points in time have slices from Elasticsearch 7.15 on; others are asked.
func TestSlicesPIT(t *testing.T) {
	for s, want := range map[server]bool{
		{"Elasticsearch", "7.10.2"}: false, {"Elasticsearch", "7.14.2"}: false, {"Elasticsearch", "7.15.0"}: true, {"Elasticsearch", "7.17.15"}: true,
		{"Elasticsearch", "8.19.16"}: true, {"Elasticsearch", "9.0.0"}: true, {"Elasticsearch", "6.8.23"}: false,
		{"OpenSearch", "3.8.0"}: false, {"OpenSearch", "8.0.0"}: false, {"the cluster", ""}: false, {"Elasticsearch", "8"}: false,
	} {
		if got := s.slicesPIT(); got != want {
			t.Errorf("%s %s: %t", s.name, s.version, got)
		}
	}
}
