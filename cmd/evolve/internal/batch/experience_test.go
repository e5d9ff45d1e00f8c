package batch

import (
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// TestAPlanNamesTheExperience tests that the plan of a built-in agent names what its turns in
// use have shown, so that a run under another experience is another run, and that it is as
// before without any, and for an agent that reads none.
func TestAPlanNamesTheExperience(t *testing.T) {
	w, store := toyWorkspace(t, 40), archive.OpenMemory()
	plan := func() archive.AgentPlan {
		p, err := Prepare(t.Context(), toyOptions(w, store, toyAgent(40), 100))
		if err != nil {
			t.Fatal(err)
		}
		return p.Agents[0]
	}
	learn := func() {
		turn := &experience.Turn{Domain: "north", Outcome: agent.OK, Time: time.Unix(1, 0), Calls: []experience.Call{{Tool: "grep", Outcome: agent.OK}}}
		if _, err := store.PutTurn(t.Context(), archive.TurnRecord{Agent: "toy", Outcome: agent.OK}, nil, turn); err != nil {
			t.Fatal(err)
		}
	}
	none := plan()
	learn()
	one, same := plan(), plan()
	learn()
	two := plan()
	if none.Experience != "" || one.Experience == "" || one.Experience == two.Experience {
		t.Errorf("experiences %q, %q, %q", none.Experience, one.Experience, two.Experience)
	}
	if none.Run == one.Run || one.Run != same.Run || one.Run == two.Run {
		t.Errorf("runs %s, %s, %s, %s", none.Run, one.Run, same.Run, two.Run)
	}
	w.Agents[0].Adapter.Kind = workspace.KindCommand
	if p := plan(); p.Experience != "" {
		t.Errorf("a program has the experience %q", p.Experience)
	}
}
