package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

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
	// unlayered says why there are no layers; empty: there are.
	unlayered string
}

type walls int

const (
	noWalls walls = iota
	namespaceWalls
	bubblewrapWalls
	landlockWalls
)

// None are no walls at all: programs run with the rights of the user, in a process
// group of their own with an empty environment. reason is for people.
func None(reason string) Walls { return Walls{reason: reason} }

// Name is "namespaces", "bubblewrap", "landlock" or "none: <why>".
func (w Walls) Name() string {
	switch w.kind {
	case namespaceWalls:
		return "namespaces"
	case bubblewrapWalls:
		return "bubblewrap"
	case landlockWalls:
		return "landlock"
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

// Layers is nil when a [Spec] may have some, and otherwise says why not: whoever
// wants one then has to do with a copy.
func (w Walls) Layers() error {
	switch {
	case w.kind != namespaceWalls:
		return fmt.Errorf("%w: only namespaces have them", errors.ErrUnsupported)
	case w.unlayered != "":
		return fmt.Errorf("%w: %s", errors.ErrUnsupported, w.unlayered)
	}
	return nil
}

// WithPlaces are w if they can show things elsewhere than where they are, and otherwise
// none, with the reason: for programs that must always see a thing at one place, such as
// compilers whose results are to be known again.
func (w Walls) WithPlaces() Walls {
	if w.kind == landlockWalls {
		return None("Landlock alone cannot show folders at other places than their own")
	}
	return w
}

// Start runs the program of s and returns once it has begun. ctx bounds the start
// alone: whoever starts a process kills it or waits for it. The error wraps the
// system's error number when there is one, and [ErrProgram] when the program is to
// blame.
func (w Walls) Start(ctx context.Context, s Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := w.Layers(); err != nil && len(s.Layers) > 0 {
		return nil, fmt.Errorf("no layers: %w", err)
	}
	prog := program{path: s.path}
	if s.path == "" {
		var err error
		if prog, err = s.find(); err != nil {
			return nil, refused(err)
		}
	}
	if w.kind != noWalls && !called {
		return nil, errors.New("the walls need this program to start itself again, which it is not prepared for")
	}
	switch w.kind {
	case namespaceWalls:
		return startNamespaces(ctx, s, prog)
	case bubblewrapWalls:
		return startBubblewrap(ctx, w.bwrap, s, prog)
	case landlockWalls:
		return startConfined(ctx, s, prog)
	}
	return startPlain(s, prog)
}

// environment is everything a program gets to see. Of several settings of one name the
// last stays alone, as programs differ in which of them they take.
func environment(s Spec, prog program, home, tmp string) []string {
	env := []string{"PATH=" + prog.searchPath(), "HOME=" + home, "TMPDIR=" + tmp, "LANG=C.UTF-8", "EVOLVE_INSIDE=1"}
	at := map[string]int{}
	var out []string
	for _, setting := range append(env, s.Env...) {
		name, _, _ := strings.Cut(setting, "=")
		if i, again := at[name]; again {
			out[i] = setting
			continue
		}
		at[name] = len(out)
		out = append(out, setting)
	}
	return out
}
