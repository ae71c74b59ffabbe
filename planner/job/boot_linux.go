package job

import (
	"os"
	"strings"
)

// boot returns what tells one start of the machine from another: random(4),
// /proc/sys/kernel/random/boot_id. "" when nobody knows.
func boot() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}
