package sessions

import (
	"bufio"
	"io"
)

// finite is a reader of JSON that replaces the numbers NaN and Infinity, which Python
// writes, with null. A string ends at the end of its line at the latest, so that a damaged
// line does not affect the next one.
type finite struct {
	in              *bufio.Reader
	quoted, escaped bool
	pending         string
}

func (f *finite) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		if f.pending != "" {
			copied := copy(p[n:], f.pending)
			f.pending = f.pending[copied:]
			n += copied
			continue
		}
		if n > 0 && f.in.Buffered() == 0 {
			break
		}
		b, err := f.in.ReadByte()
		if err != nil {
			if n > 0 {
				break // the next call returns the error again
			}
			return 0, err
		}
		if !f.quoted && f.number(b) {
			f.pending = "null"
			continue
		}
		f.follow(b)
		p[n] = b
		n++
	}
	return n, nil
}

// follow tracks whether the reader is inside a string.
func (f *finite) follow(b byte) {
	switch {
	case b == '\n':
		f.quoted, f.escaped = false, false
	case f.escaped:
		f.escaped = false
	case f.quoted && b == '\\':
		f.escaped = true
	case b == '"':
		f.quoted = !f.quoted
	}
}

// number reports whether b begins NaN, Infinity or -Infinity, and if so skips the rest of
// that number.
func (f *finite) number(b byte) bool {
	var rest string
	switch b {
	case 'N':
		rest = "aN"
	case 'I':
		rest = "nfinity"
	case '-':
		rest = "Infinity"
	default:
		return false
	}
	next, _ := f.in.Peek(len(rest))
	if string(next) != rest {
		return false
	}
	_, _ = f.in.Discard(len(rest)) // these bytes were peeked
	return true
}

func newFinite(in io.Reader) *finite { return &finite{in: bufio.NewReaderSize(in, 64<<10)} }
