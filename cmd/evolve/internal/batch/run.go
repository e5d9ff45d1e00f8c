package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/mutate/night/limits"
	"evolve/mutate/watch"
	"evolve/runtime/experience"
)

// The exit codes of a run.
const (
	ExitDone           = 0
	ExitBudget         = 6
	ExitInfrastructure = 7
	ExitInterrupted    = 130
)

// ErrNoAgents reports that the workspace has no agents, so there is nothing to run.
var ErrNoAgents = errors.New("the workspace has no agents")

type runner struct {
	o      Options
	run    archive.Run
	agents []*workspace.Agent
	// specs and plans hold the specs and plans of the agents' nights, in the order of
	// agents.
	specs []night.Spec
	plans []archive.AgentPlan
	// lessons holds the lessons from live turns, in the order of agents.
	lessons []experience.Lessons
	held    HeldOut
	// unrecorded holds the requests of the agents' search tasks that no earlier run has
	// recorded, in the order of agents.
	unrecorded [][]string
	budget     *bench.Budget
	// stop is when the work on agents ends, and end is when everything after it ends; the
	// zero time means no limit.
	stop, end time.Time
	// byDeadline reports whether stop is determined by the deadline rather than by a
	// duration.
	byDeadline bool
	// byDefault reports whether no limit was given.
	byDefault bool
	// left is the earlier run that could have been resumed when a new run started instead;
	// its ID is empty if there is none.
	left    archive.Run
	tunings []tunable
	// jobs holds the tools to be rewritten.
	jobs []forgeJob
	// blocking names the first limit under policies for which an agent's evaluations were
	// waiting when their time was over.
	blocking string
	// slots limits the number of evaluations under way across all agents.
	slots *night.Slots
	// recording guards run while agents run side by side. opening ensures that only one
	// agent at a time is opened or closed, because agents share workspace files and records
	// of tools.
	recording, opening sync.Mutex
}

// Prepare makes the plan of a run without spending or writing anything.
func Prepare(ctx context.Context, o Options) (Plan, error) {
	r, err := prepare(ctx, o)
	if err != nil {
		return Plan{}, err
	}
	if err := r.noteTools(ctx); err != nil {
		return Plan{}, err
	}
	if err := r.requireSearchTasks(); err != nil {
		return Plan{}, err
	}
	expected, err := r.expect(ctx)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Run: r.run, Agents: r.plans, Limits: expected, Forgings: r.forgings(), Unsearched: o.unsearched()}
	if plan.Reflections, err = r.foreseeDrafts(ctx); err != nil {
		return Plan{}, err
	}
	for _, t := range r.tunings {
		plan.Tunings = append(plan.Tunings, t.Tuning)
	}
	for i := range r.specs {
		if o.SearchOnly() {
			break
		}
		look, err := r.specs[i].Outlook(ctx)
		if err != nil {
			return Plan{}, err
		}
		plan.Outlooks = append(plan.Outlooks, look)
	}
	return plan, nil
}

// Run runs the nightly batch. The Summary holds the results even if there is an error; the
// run's exit code reports how it ended.
func Run(ctx context.Context, o Options) (Summary, error) {
	asked, err := o.digest()
	if err != nil {
		return Summary{}, err
	}
	r, err := prepare(ctx, o)
	if err != nil {
		return Summary{}, err
	}
	if err := r.noteTools(ctx); err != nil {
		return Summary{}, err
	}
	if err := r.requireSearchTasks(); err != nil {
		return Summary{}, err
	}
	if r.run.Asked == "" { // a resumed run keeps its first value
		r.run.Asked = asked
	}
	r.warnOfGuards()
	if err := r.start(ctx); err != nil {
		return Summary{}, err
	}
	if o.Left != nil && r.left.ID != "" {
		o.Left(r.left)
	}
	results, ended := r.nights(ctx)
	r.noteChampions(ctx, ended)
	skills := append(r.skills(ctx, ended, results), r.forge(ctx, ended)...)
	r.missed(context.WithoutCancel(ctx), results)
	if ended == nil || errors.Is(ended, night.ErrInterrupted) {
		ended = errors.Join(ended, r.patches(ctx, results))
	}
	// The context may be done; the end of the run is recorded all the same.
	err = r.finish(context.WithoutCancel(ctx), ended, results)
	return Summary{Run: r.run, Plans: r.plans, Results: results, Skills: skills}, err
}

