package agent

// Outcome is the typed result of a turn, a tool call or an evaluation.
type Outcome string

// The outcomes. OK, WrongToolBoundary and LowUtility leave an answer that can be
// graded; Infrastructure, RateLimited and Cancelled count as missing data; all others
// count as a failure.
const (
	OK                Outcome = "ok"
	Execution         Outcome = "execution"
	ContractViolation Outcome = "contract_violation"
	Timeout           Outcome = "timeout"
	RateLimited       Outcome = "rate_limited"
	CircuitOpen       Outcome = "circuit_open"
	BudgetExceeded    Outcome = "budget_exceeded"
	Denied            Outcome = "denied"
	WrongToolBoundary Outcome = "wrong_tool_boundary"
	LowUtility        Outcome = "low_utility"
	Cancelled         Outcome = "cancelled"
	Infrastructure    Outcome = "infrastructure"
)

// Outcomes returns every valid outcome in the order of documentation.
func Outcomes() []Outcome {
	return []Outcome{
		OK, Execution, ContractViolation, Timeout, RateLimited, CircuitOpen,
		BudgetExceeded, Denied, WrongToolBoundary, LowUtility, Cancelled, Infrastructure,
	}
}

// Valid reports whether o is one of the listed outcomes.
func (o Outcome) Valid() bool {
	for _, v := range Outcomes() {
		if v == o {
			return true
		}
	}
	return false
}

// Reportable reports whether an operator's agent may report o itself.
func (o Outcome) Reportable() bool {
	switch o {
	case OK, Execution, ContractViolation, WrongToolBoundary, LowUtility, Infrastructure:
		return true
	}
	return false
}

// Gradable reports whether a result with this outcome is graded. Any other
// outcome but those of [Outcome.Missing] scores 0.
func (o Outcome) Gradable() bool {
	return o == OK || o == WrongToolBoundary || o == LowUtility
}

// Missing reports whether a result with this outcome is no evidence at all:
// it is retried or left out, never scored. A rate limit depends on earlier calls of others.
func (o Outcome) Missing() bool {
	return o == Infrastructure || o == RateLimited || o == Cancelled
}
