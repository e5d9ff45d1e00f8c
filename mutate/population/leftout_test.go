package population

import (
	"strings"
	"testing"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestWhatIsLeftOutIsNotMadeAgain checks that neither operators nor models make a program
// that is left out, and that models are given the reason.
func TestWhatIsLeftOutIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(30, 4)
	cheat := agent.Config{"block": write([]float64{9, 9, 9, 9, 9, 9})}
	o := authored(w.options(300, 2), mutate.Rate{Every: 10, MaxCalls: 20}, "writer")
	o.Normal = func(c agent.Config) string { return strings.TrimSpace(c.String("block")) }
	o.LeftOut = []mutate.LeftOut{{Config: cheat, Reason: "the gate refused it in P1"}}
	spaced := agent.Config{"block": cheat.String("block") + " "}
	s := start(t, o)
	told := false
	trials := driveWith(t, s, 2, func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }, func(tr mutate.Trial) mutate.Observation {
		for _, c := range tr.Brief.Tried {
			told = told || c.Refused == "this program was left out before: the gate refused it in P1"
		}
		return mutate.Observation{Draft: &mutate.Draft{Config: spaced, Rationale: "again"}}
	})
	for _, tr := range trials {
		if tr.Brief == nil && o.Normal(tr.Config) == o.Normal(cheat) {
			t.Fatalf("it is evaluated again: %+v", tr)
		}
	}
	if !told {
		t.Error("models are not told why")
	}
}