// finished returns the result of an agent whose work was already complete when an earlier
// process of a resumed run died. It returns nil if the agent still has to be worked on. The
// agent's plan is replaced with the executed one.
func (r *runner) finished(ctx context.Context, i int) (*archive.AgentResult, error) {
	if r.run.Resumed == 0 {
		return nil, nil
	}
	result, err := r.o.Archive.Result(ctx, r.run.ID, r.agents[i].ID)
	if errors.Is(err, archive.ErrNotFound) || err == nil && (!result.Finished || result.Incomplete != "") {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading a result: %w", err)
	}
	plan, err := r.o.Archive.Plan(ctx, r.run.ID, r.agents[i].ID)
	if err != nil {
		return nil, fmt.Errorf("reading a plan: %w", err)
	}
	r.plans[i] = plan
	if result.Watch == nil {
		err = r.watch(ctx, i, &result)
	}
	return &result, err
}

func prepare(ctx context.Context, o Options) (*runner, error) {
	byDefault := false
	if o.Budget.Evaluations == 0 && !o.limited() {
		o.Budget.Evaluations, byDefault = workspace.DefaultEvaluations, true
	}
	r := &runner{o: o, byDefault: byDefault}
	if o.Patches != nil { // the night changes a copy
		desk := *o.Patches
		r.o.Patches = &desk
	}
	latest, err := o.Archive.Run(ctx, "")
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return nil, fmt.Errorf("reading the latest run: %w", err)
	}
	if o.Resume == ResumeAny {
		return r, r.resume(ctx, latest)
	}
	if r.agents, err = Choose(o.Workspace, o.Agents); err != nil {
		return nil, err
	}
	r.findTunings()
	if latest.State == archive.RunRunning && o.Resume != ResumeNever {
		if err := r.plan(ctx, latest.Number, latest.ID); err != nil {
			return nil, err
		}
		if r.run.ID == latest.ID {
			r.continueRun(latest)
			return r, nil
		}
		o.Log.Warn("the process of run " + latest.ID + " died; the plan has changed, so another run begins; the recorded evaluations are kept")
	}
	if latest.State != archive.RunDone {
		r.left = latest
	}
	return r, r.plan(ctx, latest.Number+1, "")
}

// Choose returns the agents with the given names, without repetitions. If no names are
// given, it returns all agents except those whose config is searched together with their
// code.
func Choose(w *workspace.Workspace, names []string) ([]*workspace.Agent, error) {
	var out []*workspace.Agent
	if len(names) == 0 {
		for i := range w.Agents {
			if w.Agents[i].SearchedAs == "" {
				out = append(out, &w.Agents[i])
			}
		}
	}
	for _, name := range names {
		a, ok := w.Agent(name)
		if !ok {
			return nil, &UnknownAgentError{Name: name, Known: w.AgentIDs()}
		}
		if !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return nil, ErrNoAgents
	}
	return out, nil
}

// UnknownAgentError names an agent that the workspace does not have.
type UnknownAgentError struct {
	Name  string
	Known []string
}

func (e *UnknownAgentError) Error() string { return fmt.Sprintf("no agent is called %q", e.Name) }

// began returns the start time of the resumed run, or the present time for a new run.
func (r *runner) began(ctx context.Context, takenUp string) (time.Time, error) {
	if takenUp == "" {
		return r.o.Now(), nil
	}
	run, err := r.o.Archive.Run(ctx, takenUp)
	return run.Started, err
}

