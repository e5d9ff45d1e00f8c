package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/telemetry"
)

// The first sequence number of each stage. They are fixed, so that an evaluation keeps its
// number however long the earlier stages are.
const (
	seqAA      int64 = 0
	seqSearch  int64 = 1 << 32
	seqAblate  int64 = 3 << 31
	seqConfirm       = bench.ConfirmSeq
)

// shownLevel is the confidence level of the interval that is shown for the champion's
// rerun.
const shownLevel = .95

// aaRepeats is the first repeat number of the champion's reruns, far above the repeat
// numbers of the search; each run uses two numbers.
const aaRepeats = 1 << 16

// night is the state of one agent's night.
type night struct {
	Spec
	slots   *lane
	sample  Sample
	tasks   map[string]*bench.Task
	harness *bench.Harness
	breaker *bench.Breaker
	opened  Opened
	result  archive.AgentResult
	allowance
	// got counts the evaluations of this process. Once the stage that compares the
	// champion with itself is over, aa is the number of evaluations in that stage.
	got atomic.Int64
	aa  *int
	// blocking names the policy limit for which evaluations were waiting when their time
	// was up; mu guards it while evaluations are running.
	blocking string
	mu       sync.Mutex
	// replay reports whether a resumed search is repeated from its beginning.
	replay bool
	// refused holds the refusals that keep variants out of the confirmation, and bar is the
	// estimate that other variants must beat.
	refused []refusal
	bar     bar
	// leftOut holds the versions of code that [LeftOut] names. unsearched holds the
	// versions in leftOut that are in the space. deceiving holds the versions in leftOut
	// that deceive their measurement; the value is true if a gate refused that version
	// itself.
	leftOut    map[agent.ConfigID]archive.LeftOut
	deceiving  map[agent.ConfigID]bool
	unsearched []mutate.LeftOut
	// values holds the values of versions of searched code; it is nil for other agents.
	values *Values
	// barred contains the variants that look better but are excluded because a person
	// refused a proposal. The variants are keyed by that proposal.
	barred map[string][]agent.ConfigID
	// inert holds the parameters that the model was found not to accept.
	inert inert
	// earlier holds the evaluations of earlier nights that the search learns from, without
	// their transcripts, for the briefs to models. It is nil if there are no models, or if
	// the agent's answers have randomness.
	earlier map[caseID]bench.Evaluation
	// names is the set of variants that are already in the archive.
	names map[agent.ConfigID]bool
}

// Run runs an agent's night. Once the plan has been written, Run stores a result even if
// the night fails; a returned error ends the run.
func Run(ctx context.Context, s Spec) (Outcome, error) {
	n := newNight(s)
	ctx, span := telemetry.Start(ctx, "agent")
	defer span.End()
	span.Text(telemetry.AgentName, s.Agent.ID)
	err := n.work(ctx)
	span.Text(telemetry.Outcome, string(n.result.Verdict))
	if err != nil {
		span.Fail("ended")
	}
	return Outcome{Result: n.result, Blocking: n.blocking}, err
}

// newNight returns the night for a spec, with the fields that only a night needs.
func newNight(s Spec) *night {
	if s.Slots == nil {
		s.Slots = NewSlots(s.Run.Concurrency)
	}
	if s.Running == nil {
		s.Running = new(sync.Mutex)
	}
	return &night{Spec: s, slots: &lane{Slots: s.Slots}}
}

// work runs all stages and stores their records.
func (n *night) work(ctx context.Context) error {
	if err := n.open(ctx); err != nil {
		return err
	}
	defer func() {
		if err := n.opened.Close(); err != nil {
			n.Log.Warn("the agent could not be closed", "agent", n.Agent.ID, "error", err)
		}
	}()
	n.result = archive.AgentResult{Run: n.Run.ID, Agent: n.Agent.ID, Verdict: archive.Undecided, Resumed: n.Run.Resumed}
	var err error
	if n.result.Reference, err = n.reference(ctx); err != nil {
		n.record(ctx, err)
		return err
	}
	ended := n.stages(ctx)
	if ended == nil {
		ended = n.findMetricFirst(ctx)
	}
	n.record(ctx, ended)
	if streaks, why := n.breaker.Strayed(); streaks > 0 {
		n.result.Strayed = cmp.Or(why, "no reason given")
	}
	if failed, first := n.harness.GraderFailures(); failed > 0 {
		n.result.Warnings = append(n.result.Warnings, fmt.Sprintf("a grader failed %d times, and each affected evaluation was repeated or counts as missing; the first reason: %s", failed, first))
	}
	if ended != nil && n.result.Reason == "" {
		n.setCause(stats.CauseEnded, "the run ended before there was anything to decide")
		if errors.As(ended, new(*bench.SpentError)) || errors.Is(ended, bench.ErrOutage) {
			n.result.Reason = ended.Error()
		}
	}
	if n.result.Verdict != archive.Waits { // otherwise the confirmation has set the verdict
		n.markWaiting(nil)
	}
	return n.store(context.WithoutCancel(ctx), ended)
}

