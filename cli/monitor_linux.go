package cli

/*
#include <sys/prctl.h>

// It runs before Go does, whose monitor inherits what is set here.
__attribute__((constructor)) static void eslake_monitor(void) { prctl(PR_SET_TIMERSLACK, 1000000UL, 0UL, 0UL, 0UL); }
*/
import "C"

import "golang.org/x/sys/unix"

// While there is work, the monitor of Go's runtime (sysmon in runtime/proc.go) wakes up
// each 20 µs: 6 % of the processor time of a long read, and a change of threads each time
// for a cluster on the same machine. It may sleep a millisecond longer (prctl(2),
// PR_SET_TIMERSLACK). The threads that come from this one may not.
func init() {
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, 0, 0, 0, 0) // where it is refused, so was the other
}
