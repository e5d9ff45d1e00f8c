package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/decide"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/patch"
	"evolve/reports"
)

// The exit codes (spec 2.3).
const (
	exitUnexpected     = 1
	exitUsage          = 2
	exitAwaiting       = 3
	exitGate           = 4
	exitLocked         = 5
	exitBudget         = 6
	exitInfrastructure = 7
	exitIntegrity      = 8
	exitInterrupted    = 130
)

// failure is an error with the exit code and the hint it ends the process with.
type failure struct {
	err  error
	hint string
	code int
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// usage marks a mistake in the command line or in a file of the workspace.
func usage(err error) error { return &failure{err: err, code: exitUsage} }

func hinted(code int, hint string, format string, args ...any) error {
	return &failure{err: fmt.Errorf(format, args...), hint: hint, code: code}
}

// quietExit ends the process with a code after everything was printed.
type quietExit int

func (q quietExit) Error() string { return fmt.Sprintf("exit %d", int(q)) }

// fail prints an error with its hint and returns its exit code. With --json both are the
// last line of standard error.
func (sh *shell) fail(err error) int {
	var q quietExit
	if errors.As(err, &q) {
		return int(q)
	}
	code, hint := classify(err)
	if errors.Is(err, syscall.EPIPE) { // the reader has ended, as `| head` does
		return code
	}
	hint = sh.here(hint)
	if sh.json {
		line, _ := json.Marshal(struct {
			Error string `json:"error"`
			Hint  string `json:"hint,omitempty"`
			Exit  int    `json:"exit"`
		}{shortened(err.Error()), shortened(hint), code})
		_, _ = fmt.Fprintf(sh.stderr, "%s\n", visibleJSON(line))
		return code
	}
	for i, l := range strings.Split(strings.TrimRight(shortened(err.Error()), "\n"), "\n") {
		lead := "error: "
		if i > 0 {
			lead = "       "
		}
		_, _ = fmt.Fprintln(sh.stderr, lead+reports.Visible(l))
	}
	if hint != "" {
		_, _ = fmt.Fprintf(sh.stderr, "hint: %s\n", reports.Visible(shortened(hint)))
	}
	return code
}

// mostLine bounds a line of a message, in characters: text of a file, an argument or an
// answer can have any length.
const mostLine = 2000

// shortened removes the middle of a message's long lines.
func shortened(message string) string {
	if len(message) <= mostLine {
		return message
	}
	lines := strings.Split(message, "\n")
	for i, l := range lines {
		lines[i] = workspace.Shorten(l, mostLine)
	}
	return strings.Join(lines, "\n")
}

// classify is the only mapping of errors to exit codes and hints. A shortage of resources
// is always exit code 7: neither the files nor the command line are at fault.
func classify(err error) (code int, hint string) {
	code, hint = kindOf(err)
	switch {
	case code != exitUnexpected && code != exitUsage && code != exitGate && code != exitIntegrity:
		return code, hint
	case errors.Is(err, batch.ErrInterrupted): // whatever ran short afterwards
		return exitInterrupted, ""
	case code == exitIntegrity && errors.Is(err, archive.ErrCorrupt):
		return code, hint
	}
	if short, mend := shortage(err); short {
		return exitInfrastructure, mend
	}
	return code, hint
}

// shortage reports whether the system lacks a resource or has a faulty disk, and what to
// do about it.
func shortage(err error) (short bool, mend string) {
	switch {
	case errors.Is(err, archive.ErrResources), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE), errors.Is(err, syscall.ENOMEM):
		return true, "nothing is damaged; allow the process more open files (`ulimit -n 1024`) or free memory, then repeat the command"
	case errors.Is(err, archive.ErrDisk), bench.HostFailure(err):
		return true, "make room or make the folder writable, then repeat the command: a run goes on where it stopped"
	}
	return false, ""
}