// plan fills in the run and its plans, for the run with the given number. takenUp is the id
// of the interrupted run that it may resume; it is empty for a new run.
func (r *runner) plan(ctx context.Context, number int, takenUp string) error {
	o := r.o
	seed := int64(number)
	if o.Seed != nil {
		seed = *o.Seed
	}
	stages := o.Stages
	if len(stages) == 0 {
		stages = []string{SearchStage, ConfirmStage}
	}
	r.run = archive.Run{
		Number: number, State: archive.RunRunning, Stages: stages, Selection: o.Selection, Policy: o.Workspace.Settings.Policies.Version(), Seed: seed,
		Lookahead: o.Lookahead, Concurrency: o.Concurrency, BudgetEval: o.Budget.Evaluations,
		BudgetUSD: o.Budget.USD, BudgetTime: o.Budget.Time, Worked: o.Looked, Until: o.Until, Binary: o.Binary, Host: o.Host,
	}
	r.plans, r.specs = make([]archive.AgentPlan, len(r.agents)), make([]night.Spec, len(r.agents))
	r.lessons, r.unrecorded = make([]experience.Lessons, len(r.agents)), make([][]string, len(r.agents))
	var err error
	if r.held, err = FindHeldOut(ctx, o.Workspace, o.Archive); err != nil {
		return err
	}
	began, err := r.began(ctx, takenUp)
	if err != nil {
		return err
	}
	for i, a := range r.agents {
		refused, err := r.leaveOutInert(ctx, a, takenUp)
		if err != nil {
			return err
		}
		s := &r.specs[i]
		*s = r.spec(a)
		s.Agent.Routes, s.Agent.Refused = r.o.Workspace.RoutesHash(a), refused
		if err := r.leaveOutSearched(ctx, i, number); err != nil {
			return err
		}
		if s.Variances, err = night.EstimateVariances(ctx, o.Archive, &s.Agent, number); err != nil {
			return err
		}
		r.run.Agents = append(r.run.Agents, a.ID)
		var waits []archive.Waiting
		if takenUp == "" {
			waits, err = r.waits(ctx, a, "")
		} else {
			waits, err = r.plannedWaits(ctx, a, takenUp)
		}
		if err != nil {
			return err
		}
		s.Plan, r.plans[i] = &r.plans[i], s.NewPlan(waits)
		past, err := r.recall(ctx, a, takenUp)
		if err != nil {
			return err
		}
		r.lessons[i] = past.Lessons
		s.Agent.Feedback, s.Agent.Corrections = feedbackFor(a, past.Lessons), past.Lessons.CorrectionLines()
		s.Agent.InUse = past.Lessons.Basis()
		if code := o.Code.Found[a.ID]; code != nil {
			s.Agent.Source, s.Agent.Profile = code.Source(), code.Profile()
			s.Agent.Problem, s.Agent.Imports, s.Agent.Smaller, s.Agent.Place = code.TextProblem, code.Imports(), code.Smaller, code.Place
			if s.Agent.Feedback, err = r.became(ctx, a.ID); err != nil {
				return err
			}
		}
		if r.plans[i].Experience, err = r.experienceOf(ctx, a, past, takenUp); err != nil {
			return err
		}
		digests := s.Agent.Sample().Digests()
		if s.Watch, err = watch.Tasks(ctx, o.Archive, *s.Plan, number, digests, began); err != nil {
			return err
		}
		if s.Replaced, err = watch.Replaced(ctx, o.Archive, *s.Plan, number, s.Agent.Known); err != nil {
			return err
		}
		if s.Replaced != nil {
			s.Plan.Replaced = s.Replaced.ID()
		}
		if s.Panel, err = watch.Panel(ctx, o.Archive, *s.Plan, number, digests); err != nil {
			return err
		}
		if evaluations := shareOf(o.Budget.Evaluations, len(r.agents), i); evaluations > 0 || !o.limited() {
			s.Allocate(s.Plan, evaluations)
			if text := o.blind(s.Plan); text != "" {
				s.Plan.Warnings = append(s.Plan.Warnings, text)
			}
		}
	}
	identity, err := json.Marshal(struct {
		Number    int
		Seed      int64
		Lookahead int
		Stages    []string
		Selection string
		USD       float64
		Time      time.Duration
		Plans     []archive.AgentPlan
	}{number, seed, o.Lookahead, stages, o.Selection, o.Budget.USD, o.Budget.Time, withoutSentences(r.plans)})
	if err != nil {
		return fmt.Errorf("hashing the plan: %w", err)
	}
	sum := sha256.Sum256(identity)
	r.run.ID = fmt.Sprintf("%d-%s", number, hex.EncodeToString(sum[:4]))
	for i := range r.plans {
		r.plans[i].Run = r.run.ID
	}
	r.warnOfUnsent()
	if err := r.warnOfRequests(ctx); err != nil {
		return err
	}
	return r.describeJudges(ctx)
}

// withoutSentences returns plans without their list of written guards and without their
// texts for people, so that a version of evolve that rewords the texts can resume a run of
// an earlier version.
func withoutSentences(plans []archive.AgentPlan) []archive.AgentPlan {
	out := slices.Clone(plans)
	for i := range out {
		p := &out[i]
		p.Power, p.Warnings, p.Alike, p.Judges, p.JudgeNoise, p.Guarded = "", nil, nil, nil, "", nil
	}
	return out
}

