//go:build !linux

package servers

import (
	"os"
	"os/exec"
	"syscall"
)

// serverID is the user that servers run as; only Linux lets root choose one.
type serverID struct{}

func serverUser() *serverID { return nil }

func processAttr(*serverID) *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

func killGroup(p *os.Process) {
	_ = p.Kill() // it may have ended meanwhile
}

func runAs(*exec.Cmd, *serverID) {}

func ownedByServer(string, string) error { return nil }
