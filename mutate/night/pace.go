package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"evolve/archive"
	"evolve/mutate/night/limits"
)

const (
	// paceNights is the maximum number of runs that are searched for an earlier pace.
	paceNights = 30
	// paceSample is the maximum number of evaluations from which a pace is computed.
	paceSample = 1000
)

// Known is an agent's pace in an earlier run.
type Known struct {
	limits.Pace
	Run   string
	Ended time.Time
}

// KnownPace returns the agent's latest recorded pace, converted to the given number of
// concurrent evaluations. It ignores runs with another version of the agent's folder or
// with other prices. An unknown pace has weight 0.
func KnownPace(ctx context.Context, a *archive.Archive, p *archive.AgentPlan, parallel int) (Known, error) {
	looked := 0
	for run, err := range a.Runs(ctx) {
		if err != nil {
			return Known{}, fmt.Errorf("reading the pace of earlier runs: %w", err)
		}
		if looked++; looked > paceNights {
			break
		}
		then, err := a.Plan(ctx, run.ID, p.Agent)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return Known{}, fmt.Errorf("reading the pace of earlier runs: %w", err)
		}
		if then.AgentHash != p.AgentHash || then.PricesHash != p.PricesHash {
			continue
		}
		k, err := paceOf(ctx, a, run, p.Agent, parallel)
		if err != nil || k.Weight > 0 {
			return k, err
		}
	}
	return Known{}, nil
}

// paceOf returns an agent's pace in a run, as the run recorded it or, if the run ended
// before it could do so, as computed from its evaluations.
func paceOf(ctx context.Context, a *archive.Archive, run archive.Run, agentID string, parallel int) (Known, error) {
	k := Known{Run: run.ID, Ended: run.Ended}
	then, slots := max(1, min(run.Reached, run.Concurrency)), run.Concurrency
	for _, l := range run.Limits {
		if l.Agent == agentID && l.Made > 0 {
			k.Pace = limits.Pace{Seconds: l.Seconds, Alone: l.Alone, USD: l.USD, Weight: float64(l.Made)}
			then, slots = max(1, l.Parallel), cmp.Or(l.Slots, run.Concurrency)
		}
	}
	if k.Weight == 0 {
		if err := paceOfEvaluations(ctx, a, run, agentID, &k); err != nil {
			return Known{}, err
		}
		k.Alone /= float64(then)
		k.Seconds = k.Alone
	}
	if then < slots {
		parallel = min(parallel, then) // the agent itself allows no more
	}
	k.Alone *= float64(then) / float64(max(1, parallel))
	k.Seconds = max(k.Alone, k.Seconds*float64(then)/float64(max(1, parallel)))
	return k, nil
}

// paceOfEvaluations computes an agent's pace in a run from the evaluations. Alone is the
// mean time of the evaluations with a score, including the time of their judges. The cost
// of one of these evaluations includes its share of the cost of evaluations that failed.
func paceOfEvaluations(ctx context.Context, a *archive.Archive, run archive.Run, agentID string, k *Known) error {
	for e, err := range a.Evaluations(ctx, run.ID, agentID) {
		if err != nil {
			return fmt.Errorf("reading the pace of earlier runs: %w", err)
		}
		if e.Cached {
			continue
		}
		k.USD += e.Paid()
		if !e.Scored {
			continue
		}
		k.Alone += (e.Latency + e.Judging).Seconds()
		k.Ended = e.Time
		if k.Weight++; k.Weight == paceSample {
			break
		}
	}
	if k.Weight > 0 {
		k.Alone /= k.Weight
		k.USD /= k.Weight
	}
	return nil
}
