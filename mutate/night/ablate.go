package night

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/ablation"
	"evolve/mutate/operator"
	"evolve/runtime/agent"
)

const (
	// ablateShare is the share of the search's evaluations, money and time that is used for
	// the ablation of finalists.
	ablateShare = .1
	// mostAblate is the maximum share for the ablation; the ablation gets more than
	// ablateShare, up to this share, if there are many changes.
	mostAblate = .25
	// leastSearched is the number of evaluations per task that are reserved for the search
	// before the ablation gets more than ablateShare.
	leastSearched = 20
	// leastAblate is the minimum number of evaluations in an ablation stage. With fewer
	// evaluations, finalists of an agent with randomness stay unchanged.
	leastAblate = 20
)

// ablateNeed estimates the number of evaluations needed for the ablation of finalists with
// the given number of changes. An agent without randomness needs a few runs on every task
// (of the finalist, of groups of changes and of the remaining changes), and an evaluation
// on a few tasks for each change that is tried alone. In measurements, 12 changes on 60
// tasks took 200 to 350 evaluations, and 20 changes on 100 tasks took 900 to 1,300 if every
// change had an effect on some task. An agent with randomness needs about as many
// evaluations as are needed to show an effect of a tenth.
func ablateNeed(changes, tasks int, fixed bool) int {
	if !fixed {
		return ablateEach * changes
	}
	return tasks*(4+changes/4) + 6*changes
}

// finerNeed estimates the number of additional evaluations needed to ablate the parts of
// hunks: three checks on all tasks, and for each of 64 parts one evaluation that shows that
// it matters. More parts are tried as long as evaluations remain.
func finerNeed(tasks int) int { return 3*tasks + 64 }

// ablateEach is the number of evaluations per change for an agent with randomness. With 8
// changes, 500 evaluations revert nine out of ten changes without an effect and lose a
// tenth of the gain; 200 evaluations lose more.
const ablateEach = 40

