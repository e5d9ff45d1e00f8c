package experience

import (
	"encoding/json"
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestForgetRemovesCauses checks that reports by a tool about failed or referred calls are
// removed, because they may quote the conversation.
func TestForgetRemovesCauses(t *testing.T) {
	e := &Experience{}
	for _, turn := range []string{"T1", "T2"} {
		e.Learn(Turn{ID: turn, Session: "s" + turn, Domain: "ops", Time: day, Calls: []Call{
			{Tool: "http", Outcome: agent.Execution, Cause: "refused for " + turn},
			{Tool: "http", Outcome: agent.WrongToolBoundary, Axes: []string{"auth"}, Cause: "referred for " + turn},
		}})
	}
	e.Forget("sT1", func(turn string) bool { return turn == "T1" })
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "for T1") || strings.Count(string(text), "refused for T2") != 2 || !strings.Contains(string(text), "referred for T2") {
		t.Error(string(text))
	}
	if c := e.Capsules[0]; c.Calls != 4 || len(c.Failures) != 2 || len(c.Referrals) != 2 {
		t.Errorf("counts changed: %+v", c)
	}
}
