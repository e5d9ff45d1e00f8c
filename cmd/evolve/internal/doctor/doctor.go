// Package doctor checks a workspace and its surroundings: the files, git, the sandbox, the
// disk, the clock, the archive, the suites, each agent's program, providers and tool
// servers, the hub, and the targets of patches. A check returns a status, a text and a
// hint. The package changes nothing; the functions in [Probes] examine the machine.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	rtext "evolve/runtime/text"

	"github.com/dustin/go-humanize"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/batch/coding"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/gates/review"
	"evolve/mutate/constants"
	"evolve/runtime/autonomy"
	"evolve/runtime/sandbox"
	"evolve/runtime/tool"
)

// Status is the result of a check.
type Status string

// The statuses of a check: everything is fine, something is worth knowing, or a run or a
// decision is prevented.
const (
	StatusOK   Status = "ok"
	StatusWarn Status = "warn"
	StatusFail Status = "fail"
)

// Check is the result of one of doctor's checks.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Text   string `json:"text"`
	// Hint describes a remedy; it is empty if none is needed.
	Hint string `json:"hint,omitempty"`
	// Trial is the trial of an agent on a task; it is nil for all other checks.
	Trial *Trial `json:"trial,omitempty"`
	// Err is the cause of a failed check, unless the cause may be a mere mistake in a
	// file. For the archive it is any error; for other checks it is a failure of this
	// machine.
	Err error `json:"-"`
}

// Probes holds the functions with which doctor examines the surroundings of a workspace.
// All except Dial, Trial, Grade and Score must be set.
type Probes struct {
	// Root is the workspace's folder.
	Root string
	Load func() (*workspace.Workspace, error)
	// Git runs git in a folder and returns its output without the final newline. Its
	// error is exec.ErrNotFound if there is no git.
	Git func(ctx context.Context, dir string, args ...string) (string, error)
	// Sandbox names the sandbox in which programs would run. Its error is the reason why
	// there is none.
	Sandbox func(ctx context.Context) (string, error)
	// Free returns the free space, in bytes, on the disk that holds a folder.
	Free func(dir string) (uint64, error)
	// Writable returns an error if no file can be created in a folder.
	Writable func(dir string) error
	Now      func() time.Time
	// Archive opens the archive for reading, and describes its content and the process that
	// holds it. Its error may be an error of the archive.
	Archive func(ctx context.Context) (string, error)
	// Unfinished describes the decisions that are incomplete; hint is the command that
	// completes them. If hint is empty, there are no such decisions.
	Unfinished func(ctx context.Context) (text, hint string, err error)
	// Leftovers lists the paths of files and folders that killed processes left behind. The
	// next command that writes will remove them.
	Leftovers func(ctx context.Context) ([]string, error)
	// Level returns the level of autonomy that bounds an agent's live turns.
	Level func(ctx context.Context, agentID string) (autonomy.Level, error)
	// Dial connects to a host and port on this machine and closes the connection. If it is
	// nil, no service is tried.
	Dial func(ctx context.Context, address string) error
	// LookPath finds a program by name, like [exec.LookPath].
	LookPath func(name string) (string, error)
	// LookupEnv returns an environment variable.
	LookupEnv func(name string) (string, bool)
	// Probe makes a cheap request to a provider's model and describes the result in a few
	// words. It is never called for a provider whose API key is not set. Neither detail nor
	// err may contain a key.
	Probe func(ctx context.Context, name string, p workspace.Provider, route workspace.Route) (detail string, err error)
	// Trial runs an agent on one or two of its search tasks and returns the result. Its
	// error is the reason why the agent cannot be prepared. If Trial is nil, no agent is
	// tried.
	Trial func(ctx context.Context, a *workspace.Agent) (Trial, error)
	// Grade has a program grade an answer to one of the search tasks that the program
	// grades. Its error is the reason why the trial cannot be prepared. If Grade is nil, no
	// program is tried.
	Grade func(ctx context.Context, g workspace.GraderProgram) (GraderTrial, error)
	// Limits returns a forecast for each agent: the evaluations of a run under the limits
	// in the settings.
	Limits func(ctx context.Context, w *workspace.Workspace) ([]batch.Expectation, error)
	// Marks examines the //evolve:param marks of a target: it returns the number of
	// constants that can be tuned, and every invalid mark.
	Marks func(target string) (found int, problems []constants.Problem, err error)
	// Blocks finds the marked blocks of a target whose code is searched, with the target's
	// cases if an earlier run stored them. A *[coding.Problem] is the reason why the blocks
	// cannot be searched.
	Blocks func(ctx context.Context, w *workspace.Workspace, target string) (*coding.Prospect, error)
	// Score builds, tests and scores the unchanged code of a target whose code is searched,
	// within the time limit of a trial. Its error may be a *[coding.Problem]. If Score is
	// nil, nothing is run.
	Score func(ctx context.Context, w *workspace.Workspace, target string) (*coding.Prospect, error)
	// Backup describes the last backup. fault is the reason why the latest night made no
	// backup; it is empty if that night made one.
	Backup func(w *workspace.Workspace) (last, fault string)
	// Schedule describes the installed schedule of the workspace in words or, if the
	// schedule is faulty, returns the fault and a hint about the remedy. All results are
	// empty if no schedule is installed.
	Schedule func(ctx context.Context) (words, fault, hint string)
	// Hub tries the hub in the settings, and describes it and its workers. fault describes
	// what prevents a run on the hub; it is empty if nothing does.
	Hub func(ctx context.Context, w *workspace.Workspace) (words, fault string, err error)
	// Remotes tries the remotes to which branches of proposals are pushed. It returns none
	// if proposals are adopted by commits.
	Remotes func(ctx context.Context, w *workspace.Workspace) []review.RemoteTrial
	// Signing checks the keys and signatures that the settings specify.
	Signing func(ctx context.Context) (Signing, error)
}

