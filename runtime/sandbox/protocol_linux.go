package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orders describe what the inside must set up and run.
type orders struct {
	// Home, if set, is the writable home folder of a program that is isolated only by
	// Landlock, not by namespaces.
	Home string `json:"home,omitempty"`
	// Built reports whether the namespaces and the root already exist.
	Built   bool     `json:"built,omitempty"`
	Pieces  []piece  `json:"pieces"`
	Path    string   `json:"path"`
	Argv    []string `json:"argv"`
	Env     []string `json:"env"`
	Dir     string   `json:"dir"`
	Network bool     `json:"network"`
	Limits  Limits   `json:"limits"`
}

func ordersFor(s Spec, prog program, pieces []piece) orders {
	return orders{
		Pieces: pieces, Path: prog.path, Argv: prog.argv(s), Env: environment(s, prog, homeFolder, tmpFolder),
		Dir: s.Dir, Network: s.Network, Limits: s.Limits,
	}
}

// report is a message from inside the sandbox. The first one is about the start, and a
// later one is about the end.
type report struct {
	Started bool `json:"started,omitempty"`
	// Doing, Errno and Text describe a failure; Errno is 0 if it was not caused by a system
	// error.
	Doing string `json:"doing,omitempty"`
	Errno int    `json:"errno,omitempty"`
	Text  string `json:"text,omitempty"`
	// Program reports whether it was the execution of the program that failed.
	Program bool  `json:"program,omitempty"`
	Exit    *Exit `json:"exit,omitempty"`
}

// failure returns the report for an error.
func failure(err error) report {
	r := report{Text: err.Error()}
	var step *stepError
	if errors.As(err, &step) {
		r = report{Doing: step.doing, Errno: int(step.errno)}
	}
	r.Program = errors.Is(err, ErrProgram)
	return r
}

// err returns the error in a report, or nil if the start succeeded.
func (r report) err() error {
	switch {
	case r.Started:
		return nil
	case r.Errno != 0:
		err := fmt.Errorf("%s: %w", r.Doing, syscall.Errno(r.Errno))
		if r.Program {
			return programError{err}
		}
		return err
	}
	return errors.New(r.Text)
}

// stepError reports that the system refused a step of the setup.
type stepError struct {
	doing string
	errno syscall.Errno
}

func (e *stepError) Error() string { return fmt.Sprintf("%s: %s", e.doing, e.errno.Error()) }
func (e *stepError) Unwrap() error { return e.errno }

// step returns err with a description of the step that failed, or nil if err is nil.
func step(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	doing := fmt.Sprintf(format, args...)
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &stepError{doing, errno}
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// wire is this process's end of the socket to the inside.
type wire struct {
	socket  *os.File
	replies *json.Decoder
}

// newWire creates a pair of connected sockets. Reads from the end w can have a deadline;
// the other end, called theirs, is passed to the process inside the sandbox.
func newWire() (w wire, theirs *os.File, err error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return wire{}, nil, fmt.Errorf("making a socket: %w", err)
	}
	err = unix.SetNonblock(fds[0], true)
	w.socket, theirs = os.NewFile(uintptr(fds[0]), "sandbox"), os.NewFile(uintptr(fds[1]), "sandbox")
	if err != nil {
		_, _ = w.socket.Close(), theirs.Close()
		return wire{}, nil, fmt.Errorf("making a socket: %w", err)
	}
	w.replies = json.NewDecoder(w.socket)
	return w, theirs, nil
}

// begin sends the orders and waits until the program has started or the start has failed.
// When ctx is done, it calls kill and returns at once.
func (w wire) begin(ctx context.Context, o orders, kill func()) error {
	stop := context.AfterFunc(ctx, func() {
		kill()
		_ = w.socket.SetDeadline(time.Unix(1, 0))
	})
	err := w.order(o)
	if !stop() {
		return context.Cause(ctx)
	}
	return err
}

func (w wire) order(o orders) error {
	if err := json.NewEncoder(w.socket).Encode(o); err != nil {
		return ErrBroken
	}
	var r report
	if err := w.replies.Decode(&r); err != nil {
		return ErrBroken
	}
	if err := r.err(); err != nil || o.Home == "" {
		return err
	}
	// If the program is isolated only by Landlock, no process of ours remains inside: a
	// successful exec of the program closes the socket.
	switch err := w.replies.Decode(&r); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return ErrBroken
	}
	r.Started = false
	return r.err()
}

// end returns how the program ended, from the last report of the process inside the
// sandbox after that process has ended. If the process was killed, it has sent no such
// report. The deadline is needed because another process may still hold the other end of
// the socket.
func (w wire) end() Exit {
	_ = w.socket.SetReadDeadline(time.Now().Add(time.Second))
	defer func() { _ = w.socket.Close() }()
	var last report
	if err := w.replies.Decode(&last); err != nil || last.Exit == nil {
		return Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: Fallen}
	}
	return *last.Exit
}
