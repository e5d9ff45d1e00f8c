package workspace

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"evolve/archive"
)

// Status is how a check went.
type Status string

// The states of a check: in order, worth knowing, and in the way of a run or a decision.
const (
	StatusOK   Status = "ok"
	StatusWarn Status = "warn"
	StatusFail Status = "fail"
)

// Check is one thing that doctor looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	// Hint says what to do; empty when there is nothing to do.
	Hint string `json:"hint,omitempty"`
	// Trial is the task that an agent was tried with; nil for every other check.
	Trial *Trial `json:"trial,omitempty"`
}

// Probes are doctor's eyes. Each must be set, but for Probe, Trial and Marks.
type Probes struct {
	// Root is the workspace's folder.
	Root string
	Load func() (*Workspace, error)
	// Git runs git in a folder and returns what it printed, without the final
	// newline. Its error is exec.ErrNotFound when there is no git.
	Git func(ctx context.Context, dir string, args ...string) (string, error)
	// Sandbox names the walls that programs would run in; its error says why there are none.
	Sandbox func(ctx context.Context) (string, error)
	// Free is the space left on the disk of a folder, in bytes.
	Free func(dir string) (uint64, error)
	// Writable fails where no file can be made in a folder.
	Writable func(dir string) error
	Now      func() time.Time
	// Archive opens the archive for reading and says what is in it and who holds
	// it. Its error may be one of the archive's.
	Archive func(ctx context.Context) (string, error)
	// Unfinished says of which decisions something is left to do, and which command does
	// it; nil, or no hint: of none.
	Unfinished func(ctx context.Context) (text, hint string, err error)
	// LookPath finds a program by the name that a person would type.
	LookPath func(name string) (string, error)
	// LookupEnv finds a variable of the environment.
	LookupEnv func(name string) (string, bool)
	// Probe asks a provider's model something cheap, and says in a few words what
	// came of it; nil asks none. It is never called for a provider whose key is not
	// set. Neither detail nor error may hold a key.
	Probe func(ctx context.Context, name string, p Provider, route Route) (detail string, err error)
	// Trial gives an agent one task of its search side, or two, and says what became of it.
	// Its error says why the agent cannot be made ready. Nil tries none.
	Trial func(ctx context.Context, a *Agent) (Trial, error)
	// Limits forecasts the evaluations of a run with the limits of the settings, for each
	// agent; nil: they are taken from the settings alone.
	Limits func(ctx context.Context, w *Workspace) ([]Forecast, error)
	// Marks looks at the marked constants of targets; nil looks at none.
	Marks Marks
	// Backup says in words which backup is the last; fault is why the latest night made
	// none, or empty. Nil looks at none.
	Backup func(w *Workspace) (last, fault string)
	// Signing looks at the keys and signatures that the settings ask for; nil looks at none.
	Signing func(ctx context.Context) (Signing, error)
}

// Space on the disk below which doctor warns, and below which a run would not last.
const (
	scarceDisk = 1 << 30
	fullDisk   = 100 << 20
)

// Doctor checks a workspace and its surroundings. It changes nothing. The checks
// come in a fixed order; those of agents and suites are left out while the
// workspace cannot be loaded.
func Doctor(ctx context.Context, p Probes) []Check {
	w, err := p.Load()
	checks := checkWorkspace(w, err)
	checks = append(checks, checkGit(ctx, p)...)
	checks = append(checks, checkSandbox(ctx, p, w), checkDisk(p), checkWritable(p), checkClock(ctx, p), checkArchive(ctx, p))
	checks = append(checks, checkUnfinished(ctx, p)...)
	if w != nil {
		checks = append(checks, checkSigning(ctx, p, w)...)
		checks = append(checks, checkBackup(p, w)...)
		checks = append(checks, checkOwn(w)...)
		checks = append(checks, checkSuites(w)...)
		checks = append(checks, checkAgents(ctx, p, w)...)
		checks = append(checks, checkUnsearched(w)...)
		checks = append(checks, checkProviders(ctx, p, w)...)
		checks = append(checks, checkServers(ctx, p, w)...)
		checks = append(checks, checkTrials(ctx, p, w, checks)...)
		checks = append(checks, checkPatchTargets(ctx, p, w)...)
		forecasts, limits := checkLimits(ctx, p, w)
		checks = append(append(checks, limits...), checkPower(w, forecasts)...)
	}
	return checks
}

