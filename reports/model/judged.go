package model

import (
	"context"
	"errors"
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// Judged returns what a run measured about an agent on the holdout: the verdict, the
// headline, the guards, the consumption and the latency of both sides. It computes these as
// [Build] does, but without the rest of a report, and reads only the evaluations of
// confirmations. Without a finalist there is no headline.
func Judged(ctx context.Context, src Source, run, name string) (Agent, VolatileAgent, error) {
	b := builder{ctx: ctx, src: src, run: archive.Run{ID: run}, variants: map[agent.ConfigID]archive.Variant{}}
	b.out.Agent, b.volatile.Agent = name, name
	var err error
	if b.plan, err = src.Plan(ctx, run, name); err == nil {
		b.result, err = src.Result(ctx, run, name)
	}
	if errors.Is(err, archive.ErrNotFound) {
		return b.out, b.volatile, nil
	}
	if err != nil {
		return b.out, b.volatile, fmt.Errorf("reading what run %s found for agent %s: %w", run, name, err)
	}
	b.finished, b.headline, b.tally = true, Leading(b.result), newTally(b.plan)
	if b.headline < 0 {
		return b.out, b.volatile, nil
	}
	if err := b.faces(run); err != nil {
		return b.out, b.volatile, err
	}
	if err := b.earlierFaces(); err != nil {
		return b.out, b.volatile, err
	}
	if err := b.compare(); err != nil {
		return b.out, b.volatile, err
	}
	b.sides()
	b.out.Decision.Verdict = b.result.Verdict
	return b.out, b.volatile, b.failed
}

// faces stores the evaluations of both sides of the headline in a run's confirmation.
func (b *builder) faces(run string) error {
	for e, err := range b.src.EvaluationsIn(b.ctx, run, b.out.Agent, bench.StageConfirm) {
		if err != nil {
			return err
		}
		b.face(e)
	}
	return nil
}

// earlierFaces adds the evaluations from the earlier nights that contribute to the
// evidence, and drops those of unfinished blocks.
func (b *builder) earlierFaces() error {
	for _, run := range b.result.Finalist[b.headline].Runs {
		if run == b.run.ID {
			continue
		}
		if err := b.faces(run); err != nil {
			return err
		}
	}
	b.tally.wholeBlocks(2 * b.plan.HoldoutTasks)
	return nil
}
