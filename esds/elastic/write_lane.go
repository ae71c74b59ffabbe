package elastic

import (
	"unicode/utf16"

	"github.com/twmb/murmur3"
)

// lanes tells which rows go into bulk requests of their own: those of one shard, or of
// some. A shard that works on one request at a time makes half of the segments, and
// keeps its tables of terms in the processor's cache: a load takes the cluster a twelfth
// less. It is a matter of speed only: nothing breaks where a row goes to another shard
// than told here, as where index.number_of_routing_shards was set: OpenSearch tells it,
// Elasticsearch does not. The zero value is one lane for all.
type lanes struct {
	n      int // lanes, at most as many as shards
	shards int
	space  int // what the hash is taken modulo, index.number_of_routing_shards
	text   []byte
}

const (
	mostLanes = 4
	laneRoom  = 20 << 20 // bytes of requests that are being made, in all lanes
)

// newLanes returns the lanes for an index, for requests of so many bytes.
func newLanes(d described, requestBytes int) lanes {
	n := min(d.shards, mostLanes, laneRoom/max(1, requestBytes))
	if n < 2 {
		return lanes{}
	}
	l := lanes{n: n, shards: d.shards, space: d.routingShards}
	if l.space < l.shards || l.space%l.shards != 0 {
		l.space = routingShards(l.shards, d.created)
	}
	return l
}

// routingShards is index.number_of_routing_shards of an index that does not set it: as
// much as lets it be split into 1,024 shards, at least in two (Elasticsearch 7,
// MetadataCreateIndexService.calculateNumRoutingShards).
func routingShards(shards, created int) int {
	if created > 0 && created < 7_000_000 {
		return shards
	}
	space := 2 * shards
	for space*2 <= 1024 {
		space *= 2
	}
	return space
}

// of returns the lane of a document by its routing, which is its id when it has no
// other (Elasticsearch 7, OperationRouting.generateShardId).
func (l *lanes) of(routing []byte) int {
	if l.n < 2 {
		return 0
	}
	hash := int(int32(murmur3.Sum32(l.utf16(routing)))) //nolint:gosec // it is signed there
	return ((hash%l.space + l.space) % l.space) / (l.space / l.shards) % l.n
}

// utf16 spells a text as Java has it: two bytes a unit, the lower one first.
func (l *lanes) utf16(text []byte) []byte {
	l.text = l.text[:0]
	for i, b := range text {
		if b >= 0x80 {
			for _, u := range utf16.Encode([]rune(string(text[i:]))) {
				l.text = append(l.text, byte(u), byte(u>>8)) //nolint:gosec // its halves
			}
			break
		}
		l.text = append(l.text, b, 0)
	}
	return l.text
}