func ok(name, format string, args ...any) Check {
	return Check{Name: name, Status: StatusOK, Text: fmt.Sprintf(format, args...)}
}

func warn(name, hint, format string, args ...any) Check {
	return Check{Name: name, Status: StatusWarn, Text: fmt.Sprintf(format, args...), Hint: hint}
}

func fail(name, hint, format string, args ...any) Check {
	return Check{Name: name, Status: StatusFail, Text: fmt.Sprintf(format, args...), Hint: hint}
}

// checkWorkspace has one line for each issue.
func checkWorkspace(w *Workspace, err error) []Check {
	const name = "workspace"
	var issues *Errors
	switch {
	case errors.As(err, &issues):
		var checks []Check
		for _, i := range issues.Issues {
			hint := i.Hint
			i.Hint = ""
			checks = append(checks, fail(name, hint, "%s", i))
		}
		return checks
	case err != nil:
		return []Check{fail(name, "", "%v", err)}
	case len(w.Agents) == 0:
		return []Check{warn(name, "evolve init, without --minimal, brings a starter agent", "parses; it has no agent, so there is nothing to run")}
	}
	return []Check{ok(name, "parses: %s, %s", count(len(w.Agents), "agent"), count(len(w.Suites), "suite"))}
}

func checkSandbox(ctx context.Context, p Probes, w *Workspace) Check {
	const name = "sandbox"
	programs, without := unwalled(w)
	walls, err := p.Sandbox(ctx)
	switch {
	case err != nil && programs > 0:
		return warn(name, "allow user namespaces, or install bubblewrap", "none is to be had, so programs run unprotected: %v", err)
	case err != nil:
		return warn(name, "allow user namespaces, or install bubblewrap", "none is to be had: %v", err)
	case len(without) > 0:
		return warn(name, "", "%s; switched off for %s", walls, strings.Join(without, ", "))
	}
	return ok(name, "%s", walls)
}

// unwalled counts the programs that a night starts, and names those that declined the sandbox.
func unwalled(w *Workspace) (programs int, without []string) {
	if w == nil {
		return 0, nil
	}
	for _, a := range w.Agents {
		if a.Adapter.Kind == KindCommand {
			programs++
			if a.Adapter.Sandbox == "none" {
				without = append(without, a.ID)
			}
		}
	}
	for _, name := range sortedNames(w.Settings.MCP) {
		if m := w.Settings.MCP[name]; len(m.Argv) > 0 {
			programs++
			if m.Sandbox == "none" {
				without = append(without, "mcp "+name)
			}
		}
	}
	return programs, without
}

func checkDisk(p Probes) Check {
	const name = "disk"
	free, err := p.Free(p.Root)
	left := humanize.IBytes(free)
	switch {
	case err != nil:
		return warn(name, "", "free space is unknown: %s", reason(err))
	case free < fullDisk:
		return fail(name, "make room: a run ends when the disk is full", "only %s free", left)
	case free < scarceDisk:
		return warn(name, "", "only %s free", left)
	}
	return ok(name, "%s free", left)
}

func checkWritable(p Probes) Check {
	const name = "write"
	if err := p.Writable(p.Root); err != nil {
		return fail(name, "a run keeps its archive in .evolve/", "the workspace cannot be written: %s", reason(err))
	}
	return ok(name, "the workspace can be written")
}

// earliest is a time before which no clock that is set can be.
var earliest = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// checkClock compares the clock with what cannot lie in the future: the last commit.
func checkClock(ctx context.Context, p Probes) Check {
	const name, hint = "clock", "set the clock: deadlines and the ledger rest on it"
	now := p.Now()
	if now.Before(earliest) {
		return fail(name, hint, "it is set to %s", now.UTC().Format(time.DateOnly))
	}
	var commit time.Time
	if out, err := p.Git(ctx, p.Root, "log", "-1", "--format=%cI"); err == nil {
		commit, _ = time.Parse(time.RFC3339, out)
	}
	if commit.After(now.Add(24 * time.Hour)) {
		return warn(name, hint, "it stands at %s, before the last commit of %s", now.Format(time.DateTime), commit.In(now.Location()).Format(time.DateTime))
	}
	return ok(name, "%s", now.Format("2006-01-02 15:04 -07:00"))
}

