package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// Pipes are this process's ends of a program's standard streams.
type Pipes struct{ In, Out, Err *os.File }

// Close closes all pipes; some may be nil or already closed.
func (p Pipes) Close() {
	for _, f := range []*os.File{p.In, p.Out, p.Err} {
		_ = f.Close()
	}
}

// StartPiped is like Start, with a new pipe for each standard stream. The caller must close
// the pipes, even after an error.
func (b Sandbox) StartPiped(ctx context.Context, s Spec) (p *Process, own Pipes, err error) {
	defer func() { Pipes{s.Stdin, s.Stdout, s.Stderr}.Close() }()
	for _, ends := range [][2]**os.File{{&s.Stdin, &own.In}, {&own.Out, &s.Stdout}, {&own.Err, &s.Stderr}} {
		if *ends[0], *ends[1], err = os.Pipe(); err != nil {
			return nil, own, fmt.Errorf("making a pipe: %w", err)
		}
	}
	p, err = b.Start(ctx, s)
	return p, own, err
}

// ErrOverlong reports that a line exceeds the maximum length.
var ErrOverlong = errors.New("the line is too long")

// Lines reads lines of limited length. It uses at most twice the limit in memory, whatever
// the input.
type Lines struct {
	r     *bufio.Reader
	limit int
	line  []byte
}

// NewLines returns a reader of lines of at most limit bytes, not counting their ends.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 4096), limit: limit}
}

// Next returns the next line without its end. The line is valid until the next call. At the
// end of the input, Next returns any remaining text that has no newline, together with the
// error.
func (l *Lines) Next() ([]byte, error) {
	l.line = l.line[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		part = bytes.TrimSuffix(part, []byte{'\n'})
		if len(l.line)+len(part) > l.limit {
			return nil, ErrOverlong
		}
		if n := len(l.line) + len(part); n > cap(l.line) { // doubling allocates less than append
			l.line = append(make([]byte, 0, max(n, min(2*n, l.limit))), l.line...)
		}
		l.line = append(l.line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.line, err
		}
	}
}

// Buffered reports whether there is input that was read but not yet returned.
func (l *Lines) Buffered() bool { return l.r.Buffered() > 0 }
