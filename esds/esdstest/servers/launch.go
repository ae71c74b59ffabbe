package servers

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// readyWait bounds a start; it takes 5 to 25 s, and longer on a busy machine.
const readyWait = 150 * time.Second

// starter prepares what a server needs in run and returns its command.
type starter func(s Spec, home, run string, jdk jdk) (command, error)

// command is a process to be started: program, arguments, variables.
type command struct {
	args []string
	env  []string
	dir  string
}

// launch starts an installed server and waits until it is ready.
func launch(ctx context.Context, s Spec, home string, jdk jdk) (*Server, error) {
	run, err := os.MkdirTemp("", "eslake-"+s.Name+"-")
	if err != nil {
		return nil, err
	}
	srv := &Server{Spec: s, run: run}
	if err := srv.start(ctx, home, jdk); err != nil {
		return nil, errors.Join(err, removeAll(run))
	}
	return srv, nil
}

func (s *Server) start(ctx context.Context, home string, jdk jdk) error {
	for _, dir := range []string{"data", "logs", "config", "tmp", "modules", "plugins", "repo"} {
		if err := os.Mkdir(filepath.Join(s.run, dir), 0o755); err != nil {
			return err
		}
	}
	cmd, err := s.main(s.Spec, home, s.run, jdk)
	if err != nil {
		return err
	}
	if s.secure {
		if s.tls, err = secure(s.run, home, jdk); err != nil {
			return err
		}
	}
	if err := ownedByServer(s.run, home); err != nil {
		return err
	}
	logFile := filepath.Join(s.run, "server.log")
	begin := time.Now()
	if s.proc, err = startProcess(cmd, logFile, serverUser()); err != nil {
		return err
	}
	if err := s.awaitReady(ctx); err != nil {
		return errors.Join(fmt.Errorf("%w\n%s", err, tail(logFile, 20)), s.proc.stop())
	}
	s.Ready = time.Since(begin)
	return nil
}

// awaitReady asks for health until the server says that its state is
// recovered, and fails when the process ends before.
func (s *Server) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readyWait)
	defer cancel()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last := errors.New("it wrote no port")
	for {
		select {
		case <-ctx.Done():
			return fmt.Errorf("not ready: %w (%w)", last, ctx.Err())
		case <-s.proc.done:
			return fmt.Errorf("ended before it was ready: %w", s.proc.ended())
		case <-tick.C:
		}
		if s.URL == "" {
			s.URL = s.address()
			continue
		}
		if last = s.healthy(ctx); last == nil {
			return nil
		}
	}
}

// address reads the port that the server chose, or returns "".
func (s *Server) address() string {
	text, err := os.ReadFile(filepath.Join(s.run, "logs", "http.ports"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "127.0.0.1:") && s.secure {
			return "https://" + line
		}
		if strings.HasPrefix(line, "127.0.0.1:") {
			return "http://" + line
		}
	}
	return ""
}

func (s *Server) healthy(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL+"/_cluster/health", nil)
	if err != nil {
		return err
	}
	client, err := s.client(req)
	if err != nil {
		return err
	}
	defer client.CloseIdleConnections()
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || strings.Contains(string(body), `"status":"red"`) {
		return fmt.Errorf("health answers %s: %s", res.Status, body)
	}
	return nil
}

// client returns one that may talk to the server, and signs req for it.
func (s *Server) client(req *http.Request) (*http.Client, error) {
	client := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{}}
	if s.tls == nil {
		return client, nil
	}
	req.SetBasicAuth(s.tls.user, s.tls.password)
	conf, err := s.tls.clientConfig()
	client.Transport = &http.Transport{TLSClientConfig: conf}
	return client, err
}

// settings writes the configuration file that both products read.
func settings(file string, s Spec, run string, more ...string) error {
	lines := append([]string{
		"cluster.name: eslake-test",
		"node.name: test",
		"discovery.type: single-node",
		"network.host: 127.0.0.1",
		"http.port: 0",
		"transport.port: 0",
		"node.portsfile: true",
		"path.data: " + filepath.Join(run, "data"),
		"path.logs: " + filepath.Join(run, "logs"),
		"path.repo: " + filepath.Join(run, "repo"),
		"cluster.routing.allocation.disk.threshold_enabled: false",
		"action.destructive_requires_name: false",
	}, more...)
	if s.secure {
		lines = append(lines, secureSettings...)
	}
	return os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// tail returns the last n lines of a file, for an error message.
func tail(file string, n int) string {
	text, err := os.ReadFile(file)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// removeAll removes a folder into which a stopping server may still write.
func removeAll(dir string) error {
	var err error
	for range 20 {
		if err = os.RemoveAll(dir); err == nil {
			return nil
		}
		time.Sleep(50 * time.Millisecond)
	}
	return err
}
