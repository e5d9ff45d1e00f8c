// Package exit defines the exit codes of evolve, errors that carry a code and a hint, and
// the only mapping of all other errors to a code and a hint. It prints nothing.
package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/gotest"
	"evolve/gates/review"
	"evolve/mutate/night"
	"evolve/patch"
	"evolve/runtime/text"
)

// The exit codes.
const (
	Unexpected     = 1
	Usage          = 2
	Awaiting       = 3
	Gate           = 4
	Locked         = 5
	Budget         = 6
	Infrastructure = 7
	Integrity      = 8
	Interrupted    = 130
)

// Table describes the exit codes for the help text.
const Table = `Exit codes: 0 done; 1 unexpected; 2 usage or config; 3 proposals await a
decision (only with --detailed-exitcode); 4 gate refused; 5 locked or
overlapping; 6 budget or deadline ended the run before anything planned was
complete; 7 infrastructure failure; 8 integrity; 130 interrupted.`

// Error is an error that carries the exit code and the hint with which the process ends.
type Error struct {
	Err  error
	Hint string
	Code int
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }

// Misuse wraps an error to mark it as a mistake in the command line or in a workspace file.
func Misuse(err error) error { return &Error{Err: err, Code: Usage} }

// Errorf returns an error with a code and a hint.
func Errorf(code int, hint, format string, args ...any) error {
	return &Error{Err: fmt.Errorf(format, args...), Hint: hint, Code: code}
}

// Silent is an error that ends the process with a code when everything has already been
// printed.
type Silent int

func (s Silent) Error() string { return fmt.Sprintf("exit %d", int(s)) }

// Of returns the exit code and the hint for an error. A shortage of resources is always
// [Infrastructure]: neither the files nor the command line are at fault.
func Of(err error) (code int, hint string) {
	code, hint = kindOf(err)
	switch {
	case code != Unexpected && code != Usage && code != Gate && code != Integrity:
		return code, hint
	case errors.Is(err, night.ErrInterrupted): // an interruption takes precedence, whatever resource ran short afterwards
		return Interrupted, ""
	case code == Integrity && errors.Is(err, archive.ErrCorrupt):
		return code, hint
	}
	for _, k := range []kind{
		is(Infrastructure, resourcesHint, archive.ErrResources, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM),
		diskFailure(),
	} {
		if mend, ok := k.match(err); ok {
			return Infrastructure, mend
		}
	}
	return code, hint
}

const (
	resourcesHint = "nothing is damaged; allow the process more open files (`ulimit -n 1024`) or free memory, then repeat the command"
	diskHint      = "free some disk space, then repeat the command: a run continues where it stopped"
	readOnlyHint  = "the file system is read-only: make it writable, then repeat the command"
	failingHint   = "the disk reports errors of reading or writing: check it, and restore a backup if files are damaged"
	deniedHint    = "the file or folder must be readable and writable by the user who runs evolve"
)

// kind is a kind of error with its exit code. match reports whether an error is of that
// kind, and returns the error's hint.
type kind struct {
	code  int
	match func(error) (hint string, ok bool)
}

// is returns a kind that matches the errors that wrap one of the targets.
func is(code int, hint string, targets ...error) kind {
	return kind{code, func(err error) (string, bool) {
		for _, target := range targets {
			if errors.Is(err, target) {
				return hint, true
			}
		}
		return "", false
	}}
}

// as returns a kind that matches the errors that wrap a value of type E.
func as[E error](code int, hint func(E) string) kind {
	return kind{code, func(err error) (string, bool) {
		var e E
		if !errors.As(err, &e) {
			return "", false
		}
		return hint(e), true
	}}
}

// always returns a hint function that returns the same hint for every error.
func always[E error](hint string) func(E) string { return func(E) string { return hint } }

// diskFailure matches errors that mean that the machine cannot read or write, be it a
// result or a file. The hint follows from the cause, which is taken to be a full disk if
// it is not known.
func diskFailure() kind {
	return kind{Infrastructure, func(err error) (hint string, ok bool) {
		switch {
		case errors.Is(err, fs.ErrPermission):
			hint = deniedHint
		case errors.Is(err, syscall.EROFS):
			hint = readOnlyHint
		case errors.Is(err, syscall.EIO):
			hint = failingHint
		default:
			hint = diskHint
		}
		return hint, errors.Is(err, archive.ErrDisk) || errors.Is(err, bench.ErrRecorder) || bench.HostFailure(err)
	}}
}

