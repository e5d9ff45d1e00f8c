package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
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
	// blocking is the name of a limit in the policies: the first one that kept
	// evaluations of an agent waiting when the agent's time ran out.
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
// process of a resumed run died. It returns nil if there is still work to do on the
// agent. It also replaces the agent's plan with the plan that was executed.
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
