package ablation

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// needle is a world of three choices with five values each, and of idle switches that the
// winner changed. One config passes most tasks; all others pass few.
func needle(idle int) *world {
	w := &world{champion: agent.Config{}, winner: agent.Config{}}
	for i := range 3 {
		name := fmt.Sprintf("c%d", i)
		w.space.Params = append(w.space.Params, agent.Param{Name: name, Kind: agent.Choice, Values: []any{"a", "b", "c", "d", "e"}, Default: "a"})
		w.champion[name], w.winner[name] = "a", "d"
	}
	for i := range idle {
		name := fmt.Sprintf("idle%d", i)
		w.space.Params = append(w.space.Params, agent.Param{Name: name, Kind: agent.Bool, Default: false})
		w.champion[name], w.winner[name] = false, true
	}
	w.skill = func(c agent.Config) float64 {
		for i := range 3 {
			if c[fmt.Sprintf("c%d", i)] != "d" {
				return .35
			}
		}
		return .88
	}
	rng := rand.New(rand.NewPCG(3, 1))
	for j := range 40 {
		w.tasks = append(w.tasks, mutate.Task{ID: fmt.Sprintf("t%d", j), Weight: 1})
		w.ease = append(w.ease, .2*rng.Float64()-.1)
	}
	return w
}

// searched returns evaluations such as a search would have after trying n random configs
// on four tasks each. There are more evaluations of the winner and the champion.
func (w *world) searched(n int, seed int64) []mutate.Observation {
	rng := rand.New(rand.NewPCG(uint64(seed), 5))
	out := w.known(50)
	for range n {
		c := agent.Config{}
		for _, p := range w.space.Params {
			if c[p.Name] = p.Default; p.Kind == agent.Choice {
				c[p.Name] = p.Values[rng.IntN(len(p.Values))]
			} else if p.Kind == agent.Bool {
				c[p.Name] = rng.IntN(2) == 0
			}
		}
		for range 4 {
			task := rng.IntN(len(w.tasks))
			out = append(out, w.observe(mutate.Trial{Variant: c.ID(), Config: c, Task: w.tasks[task].ID, Stage: "search"}))
		}
	}
	return out
}

// TestAWinnerThatIsGoodAsAWholeStays checks that the changes in a config that is good
// only as a whole are not undone, with any number of evaluations. A model fitted to the
// config's neighbours predicts no gain from any single change.
func TestAWinnerThatIsGoodAsAWholeStays(t *testing.T) {
	t.Parallel()
	const seeds = 20
	for _, budget := range []int{0, 3, 20, 60, 200} {
		lost, idle := 0, 0
		for seed := range int64(seeds) {
			w := needle(2)
			o := w.options(budget, 0, seed)
			o.Known = slices.Values(w.searched(90, seed))
			r, _ := run(t, w, o)
			if w.truth(w.winner)-w.truth(r.Config) > .1 {
				lost++
			}
			for i := range 2 {
				if on(r.Config, fmt.Sprintf("idle%d", i)) {
					idle++
				}
			}
		}
		t.Logf("%d evaluations: lost %d of %d, %d idle changes kept", budget, lost, seeds, idle)
		if lost > seeds/10 {
			t.Errorf("with %d evaluations %d of %d winners lose what they gained", budget, lost, seeds)
		}
	}
}

// TestTheReasonNamesWhyNothingIsUndone checks the reason given for a winner that stays
// whole: without evaluations, after a comparison that showed a loss, and if an earlier
// choice is smaller.
func TestTheReasonNamesWhyNothingIsUndone(t *testing.T) {
	w := needle(2)
	for budget, want := range map[int]string{
		0:  "no change is undone, because too few evaluations were left to compare a reduced variant with the winner",
		60: "no change is undone, because no comparison showed that a reduced variant keeps the gain; ",
	} {
		whole := 0
		for seed := range int64(10) {
			o := w.options(budget, 0, seed)
			o.Known = slices.Values(w.searched(90, seed))
			r, _ := run(t, w, o)
			named := strings.HasPrefix(r.Reason, want)
			if named {
				whole++
			}
			if named && r.Small != r.Winner || strings.Contains(r.Reason, "no change is undone") != named {
				t.Errorf("%d evaluations, seed %d: %q, small %v", budget, seed, r.Reason, r.Small != r.Winner)
			}
		}
		if whole < 5 {
			t.Errorf("%d evaluations: the reason of only %d of 10 winners is named", budget, whole)
		}
	}
	o := w.options(200, 50, 1)
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	small, _ := a.setBack(set{}.with(3, 4))
	a.bases = []base{{choice: choice{back: set{}.with(3, 4), config: small, id: small.ID(), gain: Posterior{Mean: .5}}}}
	for range 20 {
		at := a.freshSpot()
		a.bases[0].spots = append(a.bases[0].spots, at)
		for _, trial := range a.lacking([]spot{at}, []side{{small.ID(), small, nil}, {a.winnerID, a.winner, nil}}) {
			a.Tell(w.observe(trial))
		}
	}
	a.learn()
	a.choice.id, a.choice.config = a.championID, a.champion // never compared
	if r := a.Result(); r.Small != small.ID() || strings.Contains(r.Reason, "no change is undone") {
		t.Errorf("an earlier choice that was compared: %q, the small one %v", r.Reason, r.Small == small.ID())
	}
	if a.choice.id != a.championID {
		t.Error("a result changed the ablation")
	}
}
