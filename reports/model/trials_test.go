package model

import (
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/runtime/agent"
)

// TestEveryEvaluationOfAFixedAgentMeets checks that all evaluations of a task correspond
// if the agent always gives the same answer, and that for any other agent, evaluations in
// other repeats are named as such.
func TestEveryEvaluationOfAFixedAgentMeets(t *testing.T) {
	for _, c := range []struct {
		plan   archive.AgentPlan
		shared int
		reason string
	}{
		{archive.AgentPlan{Deterministic: true}, 3, "not confirmed: no finalist was evaluated on the holdout"},
		{archive.AgentPlan{Deterministic: true, UsesSeed: true}, 0, "tasks in common with the champion, but in other repeats"},
		{archive.AgentPlan{Deterministic: true, Noise: &metrics.Noise{Differ: 1}}, 0, "tasks in common with the champion, but in other repeats"},
	} {
		c.plan.Champion = "champion"
		b := builder{plan: c.plan, tally: newTally(c.plan), variants: map[agent.ConfigID]archive.Variant{"variant": {Number: 2}, "other": {Number: 3}}}
		add := func(id agent.ConfigID, stage bench.Stage, repeat int, score float64, tasks ...string) {
			for _, task := range tasks {
				b.tally.add(bench.Evaluation{Variant: id, Task: task, Stage: stage, Repeat: repeat, Scored: true, Score: score})
			}
		}
		add("champion", bench.StageAblate, 1, .5, "a", "b")
		add("champion", bench.StageAA, 90, .5, "c")
		add("variant", bench.StageSearch, 0, 1, "a", "b", "c")
		add("variant", bench.StageAblate, 0, 1, "a")
		add("other", bench.StageSearch, 0, 1, "d")
		r := b.rejection("variant")
		if r.Shared != c.shared || r.Evaluations != 4 || r.Difference != map[bool]float64{true: .5}[c.shared > 0] {
			t.Errorf("%+v: %+v", c.plan, r)
		}
		if got := b.stopped(r); got != c.reason {
			t.Errorf("%+v: %q", c.plan, got)
		}
		if got := b.stopped(b.rejection("other")); got != "no task in common with the champion" {
			t.Errorf("%+v: %q of a variant on other tasks", c.plan, got)
		}
	}
}
