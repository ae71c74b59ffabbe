package bench

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Command is a program to measure.
type Command struct {
	Args   []string
	Env    []string // besides PATH; nothing else of this process's environment
	Stdout string   // file that its output goes to; "" throws it away
	Slow   bool     // its output is taken at about 20 MB a second, through a pipe
}

// Sample is what one run took.
type Sample struct {
	Wall time.Duration // from its start to its end
	CPU  time.Duration // of its own threads, in user and kernel mode
	Peak int64         // most bytes of memory at a time; 0 where the system does not say
}

// Measure runs the program. What it writes to its error stream is in the error
// when it fails.
//
// A process begins with the peak of the one that started it, so this one must
// stay small: it never holds what it measures.
func (c Command) Measure(ctx context.Context) (Sample, error) {
	cmd := exec.CommandContext(ctx, c.Args[0], c.Args[1:]...)
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH")}, c.Env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if c.Stdout != "" {
		out, err := os.Create(c.Stdout)
		if err != nil {
			return Sample{}, err
		}
		defer out.Close()
		cmd.Stdout = out
		if c.Slow {
			cmd.Stdout = slow{out}
		}
	}
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if err != nil {
		return Sample{}, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	state := cmd.ProcessState
	return Sample{Wall: took, CPU: state.UserTime() + state.SystemTime(), Peak: peak(state)}, nil
}

// slow is a writer that takes its time. It is no file, so a process writes to it
// through a pipe.
type slow struct{ io.Writer }

func (s slow) Write(p []byte) (int, error) {
	time.Sleep(time.Duration(len(p)) * 50 * time.Nanosecond)
	return s.Writer.Write(p)
}