// ablate ablates every finalist before it may enter the confirmation. The finalists that
// may enter tonight share the evaluations planned for the ablation. Decisions about the
// other finalists, and all decisions once these evaluations are spent, are based on the
// search's own evaluations, but only if a comparison on another finalist has confirmed such
// decisions or the agent has no randomness. A finalist that has already entered stays
// unchanged, because its evidence belongs to its config.
func (n *night) ablate(ctx context.Context, rec *mutate.Recommendation) error {
	if !n.Agent.reduces() {
		return nil
	}
	entered, err := n.entered(ctx)
	if err != nil || len(rec.Finalists) == 0 {
		return err
	}
	m, err := n.newMinimisation(ctx)
	if err != nil {
		return err
	}
	ended := m.settle(ctx, rec, entered)
	if ended != nil && !errors.Is(ended, bench.ErrBudget) {
		return ended
	}
	var finalists []mutate.Estimate
	seen := map[agent.ConfigID]bool{}
	turns := n.toAblate(rec, entered)
	for _, f := range rec.Finalists {
		if !entered[f.Variant] {
			budget := 0
			if len(turns) > 0 && turns[0].Variant == f.Variant {
				if ended == nil {
					budget = m.share(turns)
				}
				turns = turns[1:]
			}
			if f, err = m.ablate(ctx, f, budget); err != nil {
				ended = errors.Join(ended, err)
				if !errors.Is(err, bench.ErrBudget) {
					return ended
				}
			}
		}
		if !seen[f.Variant] {
			finalists = append(finalists, f)
		}
		seen[f.Variant] = true
	}
	if n.Share.adaptive() && errors.Is(ended, bench.ErrBudget) {
		ended = nil // the ablation's part of the money or the time is used up; the confirmation has its own part
	}
	rec.Finalists = finalists
	// The confirmation reads its candidates from the archive.
	if err := n.Archive.Flush(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	return ended
}

// share returns the number of evaluations for the first of the given finalists. For an
// agent without randomness it is the number of all remaining evaluations, because those
// that the first finalist does not need go to the next. If texts are divided into hunks,
// there can be more parts than evaluations, so the first finalist gets half of the
// evaluations if others follow. For an agent with randomness, more evaluations always help,
// so each finalist gets a share proportional to the number of its changes.
func (m *minimisation) share(finalists []mutate.Estimate) int {
	switch {
	case m.Agent.Fixed() && m.Agent.Hunks && len(finalists) > 1:
		return m.left / 2
	case m.Agent.Fixed():
		return m.left
	}
	var changes []int
	all := 0
	for _, f := range finalists {
		n := max(1, changedBy(f.Config, m.Agent.Champion))
		changes = append(changes, n)
		all += n
	}
	return m.left * changes[0] / all
}

// entered returns the variants that were entered into the confirmation against the current
// reference by an earlier run.
func (n *night) entered(ctx context.Context) (map[agent.ConfigID]bool, error) {
	out := map[agent.ConfigID]bool{}
	for c, err := range n.Archive.Candidates(ctx, n.Agent.ID) {
		if err != nil {
			return nil, fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		if c.Champion == n.Plan.Reference() && c.Void == "" && c.Run != n.Run.ID {
			out[c.Variant] = true
		}
	}
	return out, nil
}

// minimisation is the state that the ablations of all finalists share.
type minimisation struct {
	*night
	options ablation.Options
	known   *measurements
	// earlier counts, for each finalist, the evaluations that an interrupted run made.
	earlier map[agent.ConfigID]int
	// left is the number of remaining evaluations, told is the number of evaluations made
	// so far, and next is the next sequence number.
	left, told int
	next       int64
	// confirmed reports whether, for at least one finalist, a comparison has confirmed the
	// reversals that the model chose.
	confirmed bool
}

func (n *night) newMinimisation(ctx context.Context) (*minimisation, error) {
	m := &minimisation{night: n, known: newMeasurements(), left: n.Plan.Ablate, next: seqAblate, earlier: map[agent.ConfigID]int{}}
	if err := m.measure(ctx); err != nil {
		return nil, err
	}
	m.options = ablation.Options{
		Space: n.Agent.Space, Champion: n.Agent.Champion, Tasks: n.searchTasks(), Seed: n.Run.Seed, MaxRepeats: n.maxRepeats(), Known: m.known.all(),
		Hunks: n.Agent.Hunks, Smaller: n.Agent.Smaller,
	}
	m.options.Model = ablation.Model(m.options)
	return m, nil
}

// ablate reduces one finalist with at most budget evaluations. It returns the reduced
// finalist, or the finalist itself if nothing could be reverted.
func (m *minimisation) ablate(ctx context.Context, f mutate.Estimate, budget int) (mutate.Estimate, error) {
	o := m.options
	o.Winner, o.Budget, o.ByModel = f.Config, budget, m.confirmed
	a, err := ablation.New(o)
	if err != nil {
		return f, fmt.Errorf("ablating a finalist: %w", err)
	}
	if a.Changes() < 2 {
		return f, nil
	}
	d := &driver{
		searcher: a, concurrency: m.parallel(), lookahead: max(1, m.Run.Lookahead), ordered: m.Agent.Deterministic,
		begin: func(t mutate.Trial) error {
			t.Generation = f.Generation + 1
			return m.begin(ctx, t)
		},
		evaluate: func(t mutate.Trial) (bench.Evaluation, error) { return m.trial(ctx, t, m.next) },
		learn:    func(t mutate.Trial, e bench.Evaluation) { m.known.add(t, e.Scored, e.Score) },
		progress: func(told int) { m.report(Progress{Stage: "ablate", Done: m.told + told, Planned: m.Plan.Ablate}) },
	}
	ended := m.drained(d.run(m.Drain))
	r := a.Result()
	m.confirmed = m.confirmed || r.Compared && r.Small != r.Winner
	m.left -= r.Evaluations
	m.told += d.count
	m.next += int64(r.Evaluations)
	small := f
	if r.Small != f.Variant {
		small = smaller(f, r)
		err := m.begin(context.WithoutCancel(ctx), mutate.Trial{
			Variant: small.Variant, Config: small.Config, Parents: small.Parents, Operator: small.Operator, Generation: small.Generation, Rationale: small.Rationale,
		})
		if err != nil {
			return f, err
		}
	}
	record := m.ablationRecord(r)
	record.Evaluations += m.earlier[f.Variant]
	record.Untried = untriedBy(r, record.Evaluations, m.Plan.Ablate)
	m.result.Ablations = append(m.result.Ablations, record)
	return small, ended
}

// untriedBy returns the reason why some of the changes that stay were not tried alone, or
// "" if all of them were. made is the number of evaluations that the finalist's ablation
// made, and planned is the number planned for the whole stage.
func untriedBy(r ablation.Result, made, planned int) archive.Untried {
	switch {
	case !slices.ContainsFunc(r.Effects, func(e ablation.Effect) bool { return e.Untried }):
		return ""
	case planned == 0:
		return archive.UntriedUnplanned
	case made > 0:
		return archive.UntriedEnded
	case r.Short:
		return archive.UntriedShort
	}
	return archive.UntriedEnough
}

// measure reads the evaluations on search tasks that this run has made. In ordered mode it
// leaves out evaluations that an interrupted run made in this stage, because the stage is
// replayed and finds them again by their keys. Otherwise, those evaluations count against
// the budget.
func (m *minimisation) measure(ctx context.Context) error {
	variants := map[agent.ConfigID]archive.Variant{}
	for e, err := range m.Archive.Evaluations(ctx, m.Run.ID, m.Agent.ID) {
		if err != nil {
			return fmt.Errorf("ablating the finalists: %w", err)
		}
		ablate := e.Stage == bench.StageAblate
		if ablate && m.replay || !ablate && e.Stage != bench.StageSearch && e.Stage != bench.StageBaseline {
			continue
		}
		v, ok := variants[e.Variant]
		if !ok {
			if v, err = m.Archive.Variant(ctx, m.Agent.ID, e.Variant); err != nil {
				return fmt.Errorf("ablating the finalists: %w", err)
			}
			variants[e.Variant] = v
		}
		if ablate {
			m.next = max(m.next, e.Seq+1)
			m.left = max(0, m.left-1)
			if len(v.Parents) > 0 {
				m.earlier[v.Parents[0]]++
			}
		}
		m.known.add(mutate.Trial{Variant: e.Variant, Config: v.Config, Task: e.Task, Repeat: e.Repeat}, e.Scored, e.Score)
	}
	return nil
}

// ablationRecord converts a result to the form in which the archive stores it.
func (n *night) ablationRecord(r ablation.Result) archive.Ablation {
	out := archive.Ablation{Winner: r.Winner, Small: r.Small, Reverted: r.Reverted, Evaluations: r.Evaluations, Reason: r.Reason}
	for _, e := range r.Effects {
		out.Effects = append(out.Effects, archive.ParamEffect{
			Param: e.Param, Difference: finite(e.Difference), Lo: finite(e.Lo), Hi: finite(e.Hi), Evaluations: e.Evaluations, Shown: e.Shown, Untried: e.Untried,
		})
	}
	for _, p := range r.Parts {
		part := archive.AblationPart{Name: p.Name, Alone: p.Alone, Without: p.Without}
		if n.Agent.Place != nil && p.Line > 0 {
			part.Place = n.Agent.Place(n.Agent.Champion, p.Param, p.Line)
		}
		out.Parts = append(out.Parts, part)
	}
	return out
}

// smaller returns the estimate for a reduced finalist: the finalist's estimate minus the
// estimated loss. It is never higher than the finalist's estimate, and no score in it is
// below 0.
func smaller(winner mutate.Estimate, r ablation.Result) mutate.Estimate {
	out := winner
	loss := max(0, finite(r.Loss.Mean))
	out.Variant, out.Config = r.Small, r.Config
	out.Score, out.Lo, out.Hi, out.Gain = max(0, winner.Score-loss), max(0, winner.Lo-loss), max(0, winner.Hi-loss), winner.Gain-loss
	out.Parents, out.Operator, out.Generation = []agent.ConfigID{winner.Variant}, ablation.Operator, winner.Generation+1
	out.Rationale, out.Evaluations = "undone: "+strings.Join(r.Reverted, ", "), r.Seen
	return out
}

// searchTasks returns the search tasks, with only the fields that a search may see.
func (n *night) searchTasks() []mutate.Task {
	tasks := make([]mutate.Task, len(n.sample.Search))
	shows := slices.ContainsFunc(n.Agent.Space.Params, operator.Demonstrates)
	for i, t := range n.sample.Search {
		tasks[i] = mutate.Task{ID: t.ID, Domain: t.Domain, Cluster: t.Unit(), Weight: t.Importance()}
		if !shows || !t.SelfContained() {
			continue
		}
		tasks[i].Request = t.Request()
		if t.Answer != nil {
			tasks[i].Answer = *t.Answer
		}
	}
	return tasks
}

// maxRepeats returns the maximum number of repeats of a config on a task: 1 if a repeat
// yields no new evidence, otherwise 0, which means no limit.
func (n *night) maxRepeats() int {
	if n.Agent.Fixed() {
		return 1
	}
	return 0
}
