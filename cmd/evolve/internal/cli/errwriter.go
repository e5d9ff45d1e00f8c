package cli

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
)

// errWriter wraps standard output and records the first write error. Commands print line by
// line without checking errors, but a truncated file must not be mistaken for a complete
// one.
type errWriter struct {
	io.Writer
	mu  sync.Mutex
	err error
}

func (o *errWriter) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.err == nil {
			o.err = err
		}
	}
	return n, err
}

// broke reports whether an error is only a consequence of the first failed write.
func (o *errWriter) broke(err error) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return err != nil && o.err != nil && errors.Is(err, o.err)
}

// reason returns the error text of the first failed write.
func (o *errWriter) reason() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err.Error()
}

// failure returns the error of the first failed write. It returns nil if there is none, or
// if the reader has ended, as in `| head`.
func (o *errWriter) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil || errors.Is(o.err, syscall.EPIPE) {
		return nil
	}
	return fmt.Errorf("the output is not complete: %w", o.err)
}
