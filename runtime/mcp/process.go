package mcp

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

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"evolve/runtime/sandbox"
	foreign "evolve/runtime/text"
)

// exitGrace is the time that a server has to end by itself after it closed its output, so
// that its exit code can be reported.
const exitGrace = time.Second

// Limits on standard error, in bytes.
const (
	maxStderr = 4 << 20 // between two calls
	stderrEnd = 2 << 10 // stored for the log
)

// process is a stdio server that exchanges one message per line.
type process struct {
	proc          *sandbox.Process
	stdin, stdout *os.File
	stderr        *os.File
	lines         *sandbox.Lines
	scrub         func(string) string
	// turn is a lock that serialises writes.
	turn chan struct{}

	mu          sync.Mutex
	stderrBytes int    // bytes on standard error since the last call
	tail        []byte // the last bytes on standard error
	flooded     bool   // more than maxStderr bytes arrived since the last call
	shut        bool   // the server was killed because it kept running after closing its input or output

	// done is closed after the program has ended and exit is set. drained is closed once
	// standard error is no longer read.
	done, drained chan struct{}
	exit          sandbox.Exit
}

var _ mcp.Connection = (*process)(nil)

// startProcess starts a server's program. ctx limits only the start.
func startProcess(ctx context.Context, s *Server, scrub func(string) string) (*process, error) {
	spec := sandbox.Spec{
		Argv: s.Argv, Dir: s.Dir, Hidden: s.Hidden, Env: s.Env, Network: s.Network, Temp: s.Scratch,
		Limits: sandbox.Limits{Processes: sandbox.ProcessLimit()},
	}
	if s.Scratch != "" {
		spec.Writable = []string{s.Scratch}
	}
	proc, pipes, err := s.Sandbox.StartPiped(ctx, spec)
	if err != nil {
		pipes.Close()
		return nil, err
	}
	p := &process{
		proc: proc, stdin: pipes.In, stdout: pipes.Out, stderr: pipes.Err, lines: sandbox.NewLines(pipes.Out, maxMessage), scrub: scrub,
		turn: make(chan struct{}, 1), done: make(chan struct{}), drained: make(chan struct{}),
	}
	go func() {
		defer close(p.done)
		p.exit = proc.Wait()
	}()
	go func() {
		defer close(p.drained)
		p.readStderr()
	}()
	return p, nil
}

// readStderr reads standard error to its end, so its writer never blocks, and kills a
// server that floods it.
func (p *process) readStderr() {
	buf := make([]byte, 4096)
	for {
		n, err := p.stderr.Read(buf)
		p.mu.Lock()
		p.stderrBytes += n
		p.tail = append(p.tail, buf[:n]...)
		if over := len(p.tail) - stderrEnd; over > 0 {
			p.tail = p.tail[:copy(p.tail, p.tail[over:])]
		}
		flood := p.stderrBytes > maxStderr && !p.flooded
		p.flooded = p.flooded || flood
		p.mu.Unlock()
		if flood {
			p.proc.Kill()
		}
		if err != nil {
			return
		}
	}
}

// resetStderr resets the count of bytes on standard error.
func (p *process) resetStderr() {
	p.mu.Lock()
	p.stderrBytes = 0
	p.mu.Unlock()
}

// lastStderrLine returns the last line on standard error, scrubbed and preceded by a
// separator, or "" if there is none.
func (p *process) lastStderrLine() string {
	p.mu.Lock()
	text := bytes.Clone(bytes.TrimSpace(p.tail))
	p.mu.Unlock()
	i := bytes.LastIndexByte(text, '\n')
	if i < 0 && len(text) >= stderrEnd/2 {
		return "" // the line's beginning is cut off, so it may be the rest of a secret
	}
	if words := line(string(text[i+1:]), p.scrub); words != "" {
		return ": " + words
	}
	return ""
}

// Read implements [mcp.Connection]. Each of its errors is a fault of the server.
func (p *process) Read(context.Context) (jsonrpc.Message, error) {
	for {
		text, err := p.lines.Next()
		text = bytes.TrimSpace(text)
		switch {
		case errors.Is(err, sandbox.ErrOverlong):
			return nil, violated(fmt.Sprintf("the server wrote a line of more than %d bytes", maxMessage))
		case errors.Is(err, io.EOF):
			return nil, p.ended()
		case err != nil:
			return nil, died("the server's output was cut off")
		case len(text) == 0:
			continue
		}
		msg, err := decode(text)
		if err != nil {
			return nil, violated(fmt.Sprintf("the server wrote a line that %s: %s", err, line(foreign.Clip(string(text), 4*maxText, foreign.Mark), p.scrub)))
		}
		return msg, nil
	}
}

// ended waits until a server that closed its output or input has ended, kills it after a
// grace period, and returns a fault that describes how it ended.
func (p *process) ended() *fault {
	impatient := time.AfterFunc(exitGrace, func() {
		p.mu.Lock()
		p.shut = true
		p.mu.Unlock()
		p.proc.Kill()
	})
	<-p.done
	impatient.Stop()
	// Without isolation, a descendant may still hold the write end open.
	_ = p.stderr.SetReadDeadline(time.Now().Add(exitGrace))
	<-p.drained
	p.mu.Lock()
	// Both a writer and a reader may get here, though only one of them killed the server.
	flooded, shut := p.flooded, p.shut
	p.mu.Unlock()
	switch {
	case flooded:
		return violated(fmt.Sprintf("the server wrote more than %d bytes to standard error during one call", maxStderr))
	case shut && p.exit.Signal == int(syscall.SIGKILL):
		return died("the server closed its input or output but kept running")
	case p.exit.Signal != 0:
		return died(fmt.Sprintf("the server was killed by the signal %q%s", syscall.Signal(p.exit.Signal), p.lastStderrLine()))
	}
	return died(fmt.Sprintf("the server ended with exit code %d%s", p.exit.Code, p.lastStderrLine()))
}

// Write implements [mcp.Connection]. If ctx is done during a write and interrupts it, the
// server is killed, because it may have received only part of the message and could not
// read another.
func (p *process) Write(ctx context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("writing a message: %w", err)
	}
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.turn }()
	if err := ctx.Err(); err != nil {
		return err
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = p.stdin.SetWriteDeadline(time.Unix(1, 0))
		close(ended)
	})
	_, err = p.stdin.Write(append(text, '\n'))
	if !stop() {
		<-ended
		if err != nil {
			p.proc.Kill()
		} else {
			err = p.stdin.SetWriteDeadline(time.Time{})
		}
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return p.ended() // the server is gone, or no longer reads
}

// SessionID implements [mcp.Connection].
func (p *process) SessionID() string { return "" }

// Close implements [mcp.Connection]. It ends the program with all its descendants, as well
// as pending reads and writes.
func (p *process) Close() error {
	p.proc.Kill()
	sandbox.Pipes{In: p.stdin, Out: p.stdout}.Close()
	return nil
}

// shutDown closes the process and waits until nothing is left of it.
func (p *process) shutDown(context.Context) {
	_ = p.Close()
	<-p.done
	_ = p.stderr.Close()
	<-p.drained
}
