package command

import (
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
)

// tailSize is the maximum amount of a program's standard error that is retained during one
// task, in bytes.
const tailSize = 16 << 10

// tail drains a pipe so that its writer never blocks, and retains the last bytes read.
type tail struct {
	file *os.File
	mu   sync.Mutex
	kept []byte
	cut  bool // something was dropped from the front
	buf  [4096]byte
}

// drain reads until the writer is gone.
func (t *tail) drain() {
	conn, err := t.file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Read(func(uintptr) bool {
		// Read until the pipe is empty: only then does the poller report new bytes.
		for {
			switch err := t.take(); {
			case errors.Is(err, syscall.EAGAIN):
				return false
			case err != nil:
				return true
			}
		}
	})
}

// take reads and retains the next piece of the available bytes.
func (t *tail) take() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	n, err := readNow(t.file, t.buf[:])
	if n == 0 && err == nil {
		err = io.EOF
	}
	t.kept = append(t.kept, t.buf[:n]...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = t.kept[:copy(t.kept, t.kept[over:])]
		t.cut = true
	}
	return err
}

// collect returns the text that was written since the last call. It reads the pipe itself,
// so the text includes everything that was written before the answer.
func (t *tail) collect(scrub func(string) string) string {
	for range 64 { // bounded, because the writer may be faster than this reader
		if t.take() != nil {
			break
		}
	}
	t.mu.Lock()
	text, cut := string(t.kept), t.cut
	t.kept, t.cut = t.kept[:0], false
	t.mu.Unlock()
	if text == "" {
		return ""
	}
	if cut {
		// The first line may be the rest of a secret, which would not be recognised.
		_, text, _ = strings.Cut(text, "\n")
		text = "…\n" + text
	}
	return strings.TrimRight(scrub(strings.ToValidUTF8(text, "\uFFFD")), "\n")
}
