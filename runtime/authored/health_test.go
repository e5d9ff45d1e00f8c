package authored

import (
	"encoding/json"
	"testing"

	"evolve/runtime/agent"
)

func TestHealth(t *testing.T) {
	var h Health
	after := func(source string, outcomes ...agent.Outcome) {
		for _, o := range outcomes {
			h = h.After(source, o)
		}
	}
	after("a", agent.Execution, agent.OK, agent.Timeout, agent.Denied, agent.WrongToolBoundary, agent.Cancelled, agent.Infrastructure, agent.BudgetExceeded)
	if h.Failures != 2 || h.Quarantined("a") {
		t.Errorf("after two failures: %+v", h)
	}
	after("a", agent.ContractViolation, agent.OK, agent.OK)
	if !h.Quarantined("a") || h.Last != agent.ContractViolation {
		t.Errorf("after three failures: %+v", h)
	}
	if h.Quarantined("b") {
		t.Error("another source is in quarantine")
	}
	text, err := json.Marshal(h)
	var stored Health
	if err != nil || json.Unmarshal(text, &stored) != nil || stored != h {
		t.Errorf("stored as %s", text)
	}
	if r := h.Released(); r.Quarantined("a") || r.After("a", agent.Timeout).Failures != 1 {
		t.Errorf("released: %+v", r)
	}
	if w := (Health{}).Withdrawn("a"); !w.Quarantined("a") || w.Quarantined("b") || w.Released().Quarantined("a") {
		t.Errorf("withdrawn: %+v", w)
	}
	if w := h.Withdrawn("b"); !w.Quarantined("b") || w.Last != "" || h.Withdrawn("a") != h {
		t.Errorf("another source withdrawn: %+v", w)
	}
	after("b", agent.Timeout)
	if h.Failures != 1 || h.Source != "b" {
		t.Errorf("another source: %+v", h)
	}
}