// store writes the records of a night that ended with the given error, which may be nil,
// and returns that error joined with any errors of the archive.
func (n *night) store(ctx context.Context, ended error) error {
	if err := n.Archive.Flush(ctx); err != nil && ended == nil {
		ended = fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	if err := n.Archive.PutPlan(ctx, *n.Plan); err != nil { // the plan as it was executed
		return errors.Join(ended, fmt.Errorf("%w: recording the plan: %w", bench.ErrRecorder, err))
	}
	if err := n.measureJudges(ctx); err != nil && ended == nil {
		ended = err
	}
	n.result.Finished = ended == nil
	if ended == nil { // a resumed run does not measure its limits or phases again
		n.result.Resumed = 0 // a finished result does not depend on the processes that made it
		n.Running.Lock()
		err := n.Archive.PutRun(ctx, *n.Run)
		n.Running.Unlock()
		if err != nil {
			return fmt.Errorf("%w: recording the run: %w", bench.ErrRecorder, err)
		}
	}
	if err := n.Archive.PutResult(ctx, n.result); err != nil {
		return errors.Join(ended, fmt.Errorf("%w: recording the result: %w", bench.ErrRecorder, err))
	}
	return ended
}

// open prepares the agent, its harness and its share, and writes the plan.
func (n *night) open(ctx context.Context) error {
	// No process uses the files that a crashed run left behind.
	if err := os.RemoveAll(n.Scratch); err != nil {
		return fmt.Errorf("%w: clearing the working directories: %w", bench.ErrRecorder, err)
	}
	if err := os.MkdirAll(n.Scratch, 0o700); err != nil {
		return fmt.Errorf("%w: creating the working directories: %w", bench.ErrRecorder, err)
	}
	opened, err := n.Open(ctx, n.Scratch)
	if err != nil {
		return fmt.Errorf("agent %s: %w", n.Agent.ID, err)
	}
	n.opened = opened
	n.Plan.Sandbox = opened.Sandbox
	n.sample = n.Agent.Sample()
	n.tasks = make(map[string]*bench.Task, len(n.sample.dirs))
	for t := range n.sample.dirs {
		n.tasks[t.ID] = t
	}
	n.names = map[agent.ConfigID]bool{}
	judged, err := n.judged(ctx)
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	grade, err := n.Grading(n.Agent.Suites, opened.Judge, judged)
	if err != nil {
		return errors.Join(fmt.Errorf("agent %s: %w", n.Agent.ID, err), opened.Close())
	}
	if err := n.beginTurn(ctx); err != nil {
		return errors.Join(err, opened.Close())
	}
	patience := n.Patience
	patience.ChampionAlone = n.Agent.Hunks // many versions of source code do not run
	n.breaker = bench.NewBreaker(patience, n.Plan.Champion, n.Sleep)
	lost := n.Lost
	if opened.Elsewhere {
		lost = nil
	}
	n.harness = bench.NewHarness(bench.Settings{
		Run: n.Run.ID, Agent: n.Agent.ID, Identity: opened.cacheIdentity(), Limits: n.Settings.Limits,
		Seed: n.Run.Seed, UsesSeed: n.Agent.UsesSeed || !n.Agent.Deterministic, Scratch: n.Scratch, AlwaysWorkdir: opened.Workdir,
		SuiteDir: func(t *bench.Task) string { return n.sample.dirs[t] }, KeepTranscripts: true, User: opened.Judge, Scrub: n.Scrub, Lost: lost, Drain: n.Drain,
	}, opened.Agent, grade, recorder(n.Archive, opened.Recorded), n.Budget, n.breaker, n.Now)
	err = n.Archive.PutPlan(ctx, *n.Plan)
	if err == nil {
		err = n.Archive.PutQuestions(ctx, n.questions())
	}
	if err != nil {
		return errors.Join(fmt.Errorf("recording the plan: %w", err), opened.Close())
	}
	return nil
}

// questions returns the requests and expected answers of the holdout tasks, with
// credentials removed, for the person who reads the report.
func (n *night) questions() []archive.Question {
	scrub := n.Scrub
	if scrub == nil {
		scrub = func(s string) string { return s }
	}
	out := make([]archive.Question, len(n.sample.Holdout))
	for i, t := range n.sample.Holdout {
		goal, expected := t.Question()
		out[i] = archive.Question{SuiteHash: n.Plan.SuiteHash, Task: t.ID, Goal: scrub(goal), Expected: scrub(expected)}
	}
	return out
}

// stages runs the stages in order.
func (n *night) stages(ctx context.Context) error {
	if len(n.sample.Search) == 0 {
		n.setCause(stats.CauseNoTasks, "the suite has no search tasks")
		n.result.Incomplete = n.result.Reason
		return nil
	}
	if err := n.putVariant(ctx, archive.Variant{ID: n.Plan.Champion, Config: n.Agent.Champion, Operator: "champion"}, nil); err != nil {
		return err
	}
	n.replan()
	phase := n.Now()
	err := stage(ctx, bench.StageAA, n.rerunChampion)
	phase = n.phase("aa", phase)
	if err := n.explain("measuring the champion against itself", err); err != nil {
		return err
	}
	if err := n.leaveOut(ctx); err != nil {
		return err
	}
	if err := n.findLeftOut(ctx, n.Run.ID); err != nil {
		return err
	}
	if n.Plan.Search < 1 {
		n.incomplete(n.bindingNoun() + " left no evaluations for the agent")
		return nil
	}
	n.renew()
	var rec *mutate.Recommendation
	err = stage(ctx, bench.StageSearch, func(ctx context.Context) (err error) {
		rec, err = n.search(ctx)
		return err
	})
	phase = n.phase("search", phase)
	if err := n.explain("the search", err); err != nil {
		return err
	}
	if err := n.prune(ctx, rec); err != nil {
		return err
	}
	if n.Plan.Confirm > 0 { // if no evaluations are planned for the confirmation, the evaluations of the search decide
		if err := n.reallocate(ctx, rec); err != nil {
			return err
		}
		n.reserve(n.Plan.Confirm)
		n.renew()
		err = stage(ctx, bench.StageAblate, func(ctx context.Context) error { return n.ablate(ctx, rec) })
		phase = n.phase("ablate", phase)
		if err := n.explain("the ablation of the finalists", err); err != nil {
			return err
		}
		if err = n.readValues(ctx, true); err == nil {
			err = n.oneEach(ctx, rec)
		}
		if err != nil {
			return err
		}
	}
	n.replanConfirmation()
	switch {
	case n.Plan.Confirm == 0:
		n.setCause(n.unconfirmed())
		return nil
	case n.unfixed():
		return nil
	}
	n.reserve(0)
	n.renew()
	err = stage(ctx, bench.StageConfirm, func(ctx context.Context) error { return n.confirm(ctx, rec) })
	if n.blocking != "" && n.result.Blocks == 0 && n.result.Verdict == archive.Undecided {
		n.setCause(n.unconfirmed())
	}
	n.phase("confirm", phase)
	return n.explain("the confirmation", err)
}

// stage does the work of a stage in a span.
func stage(ctx context.Context, name bench.Stage, work func(context.Context) error) error {
	ctx, span := telemetry.Start(ctx, "stage "+string(name))
	defer span.End()
	span.Text(telemetry.Stage, string(name))
	err := work(ctx)
	if err != nil {
		span.Fail("ended")
	}
	return err
}

// setCause records the single cause of a verdict that is reached without a confirmation.
func (n *night) setCause(kind stats.CauseKind, sentence string) {
	n.result.Reason, n.result.Causes = sentence, []stats.Cause{{Kind: kind, Sentence: sentence}}
}

// unfixed reports whether repeats of the champion differ although the agent is fixed, and
// records that as the cause: a confirmation that treats every difference as exact would
// claim effects that chance explains.
func (n *night) unfixed() bool {
	if n.opened.Varies == nil || !n.Agent.Fixed() {
		return false
	}
	how := n.opened.Varies()
	if how == "" {
		return false
	}
	n.result.Verdict, n.result.Winner, n.result.Finalist, n.result.Grounds = archive.Undecided, "", nil, nil
	n.setCause(stats.CauseVaries, "nothing was confirmed: repeats were assumed to give the same result, but they do not ("+how+"); the next night allows for random variation")
	return true
}

// unconfirmed returns the reason why there was no confirmation.
func (n *night) unconfirmed() (stats.CauseKind, string) {
	switch {
	case n.Plan.HoldoutTasks == 0:
		return stats.CauseNoHoldout, "the suite has no holdout tasks, so nothing could be confirmed"
	case n.Settings.SearchOnly:
		return stats.CauseSearchOnly, "only a search was requested, so nothing was confirmed on the holdout"
	}
	if n.blocking != "" {
		return stats.CauseNoBudget, "there was no time to run each held-out task once with each of the two variants: evaluations waited because of a limit under policies: " + n.blocking
	}
	return stats.CauseNoBudget, n.bindingNoun() + " left no room to run each held-out task once with each of the two variants"
}

// explain determines what a stage's end means for the run: exhausting the run's own budget
// is not an error, but everything else is. If a budget set by the policies is spent, work
// on this agent ends, because the agent would behave differently without the calls that the
// budget pays for.
func (n *night) explain(stage string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.As(err, new(*bench.SpentError)):
		n.incomplete(stage + " was cut short: " + err.Error())
		return err
	case errors.As(err, new(*bench.WaitedError)):
		n.incomplete(stage + " was cut short: " + err.Error())
		return nil
	case errors.Is(err, bench.ErrBudget):
		n.incomplete(stage + " was cut short by " + n.bindingNoun())
		return nil
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		n.incomplete(stage + " was interrupted")
		return ErrInterrupted
	}
	n.incomplete(stage + " failed: " + err.Error())
	return err
}

