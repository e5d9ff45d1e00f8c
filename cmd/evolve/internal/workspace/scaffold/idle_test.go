package scaffold

import (
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
	"evolve/runtime/turn"
)

// TestIdleParametersDoNothing checks that the parameters that are listed as having no
// effect on the heuristic model have none: the agent gives the same answers for the
// smallest and the largest value of each.
func TestIdleParametersDoNothing(t *testing.T) {
	tr := newTrial(t)
	space := turn.DefaultSpace([]string{"engineering", "operations", "research"}, nil, nil)
	idle := turn.Idle(space, turn.Circumstances{Memories: 1})
	if len(idle) < 8 {
		t.Fatalf("only %d parameters are idle", len(idle))
	}
	least, most := space.Default(), space.Default()
	least["tools.cutoff"], most["tools.cutoff"] = 0., 0. // so that tools are activated as well
	for _, p := range space.Params {
		if idle[p.Name] == "" {
			continue
		}
		var err error
		if least[p.Name], err = p.Coerce(p.Min); err != nil {
			t.Fatal(err)
		}
		if most[p.Name], err = p.Coerce(p.Max); err != nil {
			t.Fatal(err)
		}
	}
	for i := range tr.suite.Tasks {
		if testing.Short() && i%4 > 0 {
			continue
		}
		task := &tr.suite.Tasks[i]
		one, two := tr.answer(task, least), tr.answer(task, most)
		if one != two {
			t.Errorf("%s: %q with the least values, %q with the greatest", task.ID, one, two)
		}
	}
}

// answer returns the agent's answer to a task under a config, or its outcome if there is
// none.
func (tr *trial) answer(task *bench.Task, c agent.Config) string {
	tr.t.Helper()
	res, _ := tr.run(task, c)
	if res.Answer == nil {
		return string(res.Outcome)
	}
	return *res.Answer
}