// start writes the run's record and its ledger entry, and ends runs that were left open.
func (r *runner) start(ctx context.Context) error {
	o := r.o
	if err := r.abandonOthers(ctx); err != nil {
		return err
	}
	now := o.Now().Round(0) // deadlines use the wall clock, which continues while the machine is suspended
	if r.run.Started.IsZero() {
		r.run.Started = now
	}
	earlier, err := r.countEarlier(ctx, now)
	if err != nil {
		return err
	}
	r.stop, r.byDeadline = r.stopAt(now)
	if r.end = r.stop; len(r.tunings) > 0 && !r.stop.IsZero() {
		r.stop = r.stop.Add(-time.Duration(float64(r.stop.Sub(now)) * tuneShare))
	}
	r.slots = night.NewSlots(r.run.Concurrency)
	r.budget = bench.NewBudget(o.Budget.USD, r.stop, o.Now)
	r.budget.Keep(earlier, func(a bench.Account) error {
		return o.Archive.PutAccount(context.WithoutCancel(ctx), r.run.ID, a)
	})
	if o.Patches != nil {
		o.Patches.Run, o.Patches.Budget = r.run.ID, r.budget
	}
	r.noteCommits()
	if err := r.freezeExperience(ctx); err != nil {
		return err
	}
	if err := o.Archive.PutRun(ctx, r.run); err != nil {
		return fmt.Errorf("recording the run: %w", err)
	}
	kind := "run.start"
	if r.run.Resumed > 0 {
		kind = "run.resume"
	}
	return r.note(ctx, kind, map[string]any{"plans": r.plans, "seed": r.run.Seed})
}

// stopAt returns the time at which work that begins now must end, or the zero time if there
// is no limit, and reports whether the deadline determines it.
func (r *runner) stopAt(now time.Time) (stop time.Time, byDeadline bool) {
	return r.o.stopAt(now, r.run.Worked)
}

// stopAt is like [runner.stopAt], for a night that has already worked for the given time.
func (o *Options) stopAt(now time.Time, worked time.Duration) (stop time.Time, byDeadline bool) {
	if o.Budget.Time > 0 {
		stop = now.Add(o.Budget.Time - worked)
	}
	if !o.Until.IsZero() {
		if until := o.Until.Add(-drainReserve(o.Until.Sub(now))); stop.IsZero() || until.Before(stop) {
			return until, true
		}
	}
	return stop, false
}

// countEarlier returns the money spent by the earlier processes of a resumed run. It also
// adds the time that they worked, according to the run's evaluations, to the run's working
// time, because the limits apply to the whole run. An older version of evolve stored no
// account of the money; for its runs the costs of the evaluations are summed up instead.
func (r *runner) countEarlier(ctx context.Context, now time.Time) (bench.Account, error) {
	var paid bench.Account
	since := r.run.Since
	r.run.Since = now
	if r.run.Resumed == 0 {
		return paid, nil
	}
	if since.IsZero() {
		since = r.run.Started
	}
	last := since
	for _, a := range r.run.Agents {
		for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, a) {
			if err != nil {
				return paid, fmt.Errorf("counting the time and cost of the run: %w", err)
			}
			if e.Time.After(last) && !e.Time.After(now) {
				last = e.Time
			}
			if !e.Cached {
				paid.USD += e.Paid()
			}
		}
	}
	r.run.Worked += last.Sub(since)
	account, err := r.o.Archive.Account(ctx, r.run.ID)
	if errors.Is(err, archive.ErrNotFound) {
		return paid, nil
	}
	return account, err
}

// abandonOthers marks as interrupted all other runs that are recorded as running: their
// process died, and their plan no longer fits.
func (r *runner) abandonOthers(ctx context.Context) error {
	for other, err := range r.o.Archive.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if other.State == archive.RunRunning && other.ID != r.run.ID {
			other.State, other.Exit = archive.RunInterrupted, ExitInterrupted
			other.Reason = "its process died, or could not record its end, and a run with a different plan was started after it; its evaluations are kept"
			if err := r.o.Archive.PutRun(ctx, other); err != nil {
				return fmt.Errorf("closing run %s: %w", other.ID, err)
			}
		}
	}
	return nil
}

