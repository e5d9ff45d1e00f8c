package nightly

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
	"sync/atomic"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
)

// ErrInterrupted says that a person stopped the run.
var ErrInterrupted = errors.New("interrupted")

// The exit codes a run can end with (spec 2.3).
const (
	ExitDone           = 0
	ExitBudget         = 6
	ExitInfrastructure = 7
	ExitInterrupted    = 130
)

// ErrNoAgents says that there is nothing to run.
var ErrNoAgents = errors.New("the workspace has no agents")

type runner struct {
	o      Options
	run    archive.Run
	agents []*workspace.Agent
	plans  []archive.AgentPlan
	budget *bench.Budget
	// stop ends the work on agents, end all that comes after it; zero: open.
	stop, end time.Time
	tunings   []tunable
	running   atomic.Int64
	reached   atomic.Int64
}

// Prepare makes the plan of a run without spending or writing anything.
func Prepare(ctx context.Context, o Options) (Plan, error) {
	r, err := prepare(ctx, o)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Run: r.run, Agents: r.plans}
	for _, t := range r.tunings {
		plan.Tunings = append(plan.Tunings, t.Tuning)
	}
	for _, p := range r.plans {
		if o.SearchOnly() {
			break
		}
		look, err := r.outlook(ctx, p)
		if err != nil {
			return Plan{}, err
		}
		plan.Outlooks = append(plan.Outlooks, look)
	}
	return plan, nil
}

// Run does the nightly batch. The Summary holds whatever was found, also with an
// error; the run's exit code says how it ended.
func Run(ctx context.Context, o Options) (Summary, error) {
	r, err := prepare(ctx, o)
	if err != nil {
		return Summary{}, err
	}
	if err := r.start(ctx); err != nil {
		return Summary{}, err
	}
	var results []archive.AgentResult
	var ended error
	for i, a := range r.agents {
		n := &night{runner: r, agent: a, plan: &r.plans[i], left: len(r.agents) - i}
		result, err := n.work(ctx)
		if result.Agent != "" {
			results = append(results, result)
		}
		if err != nil {
			ended = err
			break
		}
	}
	skills := r.skills(ctx, ended, results)
	if ended == nil || errors.Is(ended, ErrInterrupted) {
		ended = errors.Join(ended, r.patches(ctx, results))
	}
	// The context may be over; the end of the run is written all the same.
	err = r.finish(context.WithoutCancel(ctx), ended, results)
	return Summary{Run: r.run, Plans: r.plans, Results: results, Skills: skills}, err
}

func prepare(ctx context.Context, o Options) (*runner, error) {
	r := &runner{o: o}
	if o.Patches != nil { // what the night sets there is of this night alone
		desk := *o.Patches
		r.o.Patches = &desk
	}
	agents, err := Choose(o.Workspace, o.Agents)
	if err != nil {
		return nil, err
	}
	r.agents = agents
	r.survey()
	latest, err := o.Archive.Run(ctx, "")
	switch {
	case errors.Is(err, archive.ErrNotFound):
	case err != nil:
		return nil, fmt.Errorf("reading the latest run: %w", err)
	case latest.State == archive.RunRunning && o.Resume != ResumeNever,
		o.Resume == ResumeAny && (latest.State == archive.RunInterrupted || latest.State == archive.RunFailed):
		if err := r.plan(latest.Number); err != nil {
			return nil, err
		}
		if r.run.ID == latest.ID {
			resumed := latest
			resumed.State, resumed.Resumed, resumed.Concurrency = archive.RunRunning, latest.Resumed+1, r.run.Concurrency
			resumed.Exit, resumed.Reason, resumed.Ended = 0, "", time.Time{}
			resumed.Until, resumed.Host, resumed.Binary = r.run.Until, r.run.Host, r.run.Binary
			r.run = resumed
			return r, nil
		}
	}
	return r, r.plan(latest.Number + 1)
}

