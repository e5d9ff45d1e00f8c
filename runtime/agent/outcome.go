package agent

// Outcome is the typed result of a turn, a tool call or an evaluation.
type Outcome string

// The outcomes. A result with the outcome OK, WrongToolBoundary or LowUtility has an answer
// that can be graded. Infrastructure, RateLimited and Cancelled count as missing data. All
// other outcomes count as failures.
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

// Outcomes returns every valid outcome, in the order in which they are documented.
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

// Reportable reports whether an operator's agent may itself report the outcome o.
func (o Outcome) Reportable() bool {
	switch o {
	case OK, Execution, ContractViolation, WrongToolBoundary, LowUtility, Infrastructure:
		return true
	}
	return false
}

// Gradable reports whether a result with this outcome is graded. Any other outcome, except
// those for which [Outcome.Missing] returns true, scores 0.
func (o Outcome) Gradable() bool {
	return o == OK || o == WrongToolBoundary || o == LowUtility
}

// Missing reports whether a result with this outcome counts as missing data, which is not
// evidence in either direction. Such a result is retried or left out, but never scored. A
// result that ended at a rate limit is included, because the limit depends on earlier calls
// by others.
func (o Outcome) Missing() bool {
	return o == Infrastructure || o == RateLimited || o == Cancelled
}
