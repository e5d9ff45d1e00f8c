package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// Output holds what a program wrote to its standard output and its standard error.
type Output struct {
	Stdout, Stderr []byte
	// Truncated reports whether the program wrote more output than was stored.
	Truncated bool
}

// lastRead limits the time for reading the pipes of a program that has ended. It also
// limits the wait for the end of a killed program.
const lastRead = 5 * time.Second

// Run starts a program, passes stdin to it, and waits until it and all its descendants
// have ended. It stores the beginning of each output, at most as many bytes as the
// parameter most, and discards the rest; a program that exceeds [Limits.Output] is
// killed. When ctx is done, Run kills the program and returns ctx's error, without the
// output if the kernel takes longer than [lastRead] to end the program.
func (b Sandbox) Run(ctx context.Context, s Spec, stdin []byte, most int) (Exit, Output, error) {
	p, pipes, err := b.StartPiped(ctx, s)
	defer pipes.Close()
	if errors.Is(err, ErrBroken) {
		// The process that should have set up the sandbox may have written the reason to
		// its standard error.
		_ = pipes.Err.SetReadDeadline(time.Now().Add(time.Second))
		said, _ := head(pipes.Err, 200)
		return Exit{}, Output{}, fmt.Errorf("%w: %s", err, bytes.TrimSpace(said))
	}
	if err != nil {
		return Exit{}, Output{}, err
	}
	stop := context.AfterFunc(ctx, p.Kill)
	defer stop()
	var kept [2][]byte
	var cut, over [2]bool
	var wg sync.WaitGroup
	wg.Go(func() {
		// A program need not read its input, so errors are ignored.
		_, _ = pipes.In.Write(stdin)
		_ = pipes.In.Close()
	})
	for i, f := range []*os.File{pipes.Out, pipes.Err} {
		wg.Go(func() {
			r := &limited{from: f, limit: s.Limits.Output, exceeded: p.Kill}
			kept[i], cut[i] = head(r, most)
			over[i] = r.over()
		})
	}
	exit, ended := p.waitWithin(ctx)
	if !ended {
		return exit, Output{}, ctx.Err()
	}
	// All output is in the pipes by now. Without isolation, an escaped descendant may still
	// hold an end of a pipe; it is not waited for.
	_ = pipes.In.SetWriteDeadline(time.Unix(1, 0))
	for _, f := range []*os.File{pipes.Out, pipes.Err} {
		_ = f.SetReadDeadline(time.Now().Add(lastRead))
	}
	wg.Wait()
	out := Output{Stdout: kept[0], Stderr: kept[1], Truncated: cut[0] || cut[1]}
	if ctx.Err() == nil && (over[0] || over[1]) { // even if the program ended by itself before it was killed
		exit = Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: OverOutput, Unreached: exit.Unreached}
	}
	return exit, out, ctx.Err()
}

// limited is a reader that counts the bytes it reads, and calls exceeded when their number
// first exceeds limit. A limit of 0 means no limit.
type limited struct {
	from     io.Reader
	limit    uint64
	exceeded func()
	read     uint64
}

func (l *limited) over() bool { return l.limit > 0 && l.read > l.limit }

// Read implements [io.Reader].
func (l *limited) Read(p []byte) (int, error) {
	was := l.over()
	n, err := l.from.Read(p)
	l.read += uint64(max(n, 0))
	if !was && l.over() {
		l.exceeded()
	}
	return n, err
}

// waitWithin is like Wait, but once ctx is done, which kills the process, it waits at most
// lastRead: a process that the kernel cannot end is left behind.
func (p *Process) waitWithin(ctx context.Context) (e Exit, ended bool) {
	done := make(chan Exit, 1)
	go func() { done <- p.Wait() }()
	select {
	case e = <-done:
		return e, true
	case <-ctx.Done():
	}
	select {
	case e = <-done:
		return e, true
	case <-time.After(lastRead):
		return Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: Killed}, false
	}
}

// head returns the first bytes from r, limited to the given number (most), and discards
// the rest. cut reports whether anything was discarded.
func head(r io.Reader, most int) (kept []byte, cut bool) {
	// Read errors are ignored: they only end the reading, as the end of the program does.
	kept, _ = io.ReadAll(io.LimitReader(r, int64(most)))
	n, _ := io.Copy(io.Discard, r)
	return kept, n > 0
}