// kindOf returns the exit code and the hint for the kind of an error.
func kindOf(err error) (code int, hint string) {
	var (
		f       *failure
		refused *decide.RefusedError
		unknown *batch.UnknownAgentError
		loading *workspace.Errors
		held    *patch.LockedError
		resume  *batch.ResumeError
		failing *bench.FailingError
	)
	switch {
	case errors.As(err, &f):
		return f.code, f.hint
	case errors.As(err, new(*patch.AlteredError)) && errors.As(err, &refused):
		return exitIntegrity, refused.Hint
	case errors.As(err, &refused):
		return exitGate, refused.Hint
	case errors.As(err, &loading):
		return exitUsage, "correct these; `evolve help workspace` and `evolve help agents` explain every key, `evolve doctor` checks the rest"
	case errors.As(err, &unknown):
		hint := "the workspace has " + strings.Join(unknown.Known, ", ")
		if near := nearest(unknown.Name, unknown.Known); near != "" {
			hint = fmt.Sprintf("did you mean %s?", near)
		}
		return exitUsage, hint
	case errors.As(err, new(*batch.NoSearchTasksError)):
		return exitUsage, "give some tasks the split search; `evolve doctor` says which were put aside because the same task is held out"
	case errors.As(err, &resume):
		return exitUsage, resume.Hint
	case errors.Is(err, batch.ErrNoAgents):
		return exitUsage, "`evolve init` without --minimal brings a starter agent; `evolve help agents` says how to add your own"
	case errors.As(err, &held):
		return exitLocked, held.Hint()
	case errors.Is(err, archive.ErrLocked):
		return exitLocked, "wait for it, or look at it meanwhile with `evolve status` and `evolve report`"
	case errors.Is(err, archive.ErrNewer):
		return exitIntegrity, "use the evolve that wrote it, or a newer one"
	case errors.As(err, new(*archive.BoundError)):
		return exitIntegrity, "`evolve audit verify` tells more; reject it where it awaits a decision: `evolve run` proposes anew; where it is adopted, compare its commit, and the archive with a backup"
	case errors.As(err, new(*archive.WitnessError)):
		return exitIntegrity, "`evolve audit verify` and `evolve audit log` show what is there; with .evolve/archive moved away, `evolve archive restore FILE` takes a backup of .evolve/backups; `evolve audit accept-head --reason \"…\"` goes on from what is there"
	case errors.Is(err, archive.ErrResources), errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		_, hint = shortage(err)
		return exitInfrastructure, hint
	case errors.Is(err, archive.ErrCorrupt):
		return exitIntegrity, "`evolve archive repair` says what is damaged and what can be saved, and changes nothing; or move .evolve/archive away and `evolve archive restore FILE` takes a backup of .evolve/backups"
	case errors.Is(err, archive.ErrAmbiguous):
		return exitUsage, "type more of it"
	case errors.Is(err, archive.ErrNotEmpty):
		return exitUsage, "an import would mix two histories; move .evolve/archive away first"
	case errors.Is(err, archive.ErrRemoved):
		return exitInfrastructure, "restore the folder from a backup if there is one; `git clean -x` removes .evolve unless it is run with -e .evolve"
	case errors.Is(err, bench.ErrRecorder), errors.Is(err, archive.ErrDisk), bench.HostFailure(err):
		return exitInfrastructure, "make room or make the folder writable, then repeat the command: a run goes on where it stopped"
	case errors.As(err, new(*bench.SpentError)):
		return exitBudget, "raise that limit under policies in evolve.yaml; `evolve agent show` prints what holds"
	case errors.As(err, &failing):
		return exitInfrastructure, "`" + failing.Try() + "` shows what the agent does; mend it, then run `evolve run`: what was paid for is found again where it still applies"
	case errors.Is(err, bench.ErrOutage):
		return exitInfrastructure, "see what the agent or its provider said with `evolve report`, then run `evolve run` again"
	case errors.Is(err, syscall.ENOTDIR):
		return exitUsage, "a file stands where a folder is needed; move it away"
	case errors.Is(err, fs.ErrPermission):
		return exitInfrastructure, "it must be readable and writable by the user who runs evolve"
	case errors.Is(err, context.Canceled), errors.Is(err, batch.ErrInterrupted):
		return exitInterrupted, ""
	}
	return exitUnexpected, ""
}

// unknownCommand refuses a name that is no command below parent ("evolve bench").
func unknownCommand(name, parent string, commands []*cli.Command) error {
	var names []string
	for _, c := range commands {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	hint := "`" + parent + " --help` lists the commands"
	if name == "version" {
		hint = "`evolve --version` tells it"
	} else if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean `%s %s`?", parent, near)
	}
	return hinted(exitUsage, hint, "there is no command %q", strings.TrimPrefix(parent+" ", "evolve ")+name)
}

func unknownFlag(name string, flags []cli.Flag) error {
	var names []string
	for _, f := range flags {
		names = append(names, f.Names()[0])
	}
	hint := "`--help` lists the flags"
	if near := nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean --%s?", near)
	}
	return hinted(exitUsage, hint, "there is no flag --%s", name)
}

// invalidValue matches the flag parser's error for an invalid value.
var invalidValue = regexp.MustCompile(`^invalid (?:boolean )?value "(.*)" for (?:flag )?-+([^:]+): `)

// twoForms matches the flag parser's error for one flag under two names.
var twoForms = regexp.MustCompile(`^Cannot use two forms of the same flag: (\S+) (\S+)$`)

// badFlag returns an error that describes which values a flag accepts.
func badFlag(err error, flags []cli.Flag) error {
	if m := twoForms.FindStringSubmatch(err.Error()); m != nil {
		return hinted(exitUsage, "give one of them", "%s and %s are the same flag", dashed(m[2]), dashed(m[1]))
	}
	m := invalidValue.FindStringSubmatch(err.Error())
	if m == nil {
		return usage(err)
	}
	wants := "another value"
	switch findFlag(flags, m[2]).(type) {
	case *cli.IntFlag, *cli.Int64Flag:
		wants = "a whole number"
	case *cli.Float64Flag:
		wants = "a number"
	case *cli.DurationFlag:
		wants = "a length of time such as 45m or 6h"
	case *cli.BoolFlag:
		wants = "true or false, or nothing"
	}
	return usage(fmt.Errorf("--%s takes %s, not %q", m[2], wants, m[1]))
}

// dashed returns a flag as it is typed.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// nearest returns the name that was probably meant: the only one that begins with what
// was typed, or a misspelt one; "" when there is none.
func nearest(name string, names []string) string {
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
	return workspace.Nearest(name, names)
}
