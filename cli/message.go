package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/eslake/eslake/cli/render"
	"github.com/eslake/eslake/cli/session"
)

// message writes what a statement did to stderr, unless --quiet is set.
func (r *runner) message(res session.Result, summary render.Summary, took time.Duration) {
	if r.opts.output.Quiet {
		return
	}
	for _, n := range res.Notices {
		fmt.Fprintln(r.app.Err, "NOTICE: "+n)
	}
	text := res.Message
	if res.Rows != nil {
		text = counted(summary, r.shell)
	}
	if text == "" {
		return
	}
	if r.display.Timing {
		text += " " + seconds(took)
	}
	fmt.Fprintln(r.app.Err, text)
}

// counted says how many rows a result had, and what of it is not on the screen.
func counted(s render.Summary, shell bool) string {
	more, whole := "--max-rows 0 shows all, --format csv writes all", "--format vertical shows all"
	if shell {
		more, whole = `\format csv shows all`, `\G instead of ; shows all`
	}
	text := thousands(s.Rows) + " rows"
	if s.Rows == 1 {
		text = "1 row"
	}
	if s.More {
		text = fmt.Sprintf("the first %s, there are more: %s", text, more)
	}
	var cut []string
	if s.Shortened > 0 {
		cut = append(cut, plural(s.Shortened, "value")+" shortened")
	}
	if s.Hidden > 0 {
		cut = append(cut, plural(int64(s.Hidden), "column")+" hidden")
	}
	if len(cut) > 0 {
		text += "; " + strings.Join(cut, ", ") + ": " + whole
	}
	return "(" + text + ")"
}

func plural(n int64, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return thousands(n) + " " + word + "s"
}

// seconds writes a time as people compare it.
func seconds(d time.Duration) string {
	switch s := d.Seconds(); {
	case s < 10:
		return fmt.Sprintf("%.2f s", s)
	case s < 100:
		return fmt.Sprintf("%.1f s", s)
	default:
		return fmt.Sprintf("%d m %d s", int(s)/60, int(s)%60)
	}
}

// thousands writes a number with commas.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0 && digits[i-1] != '-'; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
