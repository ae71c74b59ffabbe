package planner

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/eslake/eslake/esds"
	"github.com/eslake/eslake/sql/row"
)

// Analyze runs a plan, drops its rows, and returns the plan as it ran with what it
// took: what was asked of clusters, which parts were answered otherwise than
// planned, and how many rows each operator gave. Rows are counted where they leave
// a source, and by DuckDB after each of its own operators. Now is the clock.
func Analyze(ctx context.Context, env *Env, n Node, now func() time.Time) (string, error) {
	trace := &esds.Trace{}
	ctx = esds.WithTrace(ctx, trace)
	started := now()
	settled, err := env.settle(ctx, n)
	if err != nil {
		return "", err
	}
	run := &analysis{}
	if open, ok := direct(settled); ok {
		err = run.direct(ctx, open)
	} else {
		err = run.engine(ctx, env, settled)
	}
	if err != nil {
		return "", err
	}
	took := now().Sub(started)
	var b strings.Builder
	b.WriteString(Explain(n))
	if before, after := Tree(n), Tree(settled); before != after {
		fmt.Fprintf(&b, "\n\nAs it ran:\n%s", strings.TrimRight(after, "\n"))
	}
	fmt.Fprintf(&b, "\n\nRan: %s in %.3f s\n", numbered(run.rows, "row"), took.Seconds())
	run.write(&b, trace.Totals())
	return strings.TrimRight(b.String(), "\n"), nil
}

// analysis is what a run showed.
type analysis struct {
	rows      int64
	local     bool
	operators *operator // of DuckDB
	borders   []*border
}

// border counts the rows that come from a source.
type border struct {
	name string
	row.Reader
	rows int64
}

func (b *border) Next(ctx context.Context) (*row.Batch, error) {
	batch, err := b.Reader.Next(ctx)
	if err == nil {
		b.rows += int64(batch.Len)
	}
	return batch, err
}

func (a *analysis) direct(ctx context.Context, open opener) error {
	r, err := open(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	for {
		b, err := r.Next(ctx)
		if row.Ended(err) {
			return nil
		}
		if err != nil {
			return err
		}
		a.rows += int64(b.Len)
	}
}

// engine lets DuckDB run the query and count.
func (a *analysis) engine(ctx context.Context, env *Env, n Node) error {
	a.local = true
	g, err := env.generator(ctx)
	if err != nil {
		return err
	}
	g.watch = a.watch
	defer g.close()
	text, err := g.result(n)
	if err != nil {
		return err
	}
	r, err := env.Engine.Query(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+text, nil)
	if err != nil {
		return err
	}
	rows, err := row.ReadAll(ctx, r)
	if err != nil {
		return err
	}
	if len(rows) != 1 || len(rows[0]) != 2 {
		return fmt.Errorf("explain: DuckDB gave %d rows", len(rows))
	}
	profile, _ := rows[0][1].(string)
	var root operator
	if err := json.Unmarshal([]byte(profile), &root); err != nil {
		return fmt.Errorf("explain: the profile of DuckDB cannot be read: %w", err)
	}
	a.operators = root.top()
	if a.operators != nil {
		a.rows = a.operators.Rows
	}
	return nil
}

func (a *analysis) watch(name string, r row.Reader) row.Reader {
	b := &border{name: name, Reader: r}
	a.borders = append(a.borders, b)
	return b
}

// operator is a part of DuckDB's plan with what it gave.
type operator struct {
	Name     string      `json:"operator_name"`
	Kind     string      `json:"operator_type"`
	Rows     int64       `json:"operator_cardinality"`
	Seconds  float64     `json:"operator_timing"`
	Children []*operator `json:"children"`
}

// top is the uppermost operator of the query itself.
func (o *operator) top() *operator {
	for len(o.Children) == 1 && (o.Name == "" && o.Kind == "" || strings.Contains(o.Kind+o.Name, "EXPLAIN")) {
		o = o.Children[0]
	}
	return o
}

func (o *operator) write(b *strings.Builder, depth int) {
	name := strings.TrimSpace(o.Name)
	if name == "" {
		name = o.Kind
	}
	fmt.Fprintf(b, "%s%s: %s, %.1f ms\n", strings.Repeat("  ", depth), name, numbered(o.Rows, "row"), o.Seconds*1000)
	for _, c := range o.Children {
		c.write(b, depth+1)
	}
}

func (a *analysis) write(b *strings.Builder, t esds.TraceTotals) {
	if t.Requests > 0 {
		fmt.Fprintf(b, "Cluster: %s, %s, %s, %s; %d ms at work there, %d ms waited for, over all connections\n",
			numbered(t.Requests, "request"), numbered(t.Pages, "page"), numbered(t.Documents, "document"), numbered(t.Bytes, "byte"), t.Cluster.Milliseconds(), t.Waited.Milliseconds())
	}
	for _, note := range t.Notes {
		fmt.Fprintf(b, "  %s\n", note)
	}
	if !a.local {
		return
	}
	if len(a.borders) > 0 {
		b.WriteString("Rows given to DuckDB:\n")
		for _, c := range a.borders {
			fmt.Fprintf(b, "  %s: %s\n", c.name, grouped(c.rows))
		}
	}
	if a.operators != nil {
		b.WriteString("Rows after each operator of DuckDB:\n")
		a.operators.write(b, 1)
	}
}

// numbered prints so many of something.
func numbered(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}

// grouped prints a number with commas.
func grouped(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
