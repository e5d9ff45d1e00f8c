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

// Output holds the text that a program wrote to its outputs.
type Output struct {
	Stdout, Stderr []byte
	// Truncated reports whether the program wrote more than the caller wanted.
	Truncated bool
}

// lastRead bounds reading the pipes of an ended program, and waiting for the end of a
// killed one.
const lastRead = 5 * time.Second

// Run starts a program, passes it its input, and waits for the end of it and all its
// descendants. It keeps the first most bytes of each output, and discards the rest unless
// [Limits.Output] bounds it. When ctx is done, Run kills the program and returns ctx's
// error, without the output if the kernel takes longer than [lastRead] to end it.
func (b Sandbox) Run(ctx context.Context, s Spec, stdin []byte, most int) (Exit, Output, error) {
	p, pipes, err := b.StartPiped(ctx, s)
	defer pipes.Close()
	if errors.Is(err, ErrBroken) {
		// The process that was to set up the sandbox may have written the reason.
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
		// A program need not read its input.
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
	// All output is in the pipes by now. Without isolation an escaped descendant may
	// still hold an end of one; it is not waited for.
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

// limited counts the bytes that are read, and calls exceeded once they are more than a
// limit above 0.
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

// waitWithin is Wait bounded by lastRead after ctx is done, which kills the process:
// one that the kernel cannot end is left behind.
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

// head returns the first most bytes of r and discards the rest.
func head(r io.Reader, most int) (kept []byte, cut bool) {
	// Reading ends with the program, and so do read errors.
	kept, _ = io.ReadAll(io.LimitReader(r, int64(most)))
	n, _ := io.Copy(io.Discard, r)
	return kept, n > 0
}
