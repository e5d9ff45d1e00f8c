package experience

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// TestAFailureInANewDomainRaisesNothing tests the first failures and successes in a domain
// for a tool that fails, or works, in another domain.
func TestAFailureInANewDomainRaisesNothing(t *testing.T) {
	for outcome, other := range map[agent.Outcome]agent.Outcome{agent.Timeout: agent.OK, agent.OK: agent.Timeout} {
		e := used(times(8, Call{Tool: "t", Outcome: outcome})...)
		want := e.Usefulness("t", "", "ops")
		if got := e.Usefulness("t", "", "new"); got != want {
			t.Errorf("8 × %s: %g in a domain without calls, %g in the other", outcome, got, want)
		}
		e.Learn(Turn{Domain: "new", Time: day, Calls: []Call{{Tool: "t", Outcome: outcome}}})
		got := e.Usefulness("t", "", "new")
		if rises := got > want; rises != (outcome == agent.OK) || math.Abs(got-want) > .05 {
			t.Errorf("%s: %g became %g in a new domain", outcome, want, got)
		}
		e.Learn(Turn{Domain: "third", Time: day, Calls: times(10, Call{Tool: "t", Outcome: other})})
		rate := map[agent.Outcome]float64{agent.OK: 1}[other]
		if got := e.Usefulness("t", "", "third"); math.Abs(got-(.7*rate+.15)) > 1e-12 {
			t.Errorf("ten calls in a domain: %g", got)
		}
	}
}

// TestUsefulnessFollowsEachCall uses random histories to test that no failure raises the
// usefulness of a tool and no success lowers it, in any domain, and that a domain without
// calls has the usefulness that follows from all other domains.
func TestUsefulnessFollowsEachCall(t *testing.T) {
	domains := []string{"", "ops", "research", "crypto"}
	rapid.Check(t, func(t *rapid.T) {
		prior := rapid.SampledFrom([]float64{.5, .8}).Draw(t, "prior")
		var e Experience
		values := func() (out []float64) {
			for _, d := range append(domains, "without") {
				out = append(out, e.History("t", "m", d).Usefulness(prior), e.Pooled("t", d).Usefulness(prior))
			}
			return out
		}
		for range rapid.IntRange(1, 60).Draw(t, "turns") {
			before := values()
			call := Call{Tool: "t", Method: rapid.SampledFrom([]string{"m", "n"}).Draw(t, "method"), Outcome: rapid.SampledFrom(agent.Outcomes()).Draw(t, "outcome"), Axes: []string{"x"}}
			e.Learn(Turn{Domain: rapid.SampledFrom(domains).Draw(t, "domain"), Time: day, Calls: []Call{call}})
			for i, v := range values() {
				switch rise := v - before[i]; {
				case call.Outcome == agent.OK && rise < -1e-12, !judged(call.Outcome) && rise != 0,
					call.Outcome != agent.OK && rise > 1e-12, v < 0 || v > 1:
					t.Fatalf("value %d: %g became %g after %s", i, before[i], v, call.Outcome)
				}
			}
			if now := values(); now[len(now)-2] != now[0] || now[len(now)-1] != now[1] {
				t.Fatalf("without calls %v, not that of all calls %v", now[len(now)-2:], now[:2])
			}
		}
	})
}

// TestPooled tests that the calls of a tool's methods are counted together, and separately
// from those in other domains.
func TestPooled(t *testing.T) {
	var e Experience
	for _, method := range []string{"get", "set"} {
		e.Learn(Turn{Domain: "ops", Outcome: agent.OK, Calls: []Call{{Tool: "shop", Method: method, Outcome: agent.OK}, {Tool: "shop", Method: method, Outcome: agent.Timeout}}})
	}
	for domain, want := range map[string][2]int{"ops": {4, 0}, Global: {4, 0}, "sea": {0, 4}} {
		if c := e.Pooled("shop", domain); c.In.Judged() != want[0] || c.Others.Judged() != want[1] || c.In.Success()+c.Others.Success() != 2 {
			t.Errorf("%s: %+v", domain, c)
		}
	}
	if u := e.Pooled("grep", "ops").Usefulness(.8); u != .8 {
		t.Errorf("without calls %g", u)
	}
	if u := e.Pooled("shop", "ops").Usefulness(.8); math.Abs(u-((.7*.5+.15)*.4+.8*.6)) > 1e-12 {
		t.Errorf("usefulness %g", u)
	}
}
