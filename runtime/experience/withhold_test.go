package experience

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// TestWithholdRemovesTexts tests that no text from a withheld conversation remains in what
// evaluations read, that texts from other conversations and all counts remain, and that the
// experience itself is unchanged.
func TestWithholdRemovesTexts(t *testing.T) {
	e := &Experience{}
	var turns []Turn
	for i, said := range []string{"held", "free"} {
		session := []string{"s1", "s2"}[i]
		calls := []Call{
			{Tool: "http", Origin: "local", Outcome: agent.Execution, Cause: "refused for " + said},
			{Tool: "http", Origin: "local", Outcome: agent.WrongToolBoundary, Axes: []string{"common", "axis of " + said}, Cause: "referred for " + said},
		}
		for k, message := range []string{"what of " + said + "?", "No, that is wrong, say " + said} {
			turn := Turn{ID: []string{"T1", "T2", "T3", "T4"}[2*i+k], Session: session, Domain: "ops", Message: message, Outcome: agent.OK, Time: day}
			if k == 0 {
				turn.Calls = calls
			} else {
				turn.Signal = Corrects
			}
			e.Learn(turn)
			turns = append(turns, turn)
		}
	}
	e.Review(turns, day)
	before := encoded(t, e)
	got := e.Withhold(func(x Excerpt) bool { return x.Session == "s1" || x.Turn == "T1" || x.Turn == "T2" })
	if diff := cmp.Diff(before, encoded(t, e)); diff != "" {
		t.Errorf("the experience changed: %s", diff)
	}
	after := encoded(t, got)
	if strings.Contains(after, "held") {
		t.Errorf("a text is left: %s", after)
	}
	for _, want := range []string{"refused for free", "referred for free", "axis of free", "say free", "common"} {
		if !strings.Contains(after, want) {
			t.Errorf("%q is missing in %s", want, after)
		}
	}
	if c := got.Capsules[0]; c.Calls != 4 || c.Outcomes[agent.WrongToolBoundary] != 2 || len(c.Failures) != 2 || c.Axes["common"] != 2 {
		t.Errorf("counts changed: %+v", c)
	}
	if got.Lessons.Night.Corrected.Count != 2 {
		t.Errorf("the lessons count %+v", got.Lessons.Night.Corrected)
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
