//go:build unix

package archive

import (
	"io/fs"
	"syscall"

	"golang.org/x/sys/unix"
)

// freeSpace returns the bytes that an ordinary user may still write in dir's file system.
func freeSpace(dir string) (bytes uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, false
	}
	return uint64(s.Bavail) * uint64(s.Bsize), true
}

// sizeOnDisk returns the allocated size of a file, which is less than its length if it has
// holes.
func sizeOnDisk(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return int64(st.Blocks) * 512
	}
	return info.Size()
}
