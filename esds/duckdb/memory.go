package duckdb

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"

	"github.com/eslake/eslake/sql/row"
)

// leastMemory is how much DuckDB may use as a rule: little, since it spills what
// is more. Some work cannot be spilled, such as sorting wide rows or writing a
// table of hundreds of columns; it gets more, for as long as it runs.
const leastMemory = 128_000_000 // bytes

// memory says how much DuckDB may use now.
type memory struct {
	mu     sync.Mutex
	fixed  bool  // the configuration said how much
	most   int64 // what the machine has to offer, in bytes
	now    int64
	leases map[*lease]int64
}

// lease is memory beyond the rule for one statement.
type lease struct{ db *DB }

// Allow lets DuckDB use so many bytes more than as a rule until release is called,
// but not more than the machine has to offer, nor than the configuration says.
func (db *DB) Allow(ctx context.Context, bytes int64) (release func(), err error) {
	l := &lease{db: db}
	_, err = l.set(ctx, bytes)
	return l.release, err
}

// grow makes a lease four times as large, or tells that there is no more.
func (l *lease) grow(ctx context.Context) (bool, error) {
	return l.set(ctx, 4*(leastMemory+l.bytes())-leastMemory)
}

func (l *lease) bytes() int64 {
	l.db.memory.mu.Lock()
	defer l.db.memory.mu.Unlock()
	return l.db.memory.leases[l]
}

// set says how large a lease is, and whether DuckDB may use more than before.
func (l *lease) set(ctx context.Context, bytes int64) (more bool, err error) {
	m := &l.db.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if bytes <= 0 {
		return false, nil
	}
	before := m.now
	if m.leases == nil {
		if err := l.db.measure(ctx); err != nil {
			return false, err
		}
	}
	m.leases[l] = bytes
	err = l.db.limit(ctx)
	return m.now > before, err
}

func (l *lease) release() {
	m := &l.db.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, ok := m.leases[l]; !ok {
		return
	}
	delete(m.leases, l)
	_ = l.db.limit(context.Background()) // what is in use stays, and the limit with it
}

// measure finds what DuckDB may use at most: half of what it would take, which is
// four fifths of the machine's memory or of the container's. The mutex is held.
func (db *DB) measure(ctx context.Context) error {
	db.memory.leases = map[*lease]int64{}
	if db.memory.fixed {
		return nil
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Exec(ctx, "RESET GLOBAL memory_limit"); err != nil {
		return err
	}
	r, err := c.Query(ctx, "SELECT current_setting('memory_limit')", row.Schema{{Name: "limit", Type: row.StringType}})
	if err != nil {
		return err
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil || len(rows) != 1 {
		return err
	}
	text, _ := rows[0][0].(string)
	db.memory.now = parseBytes(text)
	db.memory.most = max(leastMemory, db.memory.now/2)
	return nil
}

// parseBytes reads a size as DuckDB prints it, such as "18.7 GiB"; 0 when it
// cannot.
func parseBytes(text string) int64 {
	number, unit, _ := strings.Cut(text, " ")
	f, err := strconv.ParseFloat(number, 64)
	power := strings.Index("bKMGTP", unit[:min(1, len(unit))])
	if err != nil || unit == "" || power < 0 {
		return 0
	}
	return int64(f * math.Pow(1024, float64(power)))
}

// limit tells DuckDB what the leases come to. The mutex is held.
func (db *DB) limit(ctx context.Context) error {
	m := &db.memory
	if m.fixed {
		return nil
	}
	want := int64(leastMemory)
	for _, bytes := range m.leases {
		want += min(bytes, math.MaxInt64/4)
	}
	want = min(want, m.most)
	if want == m.now {
		return nil
	}
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.Exec(ctx, fmt.Sprintf("SET GLOBAL memory_limit = '%dB'", want)); err != nil {
		return err
	}
	m.now = want
	return nil
}

// forRest makes room for the second half of a sort or a join that spills: DuckDB
// reads again what it wrote to a file, with a part of each piece in memory, which
// it cannot spill. It is too late then to run the query again.
func (l *lease) forRest(ctx context.Context) error {
	c, err := l.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	held, err := c.Count(ctx, "SELECT coalesce(sum(memory_usage_bytes + temporary_storage_bytes), 0)::BIGINT FROM duckdb_memory() WHERE tag IN ('ORDER_BY', 'WINDOW', 'HASH_TABLE')")
	if err != nil || held < leastMemory/2 {
		return err
	}
	_, err = l.set(ctx, max(held, l.bytes()))
	return err
}

// growing is a query that is run again with more memory, as long as it has given
// no row.
type growing struct {
	row.Reader
	lease *lease
	open  func() (row.Reader, error)
	given bool
}

// start opens the query, with as much memory as that takes.
func (g *growing) start(ctx context.Context) (err error) {
	for {
		g.Reader, err = g.open()
		if err == nil || !g.more(ctx, err) {
			return err
		}
	}
}

// more gets the memory for another try.
func (g *growing) more(ctx context.Context, err error) bool {
	if g.given || !outOfMemory(err) {
		return false
	}
	more, err := g.lease.grow(ctx)
	return err == nil && more
}

// Next returns the next batch.
func (g *growing) Next(ctx context.Context) (*row.Batch, error) {
	b, err := g.Reader.Next(ctx)
	for err != nil && g.more(ctx, err) {
		schema := g.Schema()
		g.Reader.Close()
		if err := g.start(ctx); err != nil {
			g.Reader = row.NewBatches(schema)
			return nil, err
		}
		b, err = g.Reader.Next(ctx)
	}
	if err == nil && !g.given {
		err = g.lease.forRest(ctx)
	}
	g.given = true
	return b, err
}

// Close stops the query and gives its memory back.
func (g *growing) Close() error {
	err := g.Reader.Close()
	g.lease.release()
	return err
}

func outOfMemory(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == "Out of Memory"
}
