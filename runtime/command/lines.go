package command

import (
	"bytes"
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// errOverlong reports that a line exceeds its bound.
var errOverlong = errors.New("the line is too long")

// lines reads lines of bounded length from a pipe. Its memory is bounded by the limit,
// whatever the other side writes.
type lines struct {
	file  *os.File
	limit int
	buf   []byte
	// start and end delimit the bytes that were read and not yet returned.
	start, end int
}

const firstBuffer = 4096

// next returns the next line without its end. The line is valid until the next call. At
// the end of the input, it returns the rest without a newline together with the error.
func (l *lines) next() ([]byte, error) {
	seen := l.start
	for {
		if i := bytes.IndexByte(l.buf[seen:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : seen+i]
			l.start = seen + i + 1
			if len(line) > l.limit {
				return nil, errOverlong
			}
			return line, nil
		}
		seen = l.end
		if l.end-l.start > l.limit {
			return nil, errOverlong
		}
		if l.end == len(l.buf) {
			seen -= l.start
			l.grow()
		}
		n, err := l.file.Read(l.buf[l.end:])
		l.end += n
		if err != nil {
			return l.buf[l.start:l.end], err
		}
	}
}

// grow makes room: the remaining bytes move to the front of a buffer with space.
func (l *lines) grow() {
	buf := l.buf
	if held := l.end - l.start; held > len(buf)/2 || len(buf) == 0 {
		buf = make([]byte, min(max(2*len(buf), firstBuffer), l.limit+2))
	}
	l.end = copy(buf, l.buf[l.start:l.end])
	l.start, l.buf = 0, buf
}

// stale reports whether there is unexpected input, or the other side is gone.
func (l *lines) stale() bool {
	if l.end > l.start {
		return true
	}
	var one [1]byte
	n, err := readNow(l.file, one[:])
	return n > 0 || err == nil || !errors.Is(err, syscall.EAGAIN)
}

// readNow reads what is there without waiting. EAGAIN means that there is nothing, and
// a count of 0 without error that the other side is gone.
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