// kinds lists the kinds of errors. The first matching kind applies.
func kinds() []kind {
	return []kind{
		{Integrity, func(err error) (string, bool) { // a gated file was altered
			var refused *review.RefusedError
			if errors.As(err, new(*patch.AlteredError)) && errors.As(err, &refused) {
				return refused.Hint, true
			}
			return "", false
		}},
		as(Gate, func(e *review.RefusedError) string { return e.Hint }),
		as(Usage, always[*workspace.Errors]("correct these errors; `evolve help workspace` and `evolve help agents` explain every key, and `evolve doctor` checks the rest")),
		as(Usage, always[*workspace.LinkedStateError]("evolve writes nothing outside .evolve: replace the link with a folder; to store everything elsewhere, make .evolve itself a link")),
		as(Usage, func(e *batch.UnknownAgentError) string {
			return Suggest(Listed("agents of the workspace: ", e.Known, "the workspace has no agents; `evolve doctor` checks its code targets"), "%s", e.Name, e.Known)
		}),
		as(Usage, always[*batch.NoSearchTasksError]("assign some tasks to the search split; `evolve doctor` lists those that were excluded because the same task is held out")),
		as(Usage, func(e *batch.ResumeError) string { return e.Hint }),
		as(Infrastructure, always[*gotest.NoToolchainError]("install Go, or add its folder to PATH: code in Go is built and tested with it; `evolve doctor` checks for it")),
		as(Usage, always[*batch.UnsearchedError]("`evolve help code` describes targets, their commands and marks; `evolve doctor` checks them")),
		is(Usage, "`evolve init` without --minimal writes a starter agent; `evolve help agents` describes how to add your own", batch.ErrNoAgents),
		as(Locked, func(e *patch.LockedError) string { return e.Hint() }),
		is(Locked, "wait for that process to end; `evolve status` and `evolve report` work in the meantime", archive.ErrLocked),
		is(Integrity, "use the version of evolve that wrote it, or a newer version", archive.ErrNewer),
		as(Integrity, always[*archive.BoundError]("`evolve audit verify` shows more; if the proposal awaits a decision, reject it, and `evolve run` makes a new one; if it was adopted, check the commit, and compare the archive with a backup")),
		as(Integrity, always[*archive.WitnessError]("`evolve audit verify` and `evolve audit log` show the current ledger; to restore a backup from .evolve/backups, move .evolve/archive away and run `evolve archive restore FILE`; `evolve audit accept-head --reason \"…\"` accepts the current ledger")),
		is(Infrastructure, resourcesHint, archive.ErrResources, syscall.EMFILE, syscall.ENFILE),
		is(Integrity, "`evolve archive repair` lists what is damaged and what can be saved, without changing anything; or move .evolve/archive away, and restore a backup from .evolve/backups with `evolve archive restore FILE`", archive.ErrCorrupt),
		is(Usage, "type more of the id", archive.ErrAmbiguous),
		is(Usage, "an import would mix two histories; move .evolve/archive away first", archive.ErrNotEmpty),
		is(Infrastructure, "restore the folder from a backup if there is one; `git clean -x` removes .evolve unless it is run with -e .evolve", archive.ErrRemoved),
		diskFailure(),
		as(Budget, always[*bench.SpentError]("raise that limit under policies in evolve.yaml; `evolve agent show` prints the policies in force")),
		is(Infrastructure, "install git, or add its folder to PATH; `evolve doctor` checks for it", patch.ErrNoGit),
		as(Infrastructure, func(e *bench.FailingError) string {
			return "`" + e.Try() + "` shows the failure; correct its cause, then run `evolve run`: paid results that still apply are reused"
		}),
		as(Infrastructure, func(e *bench.GradersFailingError) string {
			return "`" + e.Try() + "` shows the failure of the grader; correct its cause, then run `evolve run`: paid results that still apply are reused"
		}),
		as(Infrastructure, always[*bench.NoServerError]("start the server, or correct its address, then run `evolve run`; `evolve doctor` checks it before a run")),
		is(Infrastructure, "see the error of the agent or its provider with `evolve report`, then run `evolve run` again", bench.ErrOutage),
		is(Usage, "a file exists where a folder is needed; move it away", syscall.ENOTDIR),
		is(Infrastructure, deniedHint, fs.ErrPermission),
		is(Interrupted, "", context.Canceled, night.ErrInterrupted),
	}
}

// kindOf returns the exit code and the hint for the kind of an error.
func kindOf(err error) (code int, hint string) {
	var own *Error
	if errors.As(err, &own) {
		return own.Code, own.Hint
	}
	for _, k := range kinds() {
		if hint, ok := k.match(err); ok {
			return k.code, hint
		}
	}
	return Unexpected, ""
}

// Suggest returns the hint "did you mean …?" with the nearest name inserted into a format
// with one %s. It returns the fallback if no name is near.
func Suggest(fallback, format, name string, names []string) string {
	if near := Nearest(name, names); near != "" {
		return "did you mean " + fmt.Sprintf(format, near) + "?"
	}
	return fallback
}

// Listed returns the introduction followed by the names, or, if there are no names, its
// argument none.
func Listed(introduction string, names []string, none string) string {
	if len(names) == 0 {
		return none
	}
	return introduction + strings.Join(names, ", ")
}

// Nearest returns the name that was probably meant: the only name that begins with the
// typed text, or the name of which it is a misspelling. It returns "" if there is none.
func Nearest(name string, names []string) string {
	begins := ""
	for _, n := range names {
		if strings.HasPrefix(n, name) && len(name) >= 3 {
			if begins != "" {
				begins = ""
				break
			}
			begins = n
		}
	}
	if begins != "" {
		return begins
	}
	return text.Nearest(name, names)
}
