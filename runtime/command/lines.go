package command

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// stale reports whether there is unexpected output or the program is gone.
func (w *worker) stale() bool {
	more, gone := w.more()
	return more || gone
}

// more reports whether there is unread output and, if not, whether the program is gone. It
// may read one byte of the output.
func (w *worker) more() (more, gone bool) {
	if w.stdout.Buffered() {
		return true, false
	}
	var one [1]byte
	n, err := readNow(w.pipes.Out, one[:])
	return n > 0, n == 0 && !errors.Is(err, syscall.EAGAIN)
}

// readNow reads the available bytes without waiting. EAGAIN means that nothing is
// available; a count of 0 without an error means that the writer is gone.
func readNow(f *os.File, p []byte) (n int, err error) {
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	if failed := conn.Control(func(fd uintptr) {
		for {
			n, err = unix.Read(int(fd), p)
			if !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}); failed != nil {
		return 0, failed
	}
	return max(n, 0), err
}