func checkArchive(ctx context.Context, p Probes) Check {
	const name = "archive"
	text, err := p.Archive(ctx)
	switch {
	case err == nil:
		return ok(name, "%s", text)
	case errors.Is(err, archive.ErrNotFound):
		return ok(name, "none yet: the first run makes it")
	case errors.Is(err, archive.ErrLocked):
		return warn(name, "wait for it, or end it; a lock left by a crash is taken over", "%v", err)
	case errors.Is(err, archive.ErrNewer):
		return fail(name, "install the newer evolve", "%v", err)
	case errors.Is(err, archive.ErrCorrupt):
		return fail(name, "evolve archive repair says what can be saved, and changes nothing; or restore a backup", "%v", err)
	case errors.Is(err, archive.ErrResources):
		return fail(name, "nothing is damaged; allow more open files: ulimit -n 1024", "%v", err)
	}
	return fail(name, "", "cannot be opened: %v", err)
}

// checkUnfinished names decisions that were cut off; what keeps the archive from being
// read is another check's.
func checkUnfinished(ctx context.Context, p Probes) []Check {
	if p.Unfinished == nil {
		return nil
	}
	text, hint, err := p.Unfinished(ctx)
	if err != nil || hint == "" {
		return nil
	}
	return []Check{warn("decisions", hint, "%s", text)}
}

// checkBackup looks at the backups that nights make.
func checkBackup(p Probes, w *Workspace) []Check {
	const name = "backup"
	if p.Backup == nil {
		return nil
	}
	if w.Settings.Backup.Keep == 0 {
		return []Check{ok(name, "off: nights make none (backup.keep in evolve.yaml is 0)")}
	}
	last, fault := p.Backup(w)
	if fault != "" {
		return []Check{warn(name, "make room or name another folder as backup.dir in evolve.yaml; `evolve archive backup FILE` makes one now", "%s", fault)}
	}
	return []Check{ok(name, "%s", last)}
}

func checkAgents(ctx context.Context, p Probes, w *Workspace) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		name := "agent " + a.ID
		there, needs := "", a.Adapter.Env
		switch a.Adapter.Kind {
		case KindBuiltin:
			checks = append(checks, ok(name, "built in, %s%s", modelOf(w, a), allows(a)))
			continue
		case KindHTTP:
			there, needs = "a service at "+hostOf(a.Adapter.URL), mapValues(a.Adapter.HeadersEnv)
		default:
			if problem := a.ProgramProblem(p.LookPath); problem != "" {
				checks = append(checks, fail(name, a.programHint(), "%s", problem))
				continue
			}
			there = fmt.Sprintf("its program %q is there; %s", a.Adapter.Argv[0], p.networkOf(ctx, a.Adapter.Network, a.Adapter.Sandbox))
		}
		if len(a.Space.Params) == 0 {
			checks = append(checks, warn(name, "declare its parameters under space: in agent.yaml", "has no parameters, so there is nothing to search"))
			continue
		}
		var unset []string
		for _, v := range needs {
			if _, there := p.LookupEnv(v); !there {
				unset = append(unset, v)
			}
		}
		if len(unset) > 0 {
			checks = append(checks, warn(name, "", "%s, but not in the environment: %s", there, strings.Join(unset, ", ")))
			continue
		}
		checks = append(checks, ok(name, "%s", there))
	}
	return checks
}

// allows names what the operator has allowed a built-in agent beyond reading.
func allows(a *Agent) string {
	if len(a.Allow) == 0 {
		return ""
	}
	return "; may keep or share text beyond a turn: " + strings.Join(a.Allow, ", ")
}

// modelOf returns what a built-in agent thinks with.
func modelOf(w *Workspace, a *Agent) string {
	if a.Adapter.Model == ModelHeuristic {
		return "heuristic model"
	}
	return fmt.Sprintf("route %s (%s)", a.Adapter.Model, w.Settings.Routes[a.Adapter.Model].Model)
}
