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

// orders describes what the inside must set up and run.
type orders struct {
	// Home, if set, asks for Landlock alone instead of namespaces; it is a writable
	// folder.
	Home string `json:"home,omitempty"`
	// Built reports whether namespaces and root exist already.
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

// report is a message from the inside: first on the start, then on the end.
type report struct {
	Started bool `json:"started,omitempty"`
	// Doing, Errno and Text describe a failure; Errno is 0 when no system error caused
	// it.
	Doing string `json:"doing,omitempty"`
	Errno int    `json:"errno,omitempty"`
	Text  string `json:"text,omitempty"`
	// Program reports whether the execution of the program failed.
	Program bool  `json:"program,omitempty"`
	Exit    *Exit `json:"exit,omitempty"`
}

// failure returns the report of an error.
func failure(err error) report {
	r := report{Text: err.Error()}
	var step *stepError
	if errors.As(err, &step) {
		r = report{Doing: step.doing, Errno: int(step.errno)}
	}
	r.Program = errors.Is(err, ErrProgram)
	return r
}

// err returns the error of a report, nil when the start succeeded.
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

// stepError is a step of the setup that the system refused.
type stepError struct {
	doing string
	errno syscall.Errno
}

func (e *stepError) Error() string { return fmt.Sprintf("%s: %s", e.doing, e.errno.Error()) }
func (e *stepError) Unwrap() error { return e.errno }

// step adds to an error the step that failed.
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

// wire is this side's end of the socket to the inside.
type wire struct {
	socket  *os.File
	replies *json.Decoder
}

// newWire makes the socket. Reads on w can have a deadline; theirs is passed to the
// inside.
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

// begin sends the orders and waits until they are carried out. When ctx is done, it
// calls kill and returns at once.
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
	// Without a process of ours inside, the exec of the program closes the socket.
	switch err := w.replies.Decode(&r); {
	case errors.Is(err, io.EOF):
		return nil
	case err != nil:
		return ErrBroken
	}
	r.Started = false
	return r.err()
}

// end returns the last report of an inside that has ended; a killed one left none. The
// deadline is for another process that may still hold the other end.
func (w wire) end() Exit {
	_ = w.socket.SetReadDeadline(time.Now().Add(time.Second))
	defer func() { _ = w.socket.Close() }()
	var last report
	if err := w.replies.Decode(&last); err != nil || last.Exit == nil {
		return Exit{Code: -1, Signal: int(syscall.SIGKILL), Reason: Fallen}
	}
	return *last.Exit
}
