package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// Table prints results as Markdown.
func Table(results []Result) string {
	var b strings.Builder
	b.WriteString("| Work | eslake | limit | limit ÷ eslake | goal | processor time, eslake / limit | peak memory, eslake / limit | documents/s |\n")
	b.WriteString("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, r := range results {
		b.WriteString(r.row())
	}
	return b.String()
}

func (r Result) row() string {
	if r.Err != nil {
		why, _, _ := strings.Cut(strings.ReplaceAll(r.Err.Error(), "|", "\\|"), "\n")
		return fmt.Sprintf("| %s | failed: %s | | | %s | | | |\n", r.Case.Name, why, r.goal())
	}
	e, l := middle(r.Eslake), middle(r.Limit)
	limit, ratio, cpu, memory, rate := "", "", shown(e.CPU), megabytes(e.Peak), ""
	if len(r.Limit) > 0 {
		limit, ratio = shown(l.Wall), fmt.Sprintf("%.2f", r.Ratio())
		cpu += " / " + shown(l.CPU)
		memory += " / " + megabytes(l.Peak)
	}
	if r.Case.Docs > 0 {
		rate = fmt.Sprintf("%.0f", float64(r.Case.Docs)/e.Wall.Seconds())
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |\n", r.Case.Name, shown(e.Wall), limit, ratio, r.goal(), cpu, memory, rate)
}

// goal says what should be reached, and of each part whether it was missed.
func (r Result) goal() string {
	var parts []string
	part := func(reached bool, format string, args ...any) {
		text := fmt.Sprintf(format, args...)
		if r.Err != nil || !reached {
			text += ", missed"
		}
		parts = append(parts, text)
	}
	g, e := r.Case.Goal, middle(r.Eslake)
	if g.Ratio > 0 {
		part(r.Ratio() >= g.Ratio, "≥ %.2f", g.Ratio)
	}
	if g.Longest > 0 {
		part(e.Wall <= g.Longest, "≤ %s", shown(g.Longest))
	}
	if g.Extra > 0 {
		part(r.Extra() <= g.Extra, "processor ≤ %s a million above the limit", shown(g.Extra))
	}
	if g.Peak > 0 {
		part(e.Peak <= g.Peak, "≤ %s", megabytes(g.Peak))
	}
	return strings.Join(parts, "; ")
}

func shown(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.2f s", d.Seconds())
}

func megabytes(n int64) string { return fmt.Sprintf("%d MB", (n+500_000)/1_000_000) }

// Facts says what was measured where. Load is Load() at the beginning.
func (s *Suite) Facts(ctx context.Context, load string) (string, error) {
	out, err := exec.CommandContext(ctx, s.Eslake, "version").Output()
	if err != nil {
		return "", err
	}
	server := "no cluster"
	if s.cluster != nil {
		if server, err = s.cluster.Version(ctx); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d documents of 30 columns, %d rounds (%d of reads from the cluster, %d of what takes no time), %s.\n", s.Rows, s.Rounds, s.reads(), short, time.Now().UTC().Format("2 January 2006"))
	fmt.Fprintf(&b, "%s on the same machine: %s, %s", server, processor(), memory())
	if load != "" {
		fmt.Fprintf(&b, "; load average %s before and %s after", load, Load())
	}
	var versions []string
	for line := range strings.Lines(string(out)) {
		versions = append(versions, strings.Join(strings.Fields(line), " "))
	}
	fmt.Fprintf(&b, ".\n%s.\n", strings.Join(versions, ", "))
	return b.String(), nil
}

// processor and memory read what Linux says; elsewhere they say little.
func processor() string {
	n := fmt.Sprintf("%d processors", runtime.NumCPU())
	text, _ := os.ReadFile("/proc/cpuinfo") // not there: nothing is said
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return n + " (" + strings.TrimSpace(value) + ")"
		}
	}
	return n
}

func memory() string {
	text, _ := os.ReadFile("/proc/meminfo") // as above
	var kilobytes int64
	if _, err := fmt.Sscanf(string(text), "MemTotal: %d kB", &kilobytes); err != nil {
		return runtime.GOOS
	}
	return fmt.Sprintf("%d GB, %s", (kilobytes+500_000)/1_000_000, runtime.GOOS)
}

// Load returns how many threads wanted a processor in the last minute, "" where
// the system does not say.
func Load() string {
	text, _ := os.ReadFile("/proc/loadavg") // as above
	first, _, _ := strings.Cut(string(text), " ")
	return first
}

// The lines between which a document holds the figures.
const (
	beginMark = "<!-- bench: begin -->\n"
	endMark   = "<!-- bench: end -->\n"
)

// Insert replaces what stands between the marks of a document.
func Insert(file, text string) error {
	doc, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, rest, begun := bytes.Cut(doc, []byte(beginMark))
	_, tail, ended := bytes.Cut(rest, []byte(endMark))
	if !begun || !ended {
		return fmt.Errorf("%s: no lines %q and %q", file, strings.TrimSpace(beginMark), strings.TrimSpace(endMark))
	}
	var b bytes.Buffer
	for _, part := range [][]byte{head, []byte(beginMark), []byte(text), []byte(endMark), tail} {
		b.Write(part)
	}
	return os.WriteFile(file, b.Bytes(), 0o644)
}

// String is a line for who watches: the time of each round.
func (r Result) String() string {
	if r.Err != nil {
		return r.Err.Error()
	}
	var b strings.Builder
	b.WriteString(r.Case.Name)
	for i, samples := range [][]Sample{r.Eslake, r.Limit} {
		if len(samples) == 0 {
			continue
		}
		b.WriteString([]string{"; eslake", "; limit"}[i])
		for _, s := range samples[:min(len(samples), 5)] {
			b.WriteString(" " + shown(s.Wall))
		}
	}
	return b.String()
}