// bindingNoun names the limit that now leaves the agent the fewest evaluations.
func (n *night) bindingNoun() string {
	n.measure()
	return n.bindingLimit(n.made()).Limit.Noun()
}

// incomplete stores the reason why a stage is not complete.
func (n *night) incomplete(text string) {
	if n.result.Incomplete != "" {
		n.result.Incomplete += "; "
	}
	n.result.Incomplete += text
}

// phase adds the time since the phase began to the run's record, and returns the present
// time.
func (n *night) phase(name string, since time.Time) time.Time {
	now := n.Now()
	n.took(name, now.Sub(since))
	return now
}

func (n *night) took(name string, d time.Duration) {
	n.Running.Lock()
	defer n.Running.Unlock()
	if n.Run.Phases == nil {
		n.Run.Phases = map[string]time.Duration{}
	}
	n.Run.Phases[name] += d
}

// putVariant stores a variant and how it was made, unless the night has already stored it.
func (n *night) putVariant(ctx context.Context, v archive.Variant, m *archive.Mutation) error {
	if n.names[v.ID] {
		return nil
	}
	v.Agent, v.Run, v.Time = n.Agent.ID, n.Run.ID, n.Now()
	if _, err := n.Archive.RecordVariant(ctx, v, m); err != nil {
		return fmt.Errorf("%w: recording a variant: %w", bench.ErrRecorder, err)
	}
	n.names[v.ID] = true
	return nil
}

