package night

import (
	"context"
	"fmt"
	"slices"

	"evolve/bench"
	"evolve/bench/stats"
)

// measureJudges records the noise and the cost of the judges in this night's evaluations.
func (n *night) measureJudges(ctx context.Context) error {
	if n.opened.Judge == nil {
		return nil
	}
	var noise stats.JudgeNoise
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return fmt.Errorf("reading the grades of judges: %w", err)
		}
		addGrades(&noise, &e)
	}
	if noise.Any() {
		n.result.Judges = &noise
	}
	return nil
}

// judged returns the evaluations of this run that judges graded before it was resumed. They
// are needed because a judgement that was paid for is not requested again.
func (n *night) judged(ctx context.Context) ([]bench.Evaluation, error) {
	if n.opened.Judge == nil || n.Run.Resumed == 0 {
		return nil, nil
	}
	var out []bench.Evaluation
	for e, err := range n.Archive.Evaluations(ctx, n.Run.ID, n.Agent.ID) {
		if err != nil {
			return nil, fmt.Errorf("reading the grades of judges: %w", err)
		}
		if slices.ContainsFunc(e.Grades, func(g bench.Grade) bool { return g.Samples > 0 }) {
			out = append(out, e)
		}
	}
	return out, nil
}

// addGrades adds the grades of an evaluation to the noise of judges.
func addGrades(noise *stats.JudgeNoise, e *bench.Evaluation) {
	if !e.Cached {
		noise.Calls += int64(e.Judge.Iterations)
		noise.USD += e.Judge.CostUSD
	}
	if !e.Scored {
		return
	}
	draws := make([]stats.Draws, len(e.Grades))
	for i, g := range e.Grades {
		draws[i] = stats.Draws{Weight: g.Weight, SD: g.SD, Samples: g.Samples}
	}
	noise.Add(draws)
}
