package authored

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"evolve/runtime/sandbox"
)

const (
	// startTime limits how long a child may take to start. watchTime is the interval at
	// which its memory use is checked during a call.
	startTime = 20 * time.Second
	watchTime = 20 * time.Millisecond
	// maxCalls and maxWork are the number of calls and the working time after which a child
	// is replaced.
	maxCalls = 1000
	maxWork  = 20 * time.Second
	// maxStderr limits how much of a child's standard error is retained, in bytes.
	maxStderr = 4 << 10
)

// These are the errors for a call that got no reply.
var (
	errTime    = errors.New("the time is up")
	errStarved = errors.New("the time is up, and the processor was busy with other work")
	errSize    = errors.New("it takes too much memory")
	errEnded   = errors.New("the child process ended")
)

// child is one process that runs tools, one call at a time.
type child struct {
	conn *os.File
	proc process
	pid  int
	// most is the resident memory, in bytes, above which the child is killed.
	most  int64
	known map[string]bool
	calls int
	work  time.Duration

	stderrDone sync.WaitGroup
	stderr     bytes.Buffer // read only after the child has ended
}

// newChild starts a child and waits until its limits are set. extra is the number of bytes
// by which the child's resident memory may grow.
func newChild(ctx context.Context, box sandbox.Sandbox, s settings, extra int64) (*child, error) {
	ours, theirs, err := connection()
	if err != nil {
		return nil, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		_, _ = ours.Close(), theirs.Close()
		return nil, fmt.Errorf("making a pipe: %w", err)
	}
	proc, err := start(ctx, box, theirs, w)
	// The parent's copies of the child's ends must be closed, or the parent would not
	// notice when the child ends.
	_, _ = theirs.Close(), w.Close()
	if err != nil {
		_, _ = ours.Close(), r.Close()
		return nil, err
	}
	c := &child{conn: ours, proc: proc, known: map[string]bool{}}
	c.stderrDone.Go(func() {
		// The pipe ends with the child; other errors are of no interest.
		_, _ = io.CopyN(&c.stderr, r, maxStderr)
		_, _ = io.Copy(io.Discard, r)
		_ = r.Close()
	})
	if err := c.prepare(ctx, s); err != nil {
		c.end()
		return nil, fmt.Errorf("preparing a child: %w", err)
	}
	c.most = resident(c.pid) + extra
	return c, nil
}

// prepare sends the child its settings.
func (c *child) prepare(ctx context.Context, s settings) error {
	deadline := time.Now().Add(startTime)
	if d, ok := ctx.Deadline(); ok && d.Before(deadline) {
		deadline = d
	}
	if err := c.conn.SetDeadline(deadline); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, c.proc.kill)
	defer stop()
	b, err := frame(s)
	if err != nil {
		return err
	}
	if _, err := c.conn.Write(b); err != nil {
		return err
	}
	b = make([]byte, 4<<10)
	have := 0
	for {
		n, pid, err := readFrom(c.conn, b[have:])
		if err != nil {
			return err
		}
		if n == 0 {
			return errEnded
		}
		c.pid = pid
		have += n
		data, err := cutFrame(b[:have])
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		var r ready
		if err := json.Unmarshal(data, &r); err != nil {
			return err
		}
		if r.Error != "" {
			return errors.New(head(r.Error, maxText))
		}
		return ctx.Err() // the child was killed when ctx was done
	}
}

// call sends a request and waits for its reply while watching the child's memory use. Any
// error other than errTime, errStarved and errSize comes from ctx, the end of the child or
// an invalid reply.
func (c *child) call(ctx context.Context, r request, limit time.Duration) (reply, error) {
	began := time.Now()
	end, before := began.Add(limit), processorTime(c.pid)
	c.calls++
	defer func() { c.work += time.Since(began) }()
	if c.known[r.Hash] {
		r.Source = ""
	}
	b, err := frame(r)
	if err != nil {
		return reply{}, err
	}
	if err := c.conn.SetWriteDeadline(end); err != nil {
		return reply{}, errEnded
	}
	if _, err := c.conn.Write(b); err != nil {
		return reply{}, errEnded
	}
	b = b[:0]
	for {
		if len(b) == cap(b) {
			b = append(b, 0)[:len(b)]
		}
		now := time.Now()
		if err := c.conn.SetReadDeadline(now.Add(min(watchTime, end.Sub(now)))); err != nil {
			return reply{}, errEnded
		}
		n, err := c.conn.Read(b[len(b):cap(b)])
		b = b[:len(b)+n]
		switch {
		case err == nil:
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return reply{}, errEnded
		case ctx.Err() != nil:
			return reply{}, ctx.Err()
		case resident(c.pid) > c.most:
			return reply{}, errSize
		case !time.Now().Before(end):
			if processorTime(c.pid)-before < limit/2 {
				return reply{}, errStarved
			}
			return reply{}, errTime
		}
		data, err := cutFrame(b)
		if err != nil {
			return reply{}, err
		}
		if data == nil {
			continue
		}
		if len(b) > frameSize(b) {
			return reply{}, errors.New("the child process sent more than one reply")
		}
		out, err := readReply(data)
		if err == nil && out.Ending != noProgram {
			c.known[r.Hash] = true
		}
		return out, err
	}
}

// exhausted reports whether the child has reached its maximum of calls, working time or
// programs and should be replaced.
func (c *child) exhausted() bool {
	return c.calls >= maxCalls || c.work >= maxWork || len(c.known) >= maxPrograms
}

// end kills the child with all its descendants and returns its standard error.
func (c *child) end() string {
	c.proc.kill()
	c.proc.wait()
	_ = c.conn.Close()
	c.stderrDone.Wait()
	return c.stderr.String()
}
