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

// ErrSystem reports that this system has no sandbox, whatever is installed or allowed.
var ErrSystem = errors.New("only Linux has a sandbox that evolve can use")

// Remedy returns what a person can do about a missing sandbox, depending on why it is
// missing.
func Remedy(reason error) string {
	if errors.Is(reason, ErrSystem) {
		return "if you do not trust the programs that evolve runs, run it on Linux, or else inside a virtual machine or a container"
	}
	return "allow user namespaces, or install bubblewrap"
}

// ErrProgram reports that the program itself cannot be started: it does not exist, is not
// executable, or is not a program. Every other error during a start is due to the machine.
// [ErrNotFound] is a special case of ErrProgram.
var ErrProgram = errors.New("the program cannot be started")

// programError is an [ErrProgram] with the text of its cause.
type programError struct{ error }

func (e programError) Unwrap() error        { return e.error }
func (e programError) Is(target error) bool { return target == ErrProgram }

// refused turns an error from starting a program into an [ErrProgram], unless the machine
// is the cause, for example because it lacks a resource.
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

// Sandbox is one way to isolate and start programs. The zero value isolates nothing;
// [Detect] returns the strongest one available on this machine.
type Sandbox struct {
	kind isolation
	// reason states why there is no isolation, and system reports whether the reason is
	// [ErrSystem].
	reason string
	system bool
	// bwrap is the path of bubblewrap.
	bwrap string
	// unlayered states why layers are unavailable; it is empty if they are available.
	unlayered string
}

type isolation int

const (
	isolateNone isolation = iota
	isolateNamespaces
	isolateBubblewrap
	isolateLandlock
)

// None returns a sandbox without isolation: programs run with the user's rights, in their
// own process group and with an empty environment. reason states for a person why there is
// no isolation.
func None(reason string) Sandbox { return Sandbox{reason: reason} }

// Name returns "namespaces", "bubblewrap", "landlock" or "none: <why>".
func (b Sandbox) Name() string {
	switch b.kind {
	case isolateNamespaces:
		return "namespaces"
	case isolateBubblewrap:
		return "bubblewrap"
	case isolateLandlock:
		return "landlock"
	}
	return "none: " + b.reason
}

// Err returns nil if there is isolation, [ErrSystem] if this system supports none, and
// otherwise an error with the reason why there is none.
func (b Sandbox) Err() error {
	switch {
	case b.kind != isolateNone:
		return nil
	case b.system:
		return ErrSystem
	}
	return errors.New(b.reason)
}

// Layers returns nil if a [Spec] may have layers, and otherwise the reason why it may not;
// the caller must then use a copy of the folder instead.
func (b Sandbox) Layers() error {
	switch {
	case b.kind != isolateNamespaces:
		return fmt.Errorf("%w: only a sandbox that uses namespaces has layers", errors.ErrUnsupported)
	case b.unlayered != "":
		return fmt.Errorf("%w: %s", errors.ErrUnsupported, b.unlayered)
	}
	return nil
}

// WithPlaces returns b if it can show files at locations other than their own, and
// otherwise [None] with the reason. It is for programs that must always see a folder at
// the same location, such as compilers whose results are cached by path.
func (b Sandbox) WithPlaces() Sandbox {
	if b.kind == isolateLandlock {
		return None("Landlock alone cannot make a folder appear at a different path")
	}
	return b
}

// Start runs the program of s and returns once it has begun. ctx limits only the start: the
// caller must kill the process or wait for it. The error wraps the system's error number if
// there is one, and [ErrProgram] if the program itself is the cause.
func (b Sandbox) Start(ctx context.Context, s Spec) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := s.check(); err != nil {
		return nil, err
	}
	if err := b.Layers(); err != nil && len(s.Layers) > 0 {
		return nil, fmt.Errorf("no layers: %w", err)
	}
	prog := program{path: s.path}
	if s.path == "" {
		var err error
		if prog, err = s.find(); err != nil {
			return nil, refused(err)
		}
	}
	if b.kind != isolateNone && !called {
		return nil, errors.New("the sandbox needs this program to start a copy of itself, but the program did not call Init")
	}
	switch b.kind {
	case isolateNamespaces:
		return startNamespaces(ctx, s, prog)
	case isolateBubblewrap:
		return startBubblewrap(ctx, b.bwrap, s, prog)
	case isolateLandlock:
		return startConfined(ctx, s, prog)
	}
	return startPlain(s, prog)
}

// environment returns a program's whole environment. If several settings have the same
// name, only the last is retained, because programs differ in which of them they use.
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