// Choose are the agents with these names, each once, or all where there are none.
func Choose(w *workspace.Workspace, names []string) ([]*workspace.Agent, error) {
	var out []*workspace.Agent
	if len(names) == 0 {
		for i := range w.Agents {
			out = append(out, &w.Agents[i])
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

// plan fills the run and plans of a run with this number.
func (r *runner) plan(number int) error {
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
		BudgetUSD: o.Budget.USD, BudgetTime: o.Budget.Time, Until: o.Until, Binary: o.Binary, Host: o.Host,
	}
	r.plans = nil
	for i, a := range r.agents {
		r.run.Agents = append(r.run.Agents, a.ID)
		share := o.Budget.Evaluations / len(r.agents)
		if i < o.Budget.Evaluations%len(r.agents) {
			share++
		}
		r.plans = append(r.plans, r.planAgent(a, share))
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
	}{number, seed, o.Lookahead, stages, o.Selection, o.Budget.USD, o.Budget.Time, r.plans})
	if err != nil {
		return fmt.Errorf("hashing the plan: %w", err)
	}
	sum := sha256.Sum256(identity)
	r.run.ID = fmt.Sprintf("%d-%s", number, hex.EncodeToString(sum[:4]))
	for i := range r.plans {
		r.plans[i].Run = r.run.ID
	}
	return nil
}

func (r *runner) planAgent(a *workspace.Agent, budget int) archive.AgentPlan {
	o := r.o
	set := o.Workspace.Settings
	sides := suitesOf(o.Workspace, a)
	alloc := Allocate(Want{
		Budget: budget, SearchTasks: len(sides.search), HoldoutTasks: len(sides.holdout), HoldoutUnits: units(sides.holdout),
		Fixed: a.Deterministic && !a.UsesSeed, Confirm: set.Confirm, Baseline: set.Search.Baseline, SearchOnly: o.SearchOnly(),
	})
	return archive.AgentPlan{
		Agent: a.ID, Suites: a.Suites, SuiteHash: sides.hash, SplitHash: sides.splitHash, AgentHash: a.Hash,
		SpaceHash: spaceHash(a.Space), PricesHash: pricesHash(set.Prices), Params: a.Space.Names(), Adapter: a.Adapter.Kind, Champion: a.Champion.ID(), Default: a.Space.Default().ID(),
		Deterministic: a.Deterministic, UsesSeed: a.UsesSeed,
		Search: alloc.Search, Baseline: alloc.Baseline, AA: alloc.AA, Ablate: alloc.Ablate, Confirm: alloc.Confirm,
		Finalists: alloc.Finalists, Repeats: alloc.Blocks, SearchTasks: len(sides.search), HoldoutTasks: len(sides.holdout),
		Detectable: alloc.Detectable, Month: alloc.Month, Power: alloc.Power, Warnings: alloc.Warnings,
	}
}

// start writes the run's record and its ledger entry, and ends what was left open.
func (r *runner) start(ctx context.Context) error {
	o := r.o
	if err := r.abandonOthers(ctx); err != nil {
		return err
	}
	now := o.Now()
	if r.run.Started.IsZero() {
		r.run.Started = now
	}
	if o.Budget.Time > 0 {
		r.stop = now.Add(o.Budget.Time)
	}
	if !o.Until.IsZero() {
		if until := o.Until.Add(-drainReserve(o.Until.Sub(now))); r.stop.IsZero() || until.Before(r.stop) {
			r.stop = until
		}
	}
	if r.end = r.stop; len(r.tunings) > 0 && !r.stop.IsZero() {
		r.stop = r.stop.Add(-time.Duration(float64(r.stop.Sub(now)) * tuneShare))
	}
	r.budget = bench.NewBudget(o.Budget.USD, r.stop, o.Now)
	if o.Patches != nil {
		o.Patches.Run, o.Patches.Budget = r.run.ID, r.budget
	}
	if err := r.countSpent(ctx); err != nil {
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

// countSpent adds what the interrupted part of a resumed run has paid.
func (r *runner) countSpent(ctx context.Context) error {
	if r.run.Resumed == 0 {
		return nil
	}
	for _, a := range r.run.Agents {
		for e, err := range r.o.Archive.Evaluations(ctx, r.run.ID, a) {
			if err != nil {
				return fmt.Errorf("counting what the run has spent: %w", err)
			}
			if !e.Cached {
				r.budget.Add(e.Usage.CostUSD)
			}
		}
	}
	notes, err := r.patchNotes(ctx)
	if err != nil {
		return err
	}
	for _, n := range notes {
		if n.run == r.run.ID {
			r.budget.Add(n.Usage.CostUSD)
		}
	}
	paid, err := r.patchCosts(ctx)
	r.budget.Add(paid)
	return err
}

// abandonOthers marks runs whose process died and whose plan no longer fits.
func (r *runner) abandonOthers(ctx context.Context) error {
	for other, err := range r.o.Archive.Runs(ctx) {
		if err != nil {
			return fmt.Errorf("reading the runs: %w", err)
		}
		if other.State == archive.RunRunning && other.ID != r.run.ID {
			other.State, other.Exit = archive.RunInterrupted, ExitInterrupted
			other.Reason = "its process died, and a run with another plan was started after it; its evaluations are kept"
			if err := r.o.Archive.PutRun(ctx, other); err != nil {
				return fmt.Errorf("closing run %s: %w", other.ID, err)
			}
		}
	}
	return nil
}

// drainReserve is the time kept for finishing what is under way and for the
// report before a deadline: a twentieth of what is left, between 5 s and 2 min.
func drainReserve(left time.Duration) time.Duration {
	return max(min(left/20, 2*time.Minute), min(5*time.Second, left/2))
}

// finish writes how the run ended.
func (r *runner) finish(ctx context.Context, ended error, results []archive.AgentResult) error {
	// What was paid for is stored first; if that fails, the failure is the news.
	if err := r.o.Archive.Flush(ctx); err != nil && ended == nil {
		ended = fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	r.run.Ended, r.run.Reached = r.o.Now(), int(r.reached.Load())
	if r.o.Guards != nil {
		r.run.Guards = r.o.Guards()
	}
	var err error
	if r.run.PatchUSD, err = r.patchCosts(ctx); err != nil {
		r.o.Log.Warn("what patches cost is not in the report", "error", err)
	}
	r.run.State, r.run.Exit, r.run.Reason = archive.RunDone, ExitDone, ""
	switch {
	case ended == nil:
		if exhausted(results) {
			r.run.Exit, r.run.Reason = ExitBudget, "the budget or the deadline ended it before a single planned stage was complete"
		}
	case errors.Is(ended, ErrInterrupted) || errors.Is(ended, context.Canceled):
		r.run.State, r.run.Exit, r.run.Reason = archive.RunInterrupted, ExitInterrupted, "a person stopped it"
	default:
		r.run.State, r.run.Exit, r.run.Reason = archive.RunFailed, ExitInfrastructure, ended.Error()
	}
	_ = os.RemoveAll(r.scratch())
	if err := r.o.Archive.PutRun(ctx, r.run); err != nil {
		return errors.Join(ended, fmt.Errorf("recording the end of the run: %w", err))
	}
	if err := r.note(ctx, "run.end", map[string]any{"exit": r.run.Exit, "state": r.run.State, "reason": r.run.Reason}); err != nil {
		return errors.Join(ended, err)
	}
	if errors.Is(ended, bench.ErrRecorder) {
		return ended
	}
	return nil
}

// exhausted reports whether no agent completed anything that was planned.
func exhausted(results []archive.AgentResult) bool {
	for _, res := range results {
		if res.Incomplete == "" || res.Blocks > 0 || res.SearchDone {
			return false
		}
	}
	return len(results) > 0
}

func (r *runner) note(ctx context.Context, kind string, data any) error {
	raw, err := json.Marshal(data)
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	_, err = r.o.Archive.Append(ctx, archive.LedgerEntry{Time: r.o.Now(), Kind: kind, Actor: "evolve", Subject: r.run.ID, Data: raw})
	if err != nil {
		return fmt.Errorf("writing the ledger: %w", err)
	}
	return nil
}

func (r *runner) scratch() string {
	return filepath.Join(r.o.Workspace.StateDir(), "work")
}
