package experience

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// TestWantedAgreesWithWeigh tests with random feedback that the first entry that applies
// to a tool determines the effect on the tool's score.
func TestWantedAgreesWithWeigh(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := &Experience{}
		for range rapid.IntRange(0, 6).Draw(t, "given") {
			f := Feedback{
				Verdict: Correcting, Action: rapid.SampledFrom(Actions()).Draw(t, "action"), Tool: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "tool"),
				Domain: rapid.SampledFrom([]string{"", "code", "ops"}).Draw(t, "domain"), Goal: rapid.SampledFrom([]string{"", "deploy", "test"}).Draw(t, "goal"),
				Importance: 1, By: "Ada", Time: noon,
			}
			if f.Action == Replace {
				f.With = "c"
			}
			_, _ = e.AddFeedback(f) // some combinations are not valid feedback
		}
		use := Use{Domain: "code", Goal: "deploy it", Now: noon}
		wanted := e.Wanted(use)
		for _, use.Tool = range []string{"a", "b", "c"} {
			id, factor := "", 1.
			for _, f := range wanted {
				if f.Tool == "" || f.Tool == use.Tool {
					id, factor = f.ID, f.Factor
					break
				}
			}
			effects := e.effects(use, .5)
			if factorOf(effects) != factor || len(effects) > 0 && effects[0].Feedback != id {
				t.Fatalf("%s: %s ×%g, not %v of %v", use.Tool, id, factor, effects, wanted)
			}
		}
	})
}

// TestIgnoredCalls tests that calls of tools that were forbidden at the time are counted,
// excluding calls that were denied.
func TestIgnoredCalls(t *testing.T) {
	e := given(t, func(f *Feedback) { f.Action, f.Domain = Constrain, "code" })
	calls := []Call{{Tool: "grep", Outcome: agent.OK}, {Tool: "search", Outcome: agent.OK}, {Tool: "grep", Outcome: agent.Timeout}, {Tool: "grep", Outcome: agent.Denied}}
	turn := func(domain string, at time.Time) Turn { return Turn{Domain: domain, Time: at, Calls: calls} }
	later := noon.Add(time.Hour)
	if turns, n := e.Ignored([]Turn{turn("code", noon.Add(-time.Hour)), turn("code", later), turn("ops", later)}); turns != 1 || n != 2 {
		t.Errorf("%d calls in %d turns", n, turns)
	}
	if diff := cmp.Diff([]string{"2 calls despite feedback F1, which forbids the tool grep"}, e.Violations(turn("code", later))); diff != "" {
		t.Error(diff)
	}
	if got := e.Violations(turn("ops", later)); got != nil {
		t.Error(got)
	}
}