// drainReserve returns the time that is reserved before a deadline for finishing the work
// under way and for the report: a twentieth of the remaining time, between 5 s and 2 min,
// but at most half of the remaining time.
func drainReserve(left time.Duration) time.Duration {
	return max(min(left/20, 2*time.Minute), min(5*time.Second, left/2))
}

// finish records the end of the run.
func (r *runner) finish(ctx context.Context, ended error, results []archive.AgentResult) error {
	// First store the evaluations that were paid for; if that fails, the failure ends the
	// run.
	if err := r.o.Archive.Flush(ctx); err != nil && ended == nil {
		ended = fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	r.run.Ended, r.run.Reached = r.o.Now(), r.slots.Reached()
	if r.o.Guards != nil {
		r.run.Guards = r.o.Guards()
	}
	if r.o.Live != nil {
		var err error
		if r.run.Live, err = r.o.Live(); err != nil {
			r.o.Log.Warn("the effect of limits on live turns is not in the report", "error", err)
		}
	}
	r.run.PaidUSD = r.budget.Spent()
	if err := r.budget.Close(); err != nil && ended == nil {
		ended = err
	}
	var err error
	if r.run.PatchUSD, err = r.patchCosts(ctx); err != nil {
		r.o.Log.Warn("the cost of patches is not in the report", "error", err)
	}
	r.run.State, r.run.Exit, r.run.Reason = archive.RunDone, ExitDone, ""
	switch {
	case ended == nil:
		switch {
		case r.run.Spent != "":
			r.run.Exit, r.run.Reason = ExitBudget, "a budget under policies is spent: "+r.run.Spent
		case exhausted(results):
			r.run.Exit, r.run.Reason = ExitBudget, r.spentLimits()+" ended the run before any planned stage was complete"
			if r.blocking != "" {
				r.run.Spent = r.blocking
				r.run.Reason = "the time ran out before any planned stage was complete: evaluations waited for a limit under policies: " + r.blocking
			}
		}
	case errors.Is(ended, night.ErrInterrupted) || errors.Is(ended, context.Canceled):
		r.run.State, r.run.Exit, r.run.Reason = archive.RunInterrupted, ExitInterrupted, r.interruption()
	default:
		r.run.State, r.run.Exit, r.run.Reason = archive.RunFailed, ExitInfrastructure, ended.Error()
		var failing interface{ Try() string }
		if errors.As(ended, &failing) {
			r.run.Try = failing.Try()
		}
	}
	_ = os.RemoveAll(r.scratch())
	if r.run.State == archive.RunDone {
		if err := r.o.RetryCode(); err != nil {
			r.o.Log.Warn("targets that took too long will not be tried again", "error", err)
		}
	}
	if err := r.writeEnding(); err != nil {
		r.o.Log.Warn("the end of the run was not recorded; if this process crashes before it exits, the run is repeated", "error", err)
	}
	e, err := r.entry("run.end", map[string]any{"exit": r.run.Exit, "state": r.run.State, "reason": r.run.Reason})
	if err != nil {
		return errors.Join(ended, err)
	}
	if err := r.o.Archive.FinishRun(ctx, r.run, e); err != nil {
		return errors.Join(ended, fmt.Errorf("recording the end of the run: %w", err))
	}
	if errors.Is(ended, bench.ErrRecorder) {
		return ended
	}
	return nil
}

// spentLimits names the limits that ended the work on the agents.
func (r *runner) spentLimits() string {
	var names []string
	for _, l := range r.run.Limits {
		if name := limits.Limit(l.Bound).Noun(); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return limits.Unknown.Noun()
	}
	return strings.Join(names, " and ")
}

// exhausted reports whether no agent completed any planned stage.
func exhausted(results []archive.AgentResult) bool {
	for _, res := range results {
		if res.Incomplete == "" || res.Blocks > 0 || res.SearchDone {
			return false
		}
	}
	return len(results) > 0
}

// note appends an entry about the run to the ledger.
func (r *runner) note(ctx context.Context, kind string, data any) error {
	e, err := r.entry(kind, data)
	if err != nil {
		return err
	}
	if _, err := r.o.Archive.Append(ctx, e); err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}

// entry returns a ledger entry about the run.
func (r *runner) entry(kind string, data any) (archive.LedgerEntry, error) {
	return archive.NewLedgerEntry(r.o.Now(), kind, r.run.ID, data)
}

// scratch returns the folder that holds the working directories.
func (r *runner) scratch() string {
	return filepath.Join(r.o.Workspace.StateDir(), "work")
}
