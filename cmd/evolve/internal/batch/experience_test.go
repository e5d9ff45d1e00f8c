package batch

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// TestAPlanNamesTheExperience tests that the plan of a built-in agent identifies what its
// live turns have shown, so a run with other experience is a different run. If there is no
// experience, or the agent does not read any, the plan identifies none.
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

// TestAResumedRunKeepsTheExperience tests that if turns end while a run is interrupted,
// the interrupted run remains the same run with the same experience, and that the next
// run has the new experience.
func TestAResumedRunKeepsTheExperience(t *testing.T) {
	w, store := toyWorkspace(t, 40), archive.OpenMemory()
	learn := func() {
		turn := &experience.Turn{Domain: "north", Outcome: agent.OK, Time: time.Unix(1, 0), Calls: []experience.Call{{Tool: "grep", Outcome: agent.OK}}}
		if _, err := store.PutTurn(t.Context(), archive.TurnRecord{Agent: "toy", Outcome: agent.OK}, nil, turn); err != nil {
			t.Fatal(err)
		}
	}
	night := func(after int) Summary {
		ctx, cut := context.WithCancelCause(t.Context())
		defer cut(nil)
		calls := 0
		o := toyOptions(w, store, inProcess(func(ctx context.Context, req agent.Request) agent.Result {
			if calls++; calls > after {
				cut(errors.New("power cut"))
				return agent.Result{Outcome: agent.Cancelled}
			}
			return toyAgent(40)(ctx, req)
		}), 200)
		o.Concurrency, o.Drain = 1, ctx
		s, err := Run(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	learn()
	first := night(40)
	first.Run.State, first.Run.Ended = archive.RunRunning, time.Time{}
	if err := store.PutRun(t.Context(), first.Run); err != nil {
		t.Fatal(err)
	}
	learn()
	second := night(math.MaxInt)
	if second.Run.ID != first.Run.ID || second.Run.Resumed != 1 || second.Plans[0].Experience != first.Plans[0].Experience {
		t.Errorf("run %s with %q went on as %s with %q", first.Run.ID, first.Plans[0].Experience, second.Run.ID, second.Plans[0].Experience)
	}
	frozen, err := store.FrozenExperience(t.Context(), "toy")
	if err != nil || frozen.Digest() != first.Plans[0].Experience {
		t.Errorf("evaluations read %q, the plan names %q: %v", frozen.Digest(), first.Plans[0].Experience, err)
	}
	if third := night(math.MaxInt); third.Run.ID == first.Run.ID || third.Plans[0].Experience == first.Plans[0].Experience {
		t.Errorf("run %s with the experience %q", third.Run.ID, third.Plans[0].Experience)
	}
}