// The amounts of free disk space, in bytes, below which doctor warns (scarceDisk) and below
// which a run would fail (fullDisk).
const (
	scarceDisk = 1 << 30
	fullDisk   = 100 << 20
)

// Run checks a workspace and its surroundings. It changes nothing. The checks come in a
// fixed order. Checks of agents and suites are left out if the workspace cannot be loaded.
func Run(ctx context.Context, p Probes) []Check {
	w, err := p.Load()
	checks := checkWorkspace(w, err)
	checks = append(checks, checkGit(ctx, p)...)
	checks = append(checks, checkSandbox(ctx, p, w), checkDisk(p), checkWritable(p), checkClock(ctx, p), checkArchive(ctx, p))
	checks = append(checks, checkUnfinished(ctx, p)...)
	checks = append(checks, checkLeftovers(ctx, p)...)
	checks = append(checks, checkSchedule(ctx, p)...)
	if w != nil {
		checks = append(checks, checkSigning(ctx, p, w)...)
		checks = append(checks, checkRemotes(ctx, p, w)...)
		checks = append(checks, checkBackup(p, w)...)
		checks = append(append(checks, checkMetrics(p, w)...), checkTraces(p)...)
		checks = append(checks, checkOwn(w)...)
		checks = append(checks, checkSuites(w)...)
		checks = append(checks, checkAgents(ctx, p, w)...)
		checks = append(checks, checkUnsearched(w)...)
		checks = append(checks, checkProviders(ctx, p, w)...)
		checks = append(checks, checkReflect(ctx, p, w, checks)...)
		checks = append(checks, checkServers(ctx, p, w)...)
		checks = append(checks, checkHub(ctx, p, w)...)
		checks = append(checks, checkGraders(ctx, p, w, checks)...)
		checks = append(checks, checkTrials(ctx, p, w, checks)...)
		targets, scored := checkPatchTargets(ctx, p, w)
		night := withCode(w, scored)
		forecasts, limits := checkLimits(ctx, p, night)
		checks = append(append(append(checks, targets...), limits...), checkPower(night, forecasts)...)
		checks = append(checks, checkGuards(night)...)
		checks = append(append(checks, checkJudges(w, forecasts)...), checkSearched(w, forecasts)...)
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
	err := fmt.Errorf(format, args...)
	check := Check{Name: name, Status: StatusFail, Text: err.Error(), Hint: hint}
	if bench.HostFailure(err) {
		check.Err = err
	}
	return check
}

// checkWorkspace returns a failed check for each issue in the workspace's files. If there
// are no such issues, it returns a single check.
func checkWorkspace(w *workspace.Workspace, err error) []Check {
	const name = "workspace"
	var issues *workspace.Errors
	switch {
	case errors.As(err, &issues):
		var checks []Check
		for _, i := range issues.Issues {
			hint := i.Hint
			i.Hint = ""
			check := fail(name, hint, "%s", i)
			check.Err = i.Err
			checks = append(checks, check)
		}
		return checks
	case err != nil:
		return []Check{fail(name, "", "%w", err)}
	case len(w.Agents) == 0 && slices.ContainsFunc(w.Settings.Patches.Targets, func(t workspace.PatchTarget) bool { return t.Scoring != nil }):
		return []Check{ok(name, "parses: it has no agent, but the code of a target is searched")}
	case len(w.Agents) == 0:
		return []Check{warn(name, "evolve init, without --minimal, writes a starter agent", "parses; it has no agent, so there is nothing to run")}
	}
	return []Check{ok(name, "parses: %s, %s", rtext.Count(len(w.Agents), "agent"), rtext.Count(len(w.Suites), "suite"))}
}

func checkSandbox(ctx context.Context, p Probes, w *workspace.Workspace) Check {
	const name = "sandbox"
	programs, without := unwalled(w)
	walls, err := p.Sandbox(ctx)
	switch {
	case err != nil && programs > 0:
		return warn(name, sandbox.Remedy(err), "there is no sandbox, so programs run with your rights: %v", err)
	case err != nil:
		return warn(name, sandbox.Remedy(err), "there is no sandbox: %v", err)
	case len(without) > 0:
		return warn(name, "", "%s; switched off for %s", walls, strings.Join(without, ", "))
	}
	return ok(name, "%s", walls)
}

// unwalled returns the number of programs that a night starts, and lists those for which
// the sandbox was declined.
func unwalled(w *workspace.Workspace) (programs int, without []string) {
	if w == nil {
		return 0, nil
	}
	for _, a := range w.Agents {
		if a.Adapter.Kind == workspace.KindCommand {
			programs++
			if a.Adapter.Sandbox == "none" {
				without = append(without, a.ID)
			}
		}
	}
	for _, name := range workspace.SortedNames(w.Settings.MCP) {
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
		return warn(name, "", "free space is unknown: %s", workspace.Reason(err))
	case free < fullDisk:
		return fail(name, "free some disk space: a run stops when the disk is full", "only %s free", left)
	case free < scarceDisk:
		return warn(name, "", "only %s free", left)
	}
	return ok(name, "%s free", left)
}

func checkWritable(p Probes) Check {
	const name = "write"
	if err := p.Writable(p.Root); err != nil {
		return fail(name, "a run stores its archive in .evolve/", "the workspace is not writable: %w", workspace.Reason(err))
	}
	return ok(name, "the workspace is writable")
}

// earliest is a time that lies in the past on every correct clock.
var earliest = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// checkClock checks that the clock is not before earliest or before the last commit.
func checkClock(ctx context.Context, p Probes) Check {
	const name, hint = "clock", "set the clock: deadlines and the ledger depend on it"
	now := p.Now()
	if now.Before(earliest) {
		return fail(name, hint, "it is set to %s", now.UTC().Format(time.DateOnly))
	}
	var commit time.Time
	if out, err := p.Git(ctx, p.Root, "log", "-1", "--format=%cI"); err == nil {
		commit, _ = time.Parse(time.RFC3339, out)
	}
	if commit.After(now.Add(24 * time.Hour)) {
		return warn(name, hint, "the clock shows %s, which is before the time of the last commit, %s", now.Format(time.DateTime), commit.In(now.Location()).Format(time.DateTime))
	}
	return ok(name, "%s", now.Format("2006-01-02 15:04 -07:00"))
}

func checkArchive(ctx context.Context, p Probes) Check {
	text, err := p.Archive(ctx)
	check := archiveCheck(text, err)
	if check.Status == StatusFail {
		check.Err = err
	}
	return check
}

func archiveCheck(text string, err error) Check {
	const name = "archive"
	switch {
	case err == nil:
		return ok(name, "%s", text)
	case errors.Is(err, archive.ErrNotFound):
		return ok(name, "none yet: the first run creates it")
	case errors.Is(err, archive.ErrLocked):
		return warn(name, "wait for that process to end, or end it; evolve takes over a lock left by a crash", "%v", err)
	case errors.Is(err, archive.ErrNewer):
		return fail(name, "install the newer version of evolve", "%v", err)
	case errors.As(err, new(*archive.WitnessError)):
		return fail(name, "evolve audit verify and evolve audit log show the current ledger; restore a backup, or accept the current ledger with evolve audit accept-head --reason \"…\"", "%v", err)
	case errors.Is(err, archive.ErrCorrupt):
		return fail(name, "evolve archive repair lists the records that can be saved, without changing anything; or restore a backup", "%v", err)
	case errors.Is(err, archive.ErrResources):
		return fail(name, "nothing is damaged; allow more open files: ulimit -n 1024", "%v", err)
	}
	return fail(name, "", "cannot be opened: %v", err)
}

// checkUnfinished reports decisions that were interrupted. It ignores an archive that
// cannot be read, which another check reports.
func checkUnfinished(ctx context.Context, p Probes) []Check {
	text, hint, err := p.Unfinished(ctx)
	if err != nil || hint == "" {
		return nil
	}
	return []Check{warn("decisions", hint, "%s", text)}
}

// checkLeftovers reports files that killed processes left beside the archive. It ignores
// an archive that cannot be read, which another check reports.
func checkLeftovers(ctx context.Context, p Probes) []Check {
	list, err := p.Leftovers(ctx)
	if err != nil || len(list) == 0 {
		return nil
	}
	return []Check{warn("leftovers", "no action is needed: the next command that records something removes the leftovers", "left by a killed process: %s", strings.Join(list, ", "))}
}

// checkSchedule checks the installed schedule of nights, if there is one.
func checkSchedule(ctx context.Context, p Probes) []Check {
	const name = "schedule"
	words, fault, hint := p.Schedule(ctx)
	switch {
	case fault != "":
		return []Check{warn(name, hint, "%s", fault)}
	case words != "":
		return []Check{ok(name, "%s", words)}
	}
	return nil
}

// checkBackup checks the backups that nights make.
func checkBackup(p Probes, w *workspace.Workspace) []Check {
	const name = "backup"
	if w.Settings.Backup.Keep == 0 {
		return []Check{ok(name, "off: nights make no backups (backup.keep in evolve.yaml is 0)")}
	}
	last, fault := p.Backup(w)
	if fault != "" {
		return []Check{warn(name, "free some disk space or set a different folder as backup.dir in evolve.yaml; `evolve archive backup FILE` makes a backup now", "%s", fault)}
	}
	return []Check{ok(name, "%s", last)}
}

func checkAgents(ctx context.Context, p Probes, w *workspace.Workspace) []Check {
	var checks []Check
	for i := range w.Agents {
		a := &w.Agents[i]
		name := "agent " + a.ID
		there, needs := "", a.Adapter.Env
		switch a.Adapter.Kind {
		case workspace.KindBuiltin:
			checks = append(checks, ok(name, "built in, %s%s", modelOf(w, a), allows(ctx, p, a)))
			continue
		case workspace.KindHTTP:
			if problem := p.serviceProblem(ctx, name, a); problem != nil {
				checks = append(checks, *problem)
				continue
			}
			there, needs = "a service at "+hostOf(a.Adapter.URL), mapValues(a.Adapter.HeadersEnv)
		default:
			if problem := a.ProgramProblem(p.LookPath); problem != "" {
				checks = append(checks, fail(name, a.ProgramHint(), "%s", problem))
				continue
			}
			there = fmt.Sprintf("its program %q exists; %s", a.Adapter.Argv[0], p.networkOf(ctx, a.Adapter.Network, a.Adapter.Sandbox))
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
			checks = append(checks, warn(name, "", "%s; missing from the environment: %s", there, strings.Join(unset, ", ")))
			continue
		}
		checks = append(checks, ok(name, "%s", there))
	}
	return checks
}

// allows lists the calls beyond reading that the operator has allowed a built-in agent, and
// which of these calls the agent's level of autonomy withholds in live turns. Evaluations
// are not restricted by the level.
func allows(ctx context.Context, p Probes, a *workspace.Agent) string {
	if len(a.Allow) == 0 {
		return ""
	}
	out := "; tools that may keep or share text beyond a turn: " + strings.Join(a.Allow, ", ")
	level, err := p.Level(ctx, a.ID)
	if err != nil {
		return out // the archive check reports the reason
	}
	effects := map[string]string{}
	for _, t := range slices.Concat(tool.Builtin(), tool.Further()) {
		effects[t.Spec().Name] = string(t.Spec().Effect)
	}
	kept, needs := []string{}, autonomy.Lowest
	for _, name := range a.Allow {
		if n, within := level.Allows(name, "", effects[name]); effects[name] != "" && !within {
			kept, needs = append(kept, name), max(needs, n)
		}
	}
	switch {
	case len(kept) == 0:
		return fmt.Sprintf("%s (also in live turns, at autonomy level %d)", out, level)
	case needs <= autonomy.SwitchedOn:
		return fmt.Sprintf("%s; at autonomy level %d its live turns cannot call %s (allowed from level %d)", out, level, strings.Join(kept, ", "), needs)
	}
	return fmt.Sprintf("%s; at autonomy level %d its live turns cannot call %s", out, level, strings.Join(kept, ", "))
}

// modelOf returns the model of a built-in agent.
func modelOf(w *workspace.Workspace, a *workspace.Agent) string {
	if a.Adapter.Model == workspace.ModelHeuristic {
		return "heuristic model"
	}
	return fmt.Sprintf("route %s (%s)", a.Adapter.Model, w.Settings.Routes[a.Adapter.Model].Model)
}
