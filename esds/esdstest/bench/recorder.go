package bench

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// recording is a running recorder.
type recording struct {
	cmd   *exec.Cmd
	stdin io.Closer
	url   string
}

// startRecorder runs Record as a process.
func startRecorder(ctx context.Context, self, cluster, dir string) (*recording, error) {
	return startServer(exec.CommandContext(ctx, self, "record", cluster, dir))
}

// startEndless runs Endless as a process.
func startEndless(ctx context.Context, self string, docs int) (*recording, error) {
	return startServer(exec.CommandContext(ctx, self, "endless", strconv.Itoa(docs)))
}

// startSink runs a Sink as a process.
func startSink(ctx context.Context, self string, perSecond int) (*recording, error) {
	return startServer(exec.CommandContext(ctx, self, "sink", strconv.Itoa(perSecond)))
}

// startServer runs a server that prints its address, and that ends when its
// input does.
func startServer(cmd *exec.Cmd) (*recording, error) {
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &recording{cmd: cmd, stdin: stdin}
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		_ = r.stop() // the first error says more
		return nil, err
	}
	r.url = strings.TrimSpace(line)
	return r, nil
}

// stop ends the recorder and waits until its files are whole.
func (r *recording) stop() error {
	_ = r.stdin.Close() // it is a pipe: nothing can be lost
	return r.cmd.Wait()
}
