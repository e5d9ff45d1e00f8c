package experience

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// TestFindingsNameTheTurnsTheyCount tests which turns every finding names. It makes one
// turn of each kind, in an order such that the latest turns are not the ones that count.
func TestFindingsNameTheTurnsTheyCount(t *testing.T) {
	fails := func(tool string) Call { return failed(tool, "down", 0) }
	for _, c := range []struct {
		name  string
		turns func(u *use)
		of    func(*Period) []Finding
		want  map[string]string // the beginning of each finding, and its turns
	}{
		{"failures of a tool before its successes", func(u *use) {
			for range 6 {
				u.turn("", "shop", "go", agent.OK, fails("search"))
			}
			for range 4 {
				u.turn("", "shop", "go", agent.OK, worked("search", 0))
			}
		}, (*Period).Weaknesses, map[string]string{"6 of 10 calls to search did not": "T1 T2 T3 T4 T5 T6"}},
		{"successes of a tool before its failures", func(u *use) {
			for range 5 {
				u.turn("", "shop", "go", agent.OK, worked("search", 0))
			}
			u.turn("", "shop", "go", agent.OK, fails("search"))
		}, (*Period).Strengths, map[string]string{"5 of 6 calls to search succeeded": "T1 T2 T3 T4 T5"}},
		{"one call of two fails", func(u *use) {
			u.turn("", "shop", "go", agent.OK, fails("search"), worked("search", 0))
			u.turn("", "shop", "go", agent.OK, worked("search", 0))
			u.turn("", "shop", "go", agent.OK, fails("search"), fails("search"))
		}, (*Period).Weaknesses, map[string]string{"3 of 5 calls to search did not": "T1 T3"}},
		{"turns of a domain", func(u *use) {
			u.turn("", "shop", "go", agent.Timeout)
			u.turn("", "shop", "go", agent.Execution)
			u.turn("", "shop", "go", agent.OK)
			for range 4 {
				u.turn("", "plan", "go", agent.OK)
			}
			u.turn("", "plan", "go", agent.Timeout)
		}, func(p *Period) []Finding { return append(p.Strengths(), p.Weaknesses()...) }, map[string]string{
			"2 of 3 turns in shop did not succeed": "T1 T2", "4 of 5 turns in plan succeeded": "T4 T5 T6 T7",
			"2 of 8 turns ended with timeout": "T1 T8", "1 of 8 turns ended with execution": "T2",
		}},
		{"repairs", func(u *use) {
			repaired := worked("search", 0)
			repaired.Repaired = true
			u.turn("", "", "go", agent.OK, repaired)
			u.turn("", "", "go", agent.OK, repaired)
			u.turn("", "", "go", agent.OK, worked("search", 0))
		}, (*Period).Weaknesses, map[string]string{"the arguments of 2 of 3 calls to search": "T1 T2"}},
		{"latencies", func(u *use) {
			for range 3 {
				u.turn("", "", "go", agent.OK, worked("search", 20000))
			}
			u.turn("", "", "go", agent.OK, worked("search", 0))
		}, (*Period).Adjustments, map[string]string{"call search only when": "T1 T2 T3"}},
		{"a corrected success is a failure of its calls", func(u *use) {
			u.turn("a", "", "go", agent.OK, worked("search", 0))
			u.turn("a", "", "No, that is wrong", agent.OK)
			u.turn("b", "", "go", agent.OK, fails("search"))
			u.turn("b", "", "go", agent.OK, worked("search", 0))
		}, (*Period).Weaknesses, map[string]string{"2 of 3 calls to search did not": "T1 T3", "people corrected 1 answer": "T1"}},
	} {
		var u use
		c.turns(&u)
		u.e.Review(u.turns, u.now)
		found := c.of(u.e.Lessons.Night)
		for begins, turns := range c.want {
			i := slices.IndexFunc(found, func(f Finding) bool { return strings.HasPrefix(f.Text, begins) })
			if i < 0 {
				t.Errorf("%s: %q is none of %v", c.name, begins, found)
			} else if diff := cmp.Diff(strings.Fields(turns), found[i].Turns); diff != "" {
				t.Errorf("%s, %s: %s", c.name, begins, diff)
			}
		}
		if err := u.e.Valid(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestStatedConfidenceNamesItsFailures tests which turns are named for a confidence that
// was too high.
func TestStatedConfidenceNamesItsFailures(t *testing.T) {
	var u use
	for i, o := range []agent.Outcome{agent.Timeout, agent.Execution, agent.OK, agent.OK} {
		u.turn("", "", "go", o)
		u.e.Stated = append(u.e.Stated, Stated{Turn: u.turns[i].ID, Domain: Global, Confidence: .9, Success: o == agent.OK})
	}
	u.e.Review(u.turns, u.now)
	for _, list := range [][]Finding{u.e.Lessons.Night.Weaknesses(), u.e.Lessons.Night.Adjustments()} {
		i := slices.IndexFunc(list, func(f Finding) bool { return strings.Contains(f.Text, "confidence") })
		if i < 0 || list[i].Count != 2 || !slices.Equal(list[i].Turns, []string{"T1", "T2"}) {
			t.Errorf("%v", list)
		}
	}
}

// TestBarredCallsAreNoToolErrors tests that a call that was barred by a person's feedback
// does not count as an error, and that any other denied call does.
func TestBarredCallsAreNoToolErrors(t *testing.T) {
	var u use
	for _, cause := range []string{BarredCause("search", Effect{Feedback: "F1", Action: Constrain}), "the tool is not active"} {
		u.turn("", "", "go", agent.OK, Call{Tool: "search", Outcome: agent.Denied, Cause: cause, Latency: time.Millisecond})
	}
	u.e.Review(u.turns, u.now)
	p := u.e.Lessons.Night
	if len(p.Errors) != 1 || p.Errors[0].Cause.Text != "the tool is not active" || p.Errors[0].Calls.Count != 1 {
		t.Errorf("%+v", p.Errors)
	}
}
