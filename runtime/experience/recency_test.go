package experience

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"evolve/runtime/agent"
)

// TestOldCallsFade tests with hand-calculated values that one week of equally frequent use
// outweighs the preceding months, both for a tool that failed and for a tool that worked.
func TestOldCallsFade(t *testing.T) {
	for outcome, then := range map[agent.Outcome]agent.Outcome{agent.Timeout: agent.OK, agent.OK: agent.Timeout} {
		e := &Experience{}
		weeks := func(from, n int, o agent.Outcome) float64 {
			for w := range n {
				e.Learn(Turn{Domain: "ops", Time: day.AddDate(0, 0, 7*(from+w)), Calls: times(10, Call{Tool: "t", Outcome: o})})
			}
			return e.Usefulness("t", "", "ops")
		}
		rate := map[agent.Outcome]float64{agent.OK: 1}
		if got := weeks(0, 20, outcome); math.Abs(got-(.7*rate[outcome]+.15)) > 1e-12 {
			t.Errorf("after 20 weeks of %s: %g", outcome, got)
		}
		// 20 weeks have the weight 20 − 10/2^19. A week later this weight has halved, and
		// the new calls have the weight 10.
		old := (20 - 10/math.Exp2(19)) / 2
		want := (old*rate[outcome] + 10*rate[then]) / (old + 10)
		if got := weeks(20, 1, then); math.Abs(got-(.7*want+.15)) > 1e-12 {
			t.Errorf("after a week of %s: %g, want %g", then, got, .7*want+.15)
		}
		if got := weeks(21, 3, then); math.Abs(got-(.7*rate[then]+.15)) > .7/16+1e-9 {
			t.Errorf("after four weeks of %s: %g", then, got)
		}
	}
}

// TestOneWeekIsTheFormula tests that calls and corrections within one week count alike: the
// usefulness is that given by the counts, to the last digit.
func TestOneWeekIsTheFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var e Experience
		var ok, corrected, n float64
		for i := range rapid.IntRange(1, 30).Draw(t, "turns") {
			turn := Turn{ID: "T", Session: "s", Domain: "ops", Time: day, Outcome: agent.OK, Calls: []Call{{Tool: "t", Outcome: agent.OK}}}
			if i > 0 && rapid.Bool().Draw(t, "corrects") && e.Recent[0].Calls[0].OK == 1 {
				turn.Signal = Corrects
				corrected++
			}
			if rapid.Bool().Draw(t, "fails") {
				turn.Calls[0].Outcome = agent.Execution
			} else {
				ok++
			}
			n++
			e.Learn(turn)
		}
		rate, c := (ok-corrected)/n, min(1, n/10)
		if got, want := e.Usefulness("t", "", "ops"), (rate*.7+.5*.3)*c+.5*(1-c); got != want {
			t.Fatalf("%v, not %v", got, want)
		}
	})
}

// TestWeeksKeepTheOrder uses random histories over several weeks. It tests that in every
// domain no failure raises the usefulness and no success lowers it, and that the weights
// of the domains add up to the total. A correction must take back what its call
// contributed.
func TestWeeksKeepTheOrder(t *testing.T) {
	domains := []string{"ops", "research"}
	rapid.Check(t, func(t *rapid.T) {
		var e Experience
		at := day
		values := func() (out []float64) {
			for _, d := range append(domains, "without") {
				out = append(out, e.Usefulness("t", "", d))
			}
			return out
		}
		for range rapid.IntRange(1, 40).Draw(t, "turns") {
			at = at.AddDate(0, 0, rapid.IntRange(-10, 30).Draw(t, "days"))
			before := values()
			turn := Turn{Session: "s", Domain: rapid.SampledFrom(domains).Draw(t, "domain"), Time: at, Outcome: agent.OK}
			switch rapid.SampledFrom([]string{"ok", "fails", "corrects"}).Draw(t, "what") {
			case "ok":
				turn.Calls = []Call{{Tool: "t", Outcome: agent.OK}}
			case "fails":
				turn.Calls = []Call{{Tool: "t", Outcome: agent.Timeout}}
			default:
				turn.Signal = Corrects
			}
			e.Learn(turn)
			good := len(turn.Calls) == 1 && turn.Calls[0].Outcome == agent.OK
			for i, v := range values() {
				if rise := v - before[i]; good && rise < -1e-9 || !good && rise > 1e-9 || !(v >= .15-1e-9 && v <= .85+1e-9) {
					t.Fatalf("value %d: %g became %g after %+v", i, before[i], v, turn)
				}
			}
			var sum Recency
			var all Recency
			for _, c := range e.Capsules {
				if c.Domain == Global {
					all = c.recency()
				}
			}
			for _, c := range e.Capsules {
				if c.Domain != Global {
					r := c.recency().in(all.Week)
					sum.Judged, sum.Good = sum.Judged+r.Judged, sum.Good+r.Good
				}
			}
			if math.Abs(sum.Judged-all.Judged) > 1e-9 || math.Abs(sum.Good-all.Good) > 1e-9 {
				t.Fatalf("%+v in the domains, %+v in all", sum, all)
			}
		}
		if err := e.Valid(); err != nil {
			t.Fatal(err)
		}
	})
}
