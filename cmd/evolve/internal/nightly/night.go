package nightly

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// The first sequence number of each stage: an evaluation keeps its own however
// many the stages before it had.
const (
	seqAA      int64 = 0
	seqSearch  int64 = 1 << 32
	seqAblate  int64 = 3 << 31
	seqConfirm int64 = 2 << 32
)

// shownLevel is the confidence of the interval of the champion's rerun.
const shownLevel = .95

// aaRepeats is the first repeat number of the champion's reruns, far above those
// of the search; each run takes two.
const aaRepeats = 1 << 16

// night is a run's work on one agent.
type night struct {
	*runner
	agent   *workspace.Agent
	plan    *archive.AgentPlan
	left    int // agents that share what is left of money and time, this one included
	sides   sides
	tasks   map[string]*bench.Task
	harness *bench.Harness
	opened  Opened
	result  archive.AgentResult
	// The agent's share of the money and the time.
	usd  float64
	till time.Time
	// names remembers the variants that are in the archive already.
	names map[agent.ConfigID]bool
}

// work does all stages. A result is returned, and stored, whatever happened after
// the plan was written; the error ends the run.
func (n *night) work(ctx context.Context) (archive.AgentResult, error) {
	if err := n.open(ctx); err != nil {
		return archive.AgentResult{}, err
	}
	defer func() {
		if err := n.opened.Close(); err != nil {
			n.o.Log.Warn("closing the agent", "agent", n.agent.ID, "error", err)
		}
	}()
	n.result = archive.AgentResult{Run: n.run.ID, Agent: n.agent.ID, Verdict: archive.Undecided}
	ended := n.stages(ctx)
	if ended != nil && n.result.Reason == "" {
		n.result.Reason = "the run ended before there was anything to decide"
	}
	if err := n.o.Archive.Flush(context.WithoutCancel(ctx)); err != nil && ended == nil {
		ended = fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	if err := n.o.Archive.PutResult(context.WithoutCancel(ctx), n.result); err != nil {
		return n.result, errors.Join(ended, fmt.Errorf("%w: recording the result: %w", bench.ErrRecorder, err))
	}
	return n.result, ended
}

func (n *night) open(ctx context.Context) error {
	scratch := filepath.Join(n.scratch(), n.agent.ID)
	// Whatever a crashed run left there is nobody's.
	if err := os.RemoveAll(scratch); err != nil {
		return fmt.Errorf("%w: clearing the working directories: %w", bench.ErrRecorder, err)
	}
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return fmt.Errorf("%w: making the working directories: %w", bench.ErrRecorder, err)
	}
	opened, err := n.o.Open(ctx, n.agent, scratch)
	if err != nil {
		return fmt.Errorf("agent %s: %w", n.agent.ID, err)
	}
	n.opened = opened
	n.plan.Sandbox = opened.Sandbox
	n.sides = suitesOf(n.o.Workspace, n.agent)
	n.tasks = make(map[string]*bench.Task, len(n.sides.dirs))
	for t := range n.sides.dirs {
		n.tasks[t.ID] = t
	}
	n.names = map[agent.ConfigID]bool{}
	grade, err := n.o.Grading(n.sides.suites)
	if err != nil {
		return errors.Join(fmt.Errorf("agent %s: %w", n.agent.ID, err), opened.Close())
	}
	n.shares()
	breaker := bench.NewBreaker(n.o.Patience, n.plan.Champion, n.o.Sleep)
	n.harness = bench.NewHarness(bench.Settings{
		Run: n.run.ID, Agent: n.agent.ID, Identity: opened.Identity, Limits: n.o.Workspace.Settings.Limits,
		Seed: n.run.Seed, UsesSeed: n.agent.UsesSeed || !n.agent.Deterministic, Scratch: scratch, AlwaysWorkdir: opened.Workdir,
		SuiteDir: func(t *bench.Task) string { return n.sides.dirs[t] }, KeepTranscripts: true, Scrub: n.o.Scrub,
	}, opened.Agent, grade, n.o.Archive, n.budget, breaker, n.o.Now)
	if err := n.o.Archive.PutPlan(ctx, *n.plan); err != nil {
		return errors.Join(fmt.Errorf("recording the plan: %w", err), opened.Close())
	}
	return nil
}

// shares gives the agent its part of the money and time that is left.
func (n *night) shares() {
	if total := n.o.Budget.USD; total > 0 {
		if n.o.payForPatches() {
			total *= 1 - patchShare
		}
		spent := n.budget.Spent()
		n.usd = spent + (total-spent)/float64(n.left)
	}
	if !n.stop.IsZero() {
		now := n.o.Now()
		n.till = now.Add(n.stop.Sub(now) / time.Duration(n.left))
	}
}

// limit bounds what comes next to a share of the agent's money and time.
func (n *night) limit(share float64) {
	usd, till := n.usd, n.till
	if usd > 0 {
		spent := n.budget.Spent()
		usd = spent + (usd-spent)*share
	}
	if !till.IsZero() {
		now := n.o.Now()
		till = now.Add(time.Duration(float64(till.Sub(now)) * share))
	}
	n.budget.Limit(usd, till)
}

