package servers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

// stopWait is how long a server may take to end by itself.
const stopWait = 30 * time.Second

// process is a started server, with all that it started.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // how it ended, once done is closed
}

// startProcess starts cmd with its output in logFile. Where the system can do
// that, it ends when this process dies without stopping it.
func startProcess(c command, logFile string, user *serverID) (*process, error) {
	out, err := os.Create(logFile)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Dir, cmd.Env = c.dir, c.env
	cmd.Stdout, cmd.Stderr = out, out
	cmd.SysProcAttr = processAttr(user)
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // the system ends the child with the thread that started it
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
		}
		close(p.done)
	}()
	return p, <-started
}

// stop asks the process to end, and kills it with its children when it does
// not. It may be called twice.
func (p *process) stop() error {
	select {
	case <-p.done:
		return nil
	default:
	}
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-p.done:
		return nil
	case <-time.After(stopWait):
		killGroup(p.cmd.Process)
		<-p.done
		return fmt.Errorf("%s did not end within %s and was killed", p.cmd.Args[0], stopWait)
	}
}

// ended tells how a process that is done has ended.
func (p *process) ended() error {
	if p.err == nil {
		return errors.New("exit status 0")
	}
	return p.err
}
