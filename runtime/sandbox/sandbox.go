package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
)

// ErrNotFound reports that the program of a Spec does not exist.
var ErrNotFound = errors.New("no such program")

// ErrProgram reports that the program itself cannot be started: it does not exist, is
// not executable, or is no program. Every other error of a start is due to the machine.
// [ErrNotFound] is a case of it.
var ErrProgram = errors.New("the program cannot be started")

// programError is an [ErrProgram] with the text of its cause.
type programError struct{ error }

func (e programError) Unwrap() error        { return e.error }
func (e programError) Is(target error) bool { return target == ErrProgram }

// refused marks an error of an execution as the program's own, unless the machine lacks
// a resource.
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

// ErrBroken reports that the sandbox ended before the program began, which the program
// cannot have caused.
var ErrBroken = errors.New("the sandbox ended before the program began")

// Walls is one way to isolate and start programs. The zero value isolates nothing;
// [Detect] returns the strongest of this machine.
type Walls struct {
	kind walls
	// reason is why there is no isolation.
	reason string
	// bwrap is the path of bubblewrap.
	bwrap string
	// unlayered is why layers are unavailable; empty if they are available.
	unlayered string
}

type walls int

const (
	noWalls walls = iota
	namespaceWalls
	bubblewrapWalls
	landlockWalls
)

// None returns walls without isolation: programs run with the rights of the user, in a
// process group of their own with an empty environment. reason is a text for people.
func None(reason string) Walls { return Walls{reason: reason} }

// Name returns "namespaces", "bubblewrap", "landlock" or "none: <why>".
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

// Err returns nil when there is isolation, and otherwise the reason why there is none.
func (w Walls) Err() error {
	if w.kind == noWalls {
		return errors.New(w.reason)
	}
	return nil
}

// Layers returns nil when a [Spec] may have layers, and otherwise the reason why not:
// the caller then has to use a copy.
func (w Walls) Layers() error {
	switch {
	case w.kind != namespaceWalls:
		return fmt.Errorf("%w: only namespaces have them", errors.ErrUnsupported)
	case w.unlayered != "":
		return fmt.Errorf("%w: %s", errors.ErrUnsupported, w.unlayered)
	}
	return nil
}

// WithPlaces returns w if it can show files at other places than their own, and
// otherwise [None] with the reason. It is for programs that must always see a folder at
// one place, such as compilers whose results are cached by path.
func (w Walls) WithPlaces() Walls {
	if w.kind == landlockWalls {
		return None("Landlock alone cannot show folders at other places than their own")
	}
	return w
}

// Start runs the program of s and returns once it has begun. ctx bounds only the start:
// the caller must kill the process or wait for it. The error wraps the system's error
// number when there is one, and [ErrProgram] when the program itself is the cause.
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

// environment returns a program's whole environment. Only the last of several settings
// of one name is kept, because programs differ in which of them they use.
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