// stages runs the stages in order.
func (n *night) stages(ctx context.Context) error {
	if len(n.sides.search) == 0 {
		n.result.Reason = "the suite has no search tasks"
		n.result.Incomplete = n.result.Reason
		return nil
	}
	if err := n.putVariant(ctx, archive.Variant{ID: n.plan.Champion, Config: n.agent.Champion, Operator: "champion"}, nil); err != nil {
		return err
	}
	held, ablate := n.heldBack(), 0.
	if n.plan.Ablate > 0 {
		ablate = ablateShare * (1 - held)
	}
	n.limit(1 - held - ablate)
	phase := n.o.Now()
	err := n.againstItself(ctx)
	phase = n.phase("aa", phase)
	if err := n.explain("the champion against itself", err); err != nil {
		return err
	}
	rec, err := n.search(ctx)
	phase = n.phase("search", phase)
	if err := n.explain("the search", err); err != nil {
		return err
	}
	if n.plan.Confirm == 0 {
		n.result.Reason = n.unconfirmed()
		return nil
	}
	if n.plan.Ablate > 0 {
		n.limit(ablate / (held + ablate)) // of what is left
		err = n.minimise(ctx, rec)
		phase = n.phase("ablate", phase)
		if err := n.explain("making the winner small", err); err != nil {
			return err
		}
	}
	n.limit(1)
	err = n.confirm(ctx, rec)
	n.phase("confirm", phase)
	return n.explain("the confirmation", err)
}

// leastHeldBack is the least share of the money and the time that is held back for
// the confirmation of agents for which a few blocks are enough.
const leastHeldBack = .25

// heldBack is the share of the money and the time that the search leaves alone.
func (n *night) heldBack() float64 {
	share := n.o.Workspace.Settings.Confirm.Share
	switch {
	case n.plan.Confirm == 0:
		return 0
	case n.fixed():
		return min(share, max(leastHeldBack, float64(n.plan.Confirm)/float64(n.plan.Confirm+n.plan.Search)))
	}
	return share
}

func (n *night) unconfirmed() string {
	switch {
	case n.plan.HoldoutTasks == 0:
		return "the suite has no holdout tasks, so nothing could be confirmed"
	case n.o.SearchOnly():
		return "only the search was asked for; nothing was confirmed on the holdout"
	}
	return "the budget left no room for one block of the confirmation"
}

// explain turns the end of a stage into what the run does next: running out of
// budget is no error, everything else is.
func (n *night) explain(stage string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bench.ErrBudget):
		n.incomplete(stage + " was cut short by the budget or the deadline")
		return nil
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		n.incomplete(stage + " was interrupted")
		return ErrInterrupted
	}
	n.incomplete(stage + " failed: " + err.Error())
	return err
}

func (n *night) incomplete(text string) {
	if n.result.Incomplete != "" {
		n.result.Incomplete += "; "
	}
	n.result.Incomplete += text
}

func (n *night) phase(name string, since time.Time) time.Time {
	now := n.o.Now()
	if n.run.Phases == nil {
		n.run.Phases = map[string]time.Duration{}
	}
	n.run.Phases[name] += now.Sub(since)
	return now
}

func (n *night) putVariant(ctx context.Context, v archive.Variant, m *archive.Mutation) error {
	if n.names[v.ID] {
		return nil
	}
	v.Agent, v.Run, v.Time = n.agent.ID, n.run.ID, n.o.Now()
	if _, err := n.o.Archive.RecordVariant(ctx, v, m); err != nil {
		return fmt.Errorf("%w: recording a variant: %w", bench.ErrRecorder, err)
	}
	n.names[v.ID] = true
	return nil
}

// evaluate makes one evaluation and watches how many are under way.
func (n *night) evaluate(ctx context.Context, job bench.Job) (bench.Evaluation, error) {
	now := n.running.Add(1)
	defer n.running.Add(-1)
	for {
		top := n.reached.Load()
		if now <= top || n.reached.CompareAndSwap(top, now) {
			break
		}
	}
	return n.harness.Evaluate(ctx, job)
}

// parallel is the number of evaluations at once.
func (n *night) parallel() int {
	c := max(1, n.o.Concurrency)
	if n.opened.Parallel > 0 {
		c = min(c, n.opened.Parallel)
	}
	return c
}

// againstItself evaluates the champion twice on fresh repeats of search tasks.
// Agents whose repeats are no new evidence have nothing to compare.
func (n *night) againstItself(ctx context.Context) error {
	if n.plan.AA == 0 {
		return nil
	}
	first := aaRepeats + 2*n.run.Number
	tasks := spread(n.sides.search, n.plan.AA/2)
	jobs := make([]bench.Job, 0, 2*len(tasks))
	for _, t := range tasks {
		for arm := range 2 {
			jobs = append(jobs, bench.Job{
				Variant: n.plan.Champion, Config: n.agent.Champion, Task: t, Repeat: first + arm,
				Stage: bench.StageAA, Seq: seqAA + int64(len(jobs)),
			})
		}
	}
	evals, err := n.batch(ctx, "aa", jobs, 0, len(jobs))
	has := newEvidence(tasks)
	for i := 0; i+1 < len(evals); i += 2 {
		has.add(evals[i], evals[i+1])
	}
	if list := has.pairs(); len(list) > 0 {
		noise := stats.NoiseFloor(list, shownLevel)
		n.result.AA = &noise
	}
	return err
}

// spread picks k tasks evenly over the list, so that no domain is left out.
func spread(tasks []*bench.Task, k int) []*bench.Task {
	if k >= len(tasks) {
		return tasks
	}
	out := make([]*bench.Task, 0, k)
	for i := range k {
		out = append(out, tasks[i*len(tasks)/k])
	}
	return out
}

func scored(e mutate.Estimate) archive.ScoredVariant {
	return archive.ScoredVariant{
		Variant: e.Variant, Config: e.Config, Score: finite(e.Score), Lo: finite(e.Lo), Hi: finite(e.Hi), Evaluations: e.Evaluations,
	}
}

// finite keeps numbers that no JSON can hold out of the archive.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
