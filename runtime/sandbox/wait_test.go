//go:build linux

package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

// busy keeps every processor overloaded until the test ends.
func busy(t *testing.T) {
	var done atomic.Bool
	ended := make(chan struct{})
	n := 4 * runtime.GOMAXPROCS(0)
	for range n {
		go func() {
			for !done.Load() {
				runtime.Gosched()
			}
			ended <- struct{}{}
		}()
	}
	t.Cleanup(func() {
		done.Store(true)
		for range n {
			<-ended
		}
	})
}

// TestWireHeld has a process hold the other end of the control socket without replying. No
// wait on the socket may outlast the context or the end of the process inside.
func TestWireHeld(t *testing.T) {
	for name, part := range map[string]string{"says nothing": "", "says half of it": `{"star`, "says too little": `{"started":true}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, theirs, err := newWire()
			if err != nil {
				t.Fatal(err)
			}
			defer theirs.Close()
			if _, err := theirs.WriteString(part); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancelCause(t.Context())
			given := errors.New("given up")
			killed := make(chan struct{})
			go func() {
				// The orders have arrived, so the next step is to wait for a reply.
				_, _ = theirs.Read(make([]byte, 1))
				cancel(given)
			}()
			// A large order does not fit into the socket's buffer, and a home requires a
			// second reply.
			if err := w.begin(ctx, orders{Home: "/home", Env: []string{string(make([]byte, 1<<20))}}, func() { close(killed) }); !errors.Is(err, given) {
				t.Errorf("begins with %v", err)
			}
			<-killed
			if e := w.end(); e != (Exit{Code: -1, Signal: 9, Reason: Fallen}) {
				t.Errorf("ends with %+v", e)
			}
		})
	}
}

// TestGivenUp cancels runs at random moments on a busy machine. Every run returns with the
// reason, and leaves no process that holds the program's files.
func TestGivenUp(t *testing.T) {
	busy(t)
	test := func(t *testing.T, w Sandbox) {
		for round := range 5 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for range round * round * 1000 { // later in every round
					_ = unix.Getppid()
				}
				cancel()
			}()
			r, out, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			s := sh("/usr", "sleep 1000")
			s.Stderr = out
			p, err := w.Start(ctx, s)
			out.Close()
			switch {
			case err == nil:
				if e, ended := p.waitWithin(alsoKill(ctx, p)); !ended || e != (Exit{Code: -1, Signal: 9, Reason: Killed}) {
					t.Errorf("round %d: %+v", round, e)
				}
			case !errors.Is(err, context.Canceled):
				t.Errorf("round %d: %v", round, err)
			}
			if _, err := io.Copy(io.Discard, r); err != nil { // the read ends with the last holder of the pipe
				t.Error(err)
			}
			r.Close()
			cancel()
		}
	}
	every(t, test)
	t.Run("none", func(t *testing.T) { test(t, None("a test")) })
}

// alsoKill arranges for the process to be killed when ctx ends.
func alsoKill(ctx context.Context, p *Process) context.Context {
	context.AfterFunc(ctx, p.Kill)
	return ctx
}
