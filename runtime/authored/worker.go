package authored

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"syscall"
)

// workerName is the name under which this program starts itself again. Inside the sandbox,
// where the program's name is its path, workerName is the only argument.
const workerName = "evolve-authored-worker"

// called reports whether Init was called. Without Init, a program that starts itself again
// would repeat all its work.
var called bool

// Init runs authored tools and never returns if this process was started as a child;
// otherwise it does nothing. A program that uses this package must call Init first in main,
// and first in TestMain.
func Init() {
	called = true
	if os.Args[0] == workerName || len(os.Args) == 2 && os.Args[1] == workerName {
		work(stream{})
		os.Exit(0)
	}
}

// work answers requests until the parent closes its end.
func work(rw io.ReadWriter) {
	os.Clearenv()
	var s settings
	if err := receive(rw, &s); err != nil {
		return
	}
	if err := confine(s); err != nil {
		_ = send(rw, ready{Error: err.Error()})
		return
	}
	if err := send(rw, ready{}); err != nil {
		return
	}
	m := newMachine(s.Steps)
	for {
		var r request
		out := reply{Ending: badRequest, Text: "the request is not valid"}
		err := receive(rw, &r)
		if err == nil {
			out = m.call(r)
		} else if errors.Is(err, io.EOF) {
			return
		}
		if send(rw, out) != nil {
			return
		}
	}
}

func receive(r io.Reader, into any) error {
	var b []byte
	for want := frameHead; ; {
		at := len(b)
		b = append(b, make([]byte, want-at)...)
		if _, err := io.ReadFull(r, b[at:]); err != nil {
			return io.EOF // the parent is gone
		}
		data, err := cutFrame(b)
		switch {
		case err != nil:
			return io.EOF // the stream cannot be resynchronized
		case data != nil:
			return json.Unmarshal(data, into)
		}
		want = frameSize(b)
	}
}

func send(w io.Writer, v any) error {
	b, err := frame(v)
	if err != nil {
		return err
	}
	_, err = w.Write(b)
	return err
}

// stream is the socket that serves as the child's standard input and output. It is read
// without the poller, which would open further files.
type stream struct{}

func (stream) Read(b []byte) (int, error) {
	for {
		n, err := syscall.Read(0, b)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (stream) Write(b []byte) (int, error) {
	written := 0
	for written < len(b) {
		n, err := syscall.Write(1, b[written:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}