// evaluate makes one evaluation as soon as a slot is free.
func (n *night) evaluate(ctx context.Context, job bench.Job) (bench.Evaluation, error) {
	if err := n.slots.take(ctx, n.Drain); err != nil {
		return bench.Evaluation{}, err
	}
	defer n.slots.give()
	e, err := n.harness.Evaluate(ctx, job)
	if err == nil {
		n.got.Add(1)
	}
	var waited *bench.WaitedError
	if errors.As(err, &waited) {
		n.mu.Lock()
		n.blocking = waited.Policy
		n.mu.Unlock()
	}
	return e, err
}

// parallel returns the maximum number of concurrent evaluations.
func (n *night) parallel() int { return n.least(max(1, n.Run.Concurrency)) }

// paced returns the number of concurrent evaluations that the night is sure to have. If
// nights run side by side, this is the night's part of the slots; the night gets more
// slots once other nights are over.
func (n *night) paced() int { return n.least(PartOf(n.Run.Concurrency, n.Beside)) }

// PartOf returns how many of the given number of concurrent evaluations each night gets
// when several nights (beside) run side by side. Each night gets at least one.
func PartOf(concurrency, beside int) int { return max(1, concurrency/max(1, beside)) }

// least returns the number c of concurrent evaluations, limited to what the agent allows.
func (n *night) least(c int) int {
	if n.opened.Parallel > 0 {
		return min(c, n.opened.Parallel)
	}
	return c
}

// scored converts an estimate to the form that the archive stores.
func scored(e mutate.Estimate) archive.ScoredVariant {
	return archive.ScoredVariant{
		Variant: e.Variant, Config: e.Config, Score: finite(e.Score), Lo: finite(e.Lo), Hi: finite(e.Hi), Evaluations: e.Evaluations,
		CostUSD: finite(e.CostUSD), Seconds: finite(e.Seconds), Breaks: e.Breaks,
	}
}

// finite replaces numbers that JSON cannot represent with 0.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
