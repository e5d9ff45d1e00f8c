package command

import (
	"os"

	"golang.org/x/sys/unix"
)

// unread returns the number of unread bytes in a pipe.
func unread(f *os.File) int {
	count := 0
	conn, err := f.SyscallConn()
	if err != nil {
		return 0
	}
	if err := conn.Control(func(fd uintptr) {
		if n, err := unix.IoctlGetInt(int(fd), unix.TIOCINQ); err == nil { // another name for FIONREAD
			count = n
		}
	}); err != nil {
		return 0
	}
	return count
}
