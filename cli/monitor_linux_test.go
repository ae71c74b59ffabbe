package cli

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// The monitor is the only thread that Go starts before a package is initialized: it and
// those that it starts sleep longer, the first one and those that come from it do not.
func TestMonitorSleepsLonger(t *testing.T) {
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		t.Fatal(err)
	}
	slack := map[int]int{} // by thread, in ns
	for _, thread := range threads {
		text, err := os.ReadFile("/proc/" + thread.Name() + "/timerslack_ns")
		if os.IsNotExist(err) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended
		}
		if os.IsPermission(err) {
			t.Skip("SKIPPED: only root may see how long other threads sleep (CAP_SYS_NICE)")
		}
		id, badID := strconv.Atoi(thread.Name())
		n, badValue := strconv.Atoi(strings.TrimSpace(string(text)))
		if err := errors.Join(err, badID, badValue); err != nil {
			t.Fatal(err)
		}
		slack[id] = n
	}
	const longer = 1_000_000
	if first := slack[os.Getpid()]; first == 0 || first >= longer {
		t.Errorf("the first thread may sleep %d ns longer", first)
	}
	for _, n := range slack {
		if n == longer {
			return
		}
	}
	t.Errorf("no thread may sleep %d ns longer: %v", longer, slack)
}
