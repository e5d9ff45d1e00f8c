package exit

import (
	"strings"
	"testing"

	"evolve/runtime/agent"
)

// TestOfOutcome checks that every outcome of a turn has the exit code that
// `evolve help exit-codes` documents.
func TestOfOutcome(t *testing.T) {
	want := map[agent.Outcome]int{
		agent.OK: 0, agent.LowUtility: 0, agent.WrongToolBoundary: 0, agent.Execution: 1, agent.ContractViolation: 1, agent.Denied: 4,
		agent.BudgetExceeded: 6, agent.Timeout: 6, agent.Infrastructure: 7, agent.RateLimited: 7, agent.CircuitOpen: 7, agent.Cancelled: 130,
	}
	for _, o := range agent.Outcomes() {
		code, known := want[o]
		if !known {
			t.Errorf("outcome %s has no documented code", o)
		}
		err := OfOutcome(o, "because")
		if err == nil {
			if code != 0 {
				t.Errorf("outcome %s ends with 0, not %d", o, code)
			}
			continue
		}
		got, hint := Of(err)
		if got != code || code == 0 || !strings.Contains(err.Error(), string(o)+": because") || hint == "" && code != Interrupted {
			t.Errorf("outcome %s ends with %d, not %d: %v, hint %q", o, got, code, err, hint)
		}
	}
}
