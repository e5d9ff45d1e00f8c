package batch

import (
	"fmt"
	"testing"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
)

// best is the optimal config of toySpace.
func best() agent.Config {
	return agent.Config{"reach": 0.7, "steps": int64(16), "planner": "tree", "retrieve": true}
}

// TestWhatNothingNeedsToConfirmIsSearched checks that a search that finds nothing to
// confirm gets the evaluations, money and time that are reserved for the confirmation,
// except for one block. If the search does find something, the finding is confirmed with
// the whole share.
func TestWhatNothingNeedsToConfirmIsSearched(t *testing.T) {
	whole(t)
	for name, budget := range map[string]workspace.Budget{
		"evaluations": {Evaluations: 1000}, "money": {USD: 10}, "time": {Time: 25 * time.Second}, "all": {Evaluations: 1000, USD: 11, Time: 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			n := timed{each: 100 * time.Millisecond, cost: .01, tasks: 40, seed: 3, noisy: true, budget: budget, champion: best()}
			n.run(t, func(t *testing.T, s tells) {
				r, p := s.Results[0], s.Plans[0]
				used := n.counted(t, s)
				if r.Verdict != archive.Keep || r.Causes[0].Kind != stats.CauseNothing && r.Causes[0].Kind != stats.CauseBehind {
					t.Errorf("%s: %+v", r.Verdict, r.Causes)
				}
				least := 1000 - 2*2*p.HoldoutTasks
				if budget.Time > 0 {
					// At least the time that these evaluations take must pass, but fewer
					// evaluations may be made, because slots are idle whenever the search
					// waits for its last evaluations: before each of up to four releases,
					// and at its end.
					if passed := int(s.took/n.each) * timedParallel; passed < least {
						t.Errorf("time for %d of 1000 evaluations passed", passed)
					}
					least -= 5 * (timedParallel - 1)
				}
				if used < least || used > 1000 || p.Released == 0 {
					t.Errorf("%d of 1000 evaluations made, %d of the confirmation's released", used, p.Released)
				}
			})
			n.champion = nil
			n.run(t, func(t *testing.T, s tells) {
				if r, p := s.Results[0], s.Plans[0]; r.Verdict != archive.Adopt || p.Released != 0 {
					t.Errorf("%s, %d released: %s", r.Verdict, p.Released, r.Reason)
				}
			})
		})
	}
}

// TestNoEntryIsLeft checks that nothing is reserved for the confirmation in a month in
// which no entries are left.
func TestNoEntryIsLeft(t *testing.T) {
	store := archive.OpenMemory()
	o := toyOptions(toyWorkspace(t, 40), store, toyAgent(40), 1000)
	o.Workspace.Agents[0].UsesSeed = true
	month := stats.Monthly()
	for i := range month.Entries {
		c := archive.Candidate{Agent: "toy", Variant: agent.ConfigID(fmt.Sprint("v", i)), Champion: "another", Run: "0-a", Time: o.Now(), Alpha: month.Alpha()}
		if _, err := store.EnterCandidate(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r, p := s.Results[0], s.Plans[0]
	if r.Blocks != 0 || p.Released == 0 || r.Search.Evaluations < 800 {
		t.Errorf("%d blocks, %d released, %d searched: %s", r.Blocks, p.Released, r.Search.Evaluations, r.Reason)
	}
}
