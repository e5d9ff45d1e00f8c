package nightly

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/mutate"
	"evolve/mutate/ablation"
	"evolve/runtime/agent"
)

const (
	// ablateShare of the search's evaluations, money and time is for making its winner small.
	ablateShare = .1
	// leastAblate is the least number of evaluations that can tell anything.
	leastAblate = 20
)

// minimise makes the best finalist small on the search tasks, and puts what is left of
// it in its place, as far as it got. A finalist that has entered the confirmation already
// stays as it is: its evidence is its own.
func (n *night) minimise(ctx context.Context, rec *mutate.Recommendation) error {
	at, err := n.toMinimise(ctx, rec)
	if err != nil || at < 0 {
		return err
	}
	winner := rec.Finalists[at]
	known, next, err := n.measured(ctx)
	if err != nil {
		return err
	}
	a, err := ablation.New(ablation.Options{
		Space: n.agent.Space, Champion: n.agent.Champion, Winner: winner.Config, Tasks: n.searchTasks(), Budget: n.plan.Ablate,
		Seed: n.run.Seed, MaxRepeats: n.maxRepeats(), Known: known,
	})
	if err != nil {
		return fmt.Errorf("making the winner small: %w", err)
	}
	if a.Changes() < 2 {
		return nil
	}
	d := &drive{
		searcher: a, concurrency: n.parallel(), lookahead: max(1, n.o.Lookahead), ordered: n.agent.Deterministic,
		begin: func(t mutate.Trial) error {
			t.Generation = winner.Generation + 1
			return n.begin(ctx, t)
		},
		evaluate: func(t mutate.Trial) (bench.Evaluation, error) { return n.trial(ctx, t, next) },
		told:     func(told int) { n.report(Progress{Stage: "ablate", Done: told, Planned: n.plan.Ablate}) },
	}
	ended := d.run(n.o.Drain)
	if errors.Is(ended, context.Canceled) && n.o.Drain.Err() != nil {
		ended = ErrInterrupted
	}
	// The confirmation looks its candidates up.
	if err := n.o.Archive.Flush(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("%w: %w", bench.ErrRecorder, err)
	}
	r := a.Result()
	n.result.Ablation = ablationRecord(r)
	if r.Small != winner.Variant {
		rec.Finalists[at] = smaller(winner, r)
	}
	return ended
}

// toMinimise is the index of the finalist to make small: the best one, if the
// confirmation may take it up and has not done so yet; −1 for none.
func (n *night) toMinimise(ctx context.Context, rec *mutate.Recommendation) (int, error) {
	if len(rec.Finalists) == 0 {
		return -1, nil
	}
	best := rec.Finalists[0]
	// The confirmation takes up nobody whose lead is below a standard deviation (spec 9.2).
	if !(best.Gain > 0) || best.Gain < best.SD {
		return -1, nil
	}
	for c, err := range n.o.Archive.Candidates(ctx, n.agent.ID) {
		if err != nil {
			return -1, fmt.Errorf("%w: reading the candidates: %w", bench.ErrRecorder, err)
		}
		if c.Variant == best.Variant && c.Champion == n.plan.Champion && c.Void == "" && c.Run != n.run.ID {
			return -1, nil
		}
	}
	return 0, nil
}

// measured are the evaluations of search tasks that this run has made, and the first
// sequence number for others. In order, what an interrupted ablation has left is not
// among them: it is replayed, and found again by its keys.
func (n *night) measured(ctx context.Context) (known []mutate.Observation, next int64, err error) {
	next = seqAblate
	configs := map[agent.ConfigID]agent.Config{}
	for e, err := range n.o.Archive.Evaluations(ctx, n.run.ID, n.agent.ID) {
		if err != nil {
			return nil, 0, fmt.Errorf("making the winner small: %w", err)
		}
		switch e.Stage {
		case bench.StageSearch, bench.StageBaseline:
		case bench.StageAblate:
			if n.agent.Deterministic {
				continue
			}
			next = max(next, e.Seq+1)
		default:
			continue
		}
		if _, ok := configs[e.Variant]; !ok {
			v, err := n.o.Archive.Variant(ctx, n.agent.ID, e.Variant)
			if err != nil {
				return nil, 0, fmt.Errorf("making the winner small: %w", err)
			}
			configs[e.Variant] = v.Config
		}
		t := mutate.Trial{Variant: e.Variant, Config: configs[e.Variant], Task: e.Task, Repeat: e.Repeat, Stage: e.Stage}
		known = append(known, mutate.Observation{Trial: t, Scored: e.Scored, Score: e.Score})
	}
	return known, next, nil
}

// ablationRecord is a result as the archive keeps it.
func ablationRecord(r ablation.Result) *archive.Ablation {
	out := &archive.Ablation{Winner: r.Winner, Small: r.Small, Reverted: r.Reverted, Evaluations: r.Evaluations, Reason: r.Reason}
	for _, e := range r.Effects {
		out.Effects = append(out.Effects, archive.ParamEffect{
			Param: e.Param, Difference: finite(e.Difference), Lo: finite(e.Lo), Hi: finite(e.Hi), Evaluations: e.Evaluations,
		})
	}
	return out
}

// smaller is what is believed of a winner made small: what is believed of the winner, less
// what it was seen to lose, and never more.
func smaller(winner mutate.Estimate, r ablation.Result) mutate.Estimate {
	out := winner
	loss := max(0, -r.Loss.Difference)
	out.Variant, out.Config = r.Small, r.Config
	out.Score, out.Lo, out.Hi, out.Gain = winner.Score-loss, winner.Lo-loss, winner.Hi-loss, winner.Gain-loss
	out.Parents, out.Operator, out.Generation = []agent.ConfigID{winner.Variant}, ablation.Operator, winner.Generation+1
	out.Rationale, out.Evaluations = r.Reason, r.Seen
	return out
}

// searchTasks are the search tasks as far as a search may know them.
func (n *night) searchTasks() []mutate.Task {
	tasks := make([]mutate.Task, len(n.sides.search))
	for i, t := range n.sides.search {
		tasks[i] = mutate.Task{ID: t.ID, Domain: t.Domain, Cluster: t.Unit(), Weight: t.Importance()}
	}
	return tasks
}

// maxRepeats bounds the repeats of one (config, task): 1 where a repeat is no new
// evidence, 0 for no bound.
func (n *night) maxRepeats() int {
	if n.fixed() {
		return 1
	}
	return 0
}
