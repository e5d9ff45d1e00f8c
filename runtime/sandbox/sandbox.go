package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Spec is one program to be started.
type Spec struct {
	// Argv is the program and its arguments. A name without a slash is looked up
	// in PATH, a relative path is taken from Dir.
	Argv []string
	// Dir is the absolute folder in which the program starts. It is visible,
	// read-only unless it lies in a Writable folder.
	Dir string
	// ReadOnly and Writable are further absolute paths that the program sees where
	// they are; the deeper path decides.
	ReadOnly, Writable []string
	// Hidden are absolute folders that stay out of sight even where a visible one
	// holds them; what is listed inside them stays visible.
	Hidden []string
	// Env is added, as NAME=value, to PATH, HOME, TMPDIR, LANG and EVOLVE_INSIDE=1,
	// which are all the program gets otherwise; of two of one name the later wins.
	Env []string
	// Network lets the program use the host's; otherwise it has a loopback of its own.
	Network bool
	// Stdin, Stdout and Stderr may be nil, which is /dev/null. Start leaves them open.
	Stdin, Stdout, Stderr *os.File
	Limits                Limits
	// Temp is the folder in which a program without walls gets its home; empty: the
	// system's. What a sudden end of this process leaves lies there.
	Temp string

	// path replaces the look-up of Argv[0].
	path string
}

// Limits bound each process of a program. A zero field is no bound, but core
// dumps are always off. Only namespaces enforce them.
type Limits struct {
	OpenFiles uint64
	// Memory bounds the private writable memory of one process, in bytes; at
	// least 64 MiB, which the sandbox itself needs.
	Memory uint64
	// FileSize bounds one file that a process writes, in bytes.
	FileSize uint64
	// Processes bounds processes and threads at once; at least 400.
	Processes uint64
}

// ErrNotFound says that the program of a Spec does not exist.
var ErrNotFound = errors.New("no such program")

// ErrProgram says that it is the program itself that cannot be started: it does not
// exist, is not executable, or is none. Every other error of a start is the
// machine's. [ErrNotFound] is a case of it.
var ErrProgram = errors.New("the program cannot be started")

// programError is an [ErrProgram] in the words of its cause.
type programError struct{ error }

func (e programError) Unwrap() error        { return e.error }
func (e programError) Is(target error) bool { return target == ErrProgram }

// refused blames the program for an error of its execution, unless it is the
// machine that has too little of something.
func refused(err error) error {
	for _, want := range []syscall.Errno{
		syscall.EAGAIN, syscall.ENOMEM, syscall.EMFILE, syscall.ENFILE, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.ETXTBSY,
	} {
		if errors.Is(err, want) {
			return err
		}
	}
	return programError{err}
}

// ErrBroken says that the walls came down before the program began, which is
// nobody's doing inside.
var ErrBroken = errors.New("the sandbox ended before the program began")

// Walls are one way to start programs. The zero value has none; get the best of
// this machine from [Detect].
type Walls struct {
	kind walls
	// reason says why there are none.
	reason string
	// bwrap is the path of bubblewrap.
	bwrap string
}

type walls int

const (
	noWalls walls = iota
	namespaceWalls
	bubblewrapWalls
)

// None are no walls at all: programs run with the rights of the user, in a process
// group of their own with an empty environment. reason is for people.
func None(reason string) Walls { return Walls{reason: reason} }

// Name is "namespaces", "bubblewrap" or "none: <why>".
func (w Walls) Name() string {
	switch w.kind {
	case namespaceWalls:
		return "namespaces"
	case bubblewrapWalls:
		return "bubblewrap"
	}
	return "none: " + w.reason
}

// Err is nil when there are walls, and otherwise says why there are none.
func (w Walls) Err() error {
	if w.kind == noWalls {
		return errors.New(w.reason)
	}
	return nil
}

// Start runs the program of s and returns once it has begun. ctx bounds the start
// alone: whoever starts a process kills it or waits for it. The error wraps the
// system's error number when there is one, and [ErrProgram] when the program is to
// blame.
func (w Walls) Start(ctx context.Context, s Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(s.Argv) == 0 {
		return nil, errors.New("there is no program to start")
	}
	for _, p := range append(append([]string{s.Dir}, s.ReadOnly...), append(s.Writable, s.Hidden...)...) {
		if !filepath.IsAbs(p) {
			return nil, fmt.Errorf("the path %q is not absolute", p)
		}
	}
	prog := program{path: s.path}
	if s.path == "" {
		var err error
		if prog, err = find(s.Argv[0], s.Dir); err != nil {
			return nil, refused(err)
		}
	}
	switch w.kind {
	case namespaceWalls:
		return startNamespaces(ctx, s, prog)
	case bubblewrapWalls:
		return startBubblewrap(w.bwrap, s, prog)
	}
	return startPlain(s, prog)
}

// environment is everything a program gets to see.
func environment(s Spec, prog program, home, tmp string) []string {
	env := []string{"PATH=" + prog.searchPath(), "HOME=" + home, "TMPDIR=" + tmp, "LANG=C.UTF-8", "EVOLVE_INSIDE=1"}
	return append(env, s.Env...)
}
