package experience

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

// TestCallsOfATranscript checks what is learnt from the calls in a transcript: those made
// by the runtime, with repairs and referrals, and those that a program reports as its
// own.
func TestCallsOfATranscript(t *testing.T) {
	got := CallsOf([]agent.Event{
		{Kind: agent.EventDomain, Name: "operations"},
		{Kind: agent.EventRepair, Name: "shop", Outcome: agent.OK, Text: "a bare value"},
		{Kind: agent.EventPolicy, Name: "shop", Text: "as before"},
		{Kind: agent.EventTool, Name: "shop", Method: "get", Origin: "mcp:shop", Outcome: agent.OK, MS: 12, Text: "3 orders"},
		{Kind: agent.EventTool, Name: "shop", Origin: "mcp:shop", Outcome: agent.Timeout, Text: "ended:\n late"},
		{Kind: agent.EventTool, Name: "grep", Outcome: agent.WrongToolBoundary, Data: []byte(`{"boundary_axes":["Web"],"observed_task_shape":"a page","evidence":"asks for a page"}`), Text: "not a task for this tool"},
		{Kind: agent.EventTool, Name: "excuse", Outcome: agent.WrongToolBoundary, Data: []byte(`{"boundary_axes":["web"],"observed_task_shape":"a page"}`), Text: "not mine"},
		{Kind: agent.EventForeign, Data: []byte(`[{"kind":"tool","name":"sql","ms":-3},{"kind":7},"text",{"kind":"tool","name":"sql","outcome":"execution","ms":5,"text":"no table"},
			{"kind":"tool","name":"sql","outcome":"fine"},{"kind":"tool"},{"kind":"foreign","data":[{"kind":"tool","name":"nested"}]}]`)},
		{Kind: agent.EventForeign, Data: []byte(`{"steps":["any form"]}`)},
	})
	want := []Call{
		{Tool: "shop", Method: "get", Origin: "mcp:shop", Outcome: agent.OK, Latency: 12 * time.Millisecond, Repaired: true},
		{Tool: "shop", Origin: "mcp:shop", Outcome: agent.Timeout, Cause: "ended: late"},
		{Tool: "grep", Origin: "local", Outcome: agent.WrongToolBoundary, Cause: "not a task for this tool", Axes: []string{"web"}},
		{Tool: "excuse", Origin: "local", Outcome: agent.ContractViolation, Cause: "not mine"},
		{Tool: "sql", Origin: "local", Outcome: agent.OK},
		{Tool: "sql", Origin: "local", Outcome: agent.Execution, Latency: 5 * time.Millisecond, Cause: "no table"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
