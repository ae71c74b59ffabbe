package job

import "golang.org/x/sys/unix"

// boot returns what tells one start of the machine from another: sysctl(3),
// kern.bootsessionuuid. "" when nobody knows.
func boot() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil {
		return ""
	}
	return id
}
