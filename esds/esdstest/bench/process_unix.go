//go:build unix

package bench

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the largest resident size of a process that has ended.
func peak(state *os.ProcessState) int64 {
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return usage.Maxrss
	}
	return usage.Maxrss * 1024
}
