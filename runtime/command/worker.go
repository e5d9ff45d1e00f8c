package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"evolve/runtime/sandbox"
)

// patience is how long a program may take to end by itself after it has closed its
// output, so that its exit code can be reported.
const patience = 2 * time.Second

// shortLine is the maximum length of a request that is written without a goroutine, in
// bytes. A pipe holds more, so the write does not block even if a program answers before it
// has read everything.
const shortLine = 16 << 10

// worker is one started program with its pipes.
type worker struct {
	process *sandbox.Process
	pipes   sandbox.Pipes
	stdout  *sandbox.Lines
	stderr  *tail
	// last is the id of the last request that the program answered, or "" if there is none.
	last string
	// seen is the latest value of [sandbox.Process.Unreached], and told is the value after
	// the last task.
	seen, told int64
	// done is closed once the program is gone; by then, exit is set.
	done chan struct{}
	exit sandbox.Exit
	// drained is closed once standard error is no longer read.
	drained chan struct{}
}

// startWorker starts the program. ctx limits only the start.
func startWorker(ctx context.Context, o *Options, writable []string) (*worker, error) {
	p, pipes, err := o.Sandbox.StartPiped(ctx, sandbox.Spec{
		Argv: o.Argv, Dir: o.Dir, Writable: writable, Hidden: o.Hidden, Env: o.Env, Network: o.Network,
		Limits: sandbox.Limits{Processes: sandbox.ProcessLimit()}, Temp: o.Scratch,
	})
	if err != nil {
		pipes.Close()
		return nil, err
	}
	w := &worker{
		process: p, pipes: pipes, stdout: sandbox.NewLines(pipes.Out, maxResponse), stderr: &tail{file: pipes.Err},
		done: make(chan struct{}), drained: make(chan struct{}),
	}
	go func() {
		defer close(w.done)
		w.exit = p.Wait()
	}()
	go func() {
		defer close(w.drained)
		w.stderr.drain()
	}()
	return w, nil
}

// stop kills the program with all its descendants and waits until they are gone.
func (w *worker) stop() {
	w.count() // the count is no longer available after the kill
	w.process.Kill()
	<-w.done
}

// dispose stops the program and frees the worker's resources.
func (w *worker) dispose() {
	w.stop()
	w.pipes.Close()
	<-w.drained
}

// until sets the deadline for reading and writing.
func (w *worker) until(t time.Time) {
	// Pipes support deadlines; without a deadline, a read would return only when the
	// program ends.
	_ = w.pipes.In.SetWriteDeadline(t)
	_ = w.pipes.Out.SetReadDeadline(t)
}

// ended waits for the end of a program that closed its output, kills the program after a
// grace period, and returns a description of how it ended.
func (w *worker) ended() string {
	impatient := time.AfterFunc(patience, w.process.Kill)
	<-w.done
	switch {
	case !impatient.Stop() && w.exit.Signal == int(syscall.SIGKILL):
		return "the program closed its output but kept running"
	case w.exit.Signal != 0:
		return fmt.Sprintf("the program was terminated by signal %q", syscall.Signal(w.exit.Signal))
	}
	return fmt.Sprintf("the program ended with exit code %d", w.exit.Code)
}

// send writes the request. It returns a function, sent, that waits until the write has
// ended and returns the number of bytes written. If last is set, the program's input is
// closed after the request.
func (w *worker) send(line []byte, last bool) (sent func() int) {
	write := func() int {
		n, err := w.pipes.In.Write(line)
		if last && err == nil {
			_ = w.pipes.In.Close()
		}
		return n
	}
	if len(line) <= shortLine {
		n := write()
		return func() int { return n }
	}
	count := make(chan int, 1)
	go func() { count <- write() }()
	return func() int { return <-count }
}

// breach is a program's violation of the protocol, or its end.
type breach struct {
	kind breachKind
	text string
}

type breachKind int

const (
	crashed  breachKind = iota + 1
	violated            // wrote something invalid
	expired             // took too long, or was cancelled
)

// ask sends one request and reads one line, which is valid until the next call. If there is
// a breach, the program is stopped. untouched reports whether the program had not read a
// single byte of the request.
func (w *worker) ask(line []byte) (answer []byte, b *breach, untouched bool) {
	sent := w.send(line, false)
	answer, err := w.stdout.Next()
	if err == nil {
		if len(line) > shortLine {
			// The answer came before the whole request was written: the program may mistake
			// the rest of it for the next request.
			_ = w.pipes.In.SetWriteDeadline(time.Unix(1, 0)) // stops a pending write
			if sent() < len(line) {
				return nil, w.fail(violated, "the program answered before it had read the request"), false
			}
		}
		return answer, nil, false
	}
	b = w.judge(err)
	w.stop()
	n := sent()
	return nil, b, b.kind == crashed && unread(w.pipes.In) >= n
}

// askOnce sends the only request, reads the only line, and waits until the program ends.
func (w *worker) askOnce(line []byte) ([]byte, *breach) {
	sent := w.send(line, true)
	defer sent()
	first, err := w.stdout.Next()
	answer := append([]byte(nil), first...)
	if err == nil {
		var rest []byte
		if rest, err = w.stdout.Next(); err == nil || len(rest) > 0 {
			return nil, w.fail(violated, "the program wrote more than one line")
		}
	}
	if !errors.Is(err, io.EOF) {
		b := w.judge(err)
		w.stop()
		return nil, b
	}
	if text := w.ended(); w.exit.Code != 0 {
		w.stop()
		return nil, &breach{crashed, text}
	}
	if len(answer) == 0 {
		return nil, &breach{violated, "the program wrote no response"}
	}
	return answer, nil
}

// judge returns the breach that a read error indicates.
func (w *worker) judge(err error) *breach {
	switch {
	case errors.Is(err, sandbox.ErrOverlong):
		return &breach{violated, fmt.Sprintf("the program wrote a line of more than %d bytes", maxResponse)}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &breach{expired, ""}
	}
	return &breach{crashed, w.ended()}
}

// fail stops the program and returns the breach.
func (w *worker) fail(kind breachKind, text string) *breach {
	w.stop()
	return &breach{kind, text}
}
