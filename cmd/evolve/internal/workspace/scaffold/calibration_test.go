package scaffold

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"evolve/bench"
	"evolve/runtime/agent"
)

// withDefaults completes values to a config in the agent's space.
func (tr *trial) withDefaults(values agent.Config) agent.Config {
	tr.t.Helper()
	all := map[string]any{}
	maps.Copy(all, values)
	c, problems := tr.agent.Space().Parse(all)
	if len(problems) > 0 {
		tr.t.Fatal(problems)
	}
	return c
}

// tuned returns a config that a person who knows the agent would choose.
func (tr *trial) tuned() agent.Config {
	tr.t.Helper()
	data, err := os.ReadFile("testdata/tuned.json")
	if err != nil {
		tr.t.Fatal(err)
	}
	var values agent.Config
	if err := json.Unmarshal(data, &values); err != nil {
		tr.t.Fatal(err)
	}
	return tr.withDefaults(values)
}

func TestTheDefaultIsBeatenFairly(t *testing.T) {
	tr := newTrial(t)
	byDefault, byTuned := tr.solved(tr.agent.Space().Default()), tr.solved(tr.tuned())
	if s := tr.share(byDefault, everyTask); s < .40 || s > .70 {
		t.Errorf("the default solves %.3f of the tasks, .40 to .70 are wanted", s)
	}
	for _, side := range []bench.Split{bench.Search, bench.Holdout} {
		d, g := tr.share(byDefault, of(side)), tr.share(byTuned, of(side))
		t.Logf("%s: default %.3f, tuned %.3f", side, d, g)
		if g < d+.10 {
			t.Errorf("%s: a good config solves %.3f, the default %.3f: at least .10 more is wanted", side, g, d)
		}
	}
	for domain := range domainsOf(tr.suite) {
		in := func(task *bench.Task) bool { return task.Domain == domain }
		d, g := tr.share(byDefault, in), tr.share(byTuned, in)
		t.Logf("%s: default %.3f, tuned %.3f", domain, d, g)
		if d < .2 || d > .8 {
			t.Errorf("%s: the default solves %.3f, .20 to .80 are wanted", domain, d)
		}
	}
}

func domainsOf(s *bench.Suite) map[string]bool {
	out := map[string]bool{}
	for i := range s.Tasks {
		out[s.Tasks[i].Domain] = true
	}
	return out
}

// TestParametersAreNotFree checks that no change of a parameter is free in this suite: a
// change that solves some tasks breaks others, in the same domain or in another.
func TestParametersAreNotFree(t *testing.T) {
	tr := newTrial(t)
	before := tr.solved(tr.agent.Space().Default())
	for _, c := range []struct {
		name         string
		change       agent.Config
		gained, lost int // at least
	}{
		{"recall more", agent.Config{"recall.min_score": .58}, 5, 5},
		{"call tools only when they fit", agent.Config{"tools.cutoff": .2}, 2, 4},
		{"iterate longer", agent.Config{"loop.max_iterations": int64(20)}, 2, 0},
		{"iterate less", agent.Config{"loop.max_iterations": int64(2)}, 0, 8},
		{"trust the newest", agent.Config{"strategy": "trust newest"}, 5, 1},
		{"count different items", agent.Config{"strategy": "count: distinct"}, 1, 1},
		{"full sentences", agent.Config{"strategy": "answer: full sentence"}, 2, 2},
		{"be strict", agent.Config{"strategy": "be strict"}, 2, 4},
		{"refer early", agent.Config{"strategy": "refer early"}, 1, 2},
		{"never calculate", agent.Config{"strategy": "never calculate"}, 0, 2},
		{"no subgoals", agent.Config{"decompose.enabled": false}, 1, 4},
		{"no self-check", agent.Config{"loop.self_check": false}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			after := tr.solved(tr.withDefaults(c.change))
			var gained, lost []string
			for i := range tr.suite.Tasks {
				switch id := tr.suite.Tasks[i].ID; {
				case after[id] && !before[id]:
					gained = append(gained, id)
				case before[id] && !after[id]:
					lost = append(lost, id)
				}
			}
			t.Logf("gained %d %v, lost %d %v", len(gained), gained, len(lost), lost)
			if len(gained) < c.gained || len(lost) < c.lost {
				t.Errorf("gained %d and lost %d, at least %d and %d are wanted", len(gained), len(lost), c.gained, c.lost)
			}
		})
	}
}

func TestTheAgentIsDeterministic(t *testing.T) {
	tr := newTrial(t)
	config := tr.tuned()
	again := newTrial(t)
	for i := range tr.suite.Tasks {
		a, _ := tr.run(&tr.suite.Tasks[i], config)
		b, _ := again.run(&again.suite.Tasks[i], config)
		if a.Outcome != b.Outcome || answerOf(a) != answerOf(b) || !slices.Equal(a.Transcript.Tools(), b.Transcript.Tools()) {
			t.Errorf("%s: %q after %v, then %q after %v", tr.suite.Tasks[i].ID,
				answerOf(a), a.Transcript.Tools(), answerOf(b), b.Transcript.Tools())
		}
	}
}

func answerOf(r agent.Result) string {
	if r.Answer == nil {
		return "(none)"
	}
	return *r.Answer
}
