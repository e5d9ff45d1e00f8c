//go:build unix

package doctor

import "golang.org/x/sys/unix"

// FreeSpace is the Free probe of this machine. It returns the space available to an
// ordinary user.
func FreeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil
}
