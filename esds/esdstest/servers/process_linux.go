package servers

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// serverID is the user that servers run as.
type serverID struct{ uid, gid uint32 }

// serverUser returns nobody for root, since Elasticsearch refuses root, and
// nil for anyone else.
func serverUser() *serverID {
	if os.Getuid() != 0 {
		return nil
	}
	return &serverID{uid: 65534, gid: 65534}
}

func processAttr(user *serverID) *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	if user != nil {
		attr.Credential = &syscall.Credential{Uid: user.uid, Gid: user.gid}
	}
	return attr
}

func killGroup(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // it may have ended meanwhile
}

// runAs makes cmd run as the servers' user.
func runAs(cmd *exec.Cmd, user *serverID) {
	if user != nil {
		cmd.SysProcAttr = processAttr(user)
		cmd.SysProcAttr.Pdeathsig = 0
	}
}

// ownedByServer gives run to the servers' user and checks that this user can
// reach both folders.
func ownedByServer(run, home string) error {
	user := serverUser()
	if user == nil {
		return nil
	}
	for _, dir := range []string{filepath.Dir(run), home} {
		if err := passable(dir); err != nil {
			return err
		}
	}
	return filepath.WalkDir(run, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, int(user.uid), int(user.gid))
	})
}

func passable(dir string) error {
	for d := dir; ; d = filepath.Dir(d) {
		info, err := os.Stat(d)
		if err != nil {
			return err
		}
		if info.Mode()&0o001 == 0 {
			return fmt.Errorf("%s is closed to the user that runs the server: set TMPDIR and %s to folders that everyone may enter", d, cacheEnv)
		}
		if d == filepath.Dir(d) {
			return nil
		}
	}
}
