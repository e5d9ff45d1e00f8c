package evidence

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// Of identifies the evaluations that are the evidence about a variant.
type Of struct {
	Agent string
	// Variant was measured against Against in the confirmations of Runs, in the order of
	// Runs.
	Variant, Against agent.ConfigID
	Runs             []string
}

// Assemble reads the evidence from all complete blocks. current is the run whose blocks
// count as tonight's.
func Assemble(ctx context.Context, a *archive.Archive, of Of, g archive.Grounds, current string) (*Collected, error) {
	list, err := completed(ctx, a, of, g.Tasks)
	if err != nil {
		return nil, err
	}
	out := newFor(g)
	out.take(list, current)
	return out, nil
}

// take adds blocks.
func (e *Collected) take(list []block, current string) {
	for _, one := range list {
		e.night = one.night
		for _, t := range e.order {
			e.Add(one.champion[t.ID], one.variant[t.ID])
		}
		e.blocks++
		if one.run == current {
			e.tonight++
		}
	}
}

// block holds the evaluations of one repeat of the holdout under the champion and under
// the variant, keyed by task.
type block struct {
	champion, variant map[string]bench.Evaluation
	// run is the run in which the block was evaluated, and night is the index of that run
	// in [Of].Runs.
	run   string
	night int
}

// complete reports whether every task was evaluated under both configs. Evaluations that
// have no score because of an infrastructure failure count as evaluated.
func (b block) complete(tasks []archive.GroundTask) bool {
	return !slices.ContainsFunc(tasks, func(t archive.GroundTask) bool {
		_, first := b.champion[t.ID]
		_, second := b.variant[t.ID]
		return !first || !second
	})
}

// completed returns the complete blocks, ordered by run and repeat.
func completed(ctx context.Context, a *archive.Archive, of Of, tasks []archive.GroundTask) ([]block, error) {
	var out []block
	for i, run := range of.Runs {
		found := map[int]block{}
		for e, err := range a.EvaluationsIn(ctx, run, of.Agent, bench.StageConfirm) {
			if err != nil {
				return nil, fmt.Errorf("reading the evidence of run %s: %w", run, err)
			}
			if e.Variant != of.Against && e.Variant != of.Variant {
				continue
			}
			one, ok := found[e.Repeat]
			if !ok {
				one = block{map[string]bench.Evaluation{}, map[string]bench.Evaluation{}, run, i}
				found[e.Repeat] = one
			}
			if e.Variant == of.Against {
				one.champion[e.Task] = e
			} else {
				one.variant[e.Task] = e
			}
		}
		for _, repeat := range slices.Sorted(maps.Keys(found)) {
			if one := found[repeat]; one.complete(tasks) {
				out = append(out, one)
			}
		}
	}
	return out, nil
}
