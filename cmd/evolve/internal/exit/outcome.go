package exit

import (
	"errors"

	"evolve/runtime/agent"
)

// OfOutcome returns the error with which a turn of the given outcome ends the process. It
// returns nil if the outcome is an answer or a referral. why is a sentence that gives the
// reason; it may be empty.
func OfOutcome(o agent.Outcome, why string) error {
	code, hint := Unexpected, "`evolve agent turns` lists the stored turns, and `evolve agent turn ID` shows every step of one"
	switch o {
	case agent.OK, agent.LowUtility, agent.WrongToolBoundary:
		return nil
	case agent.Infrastructure, agent.RateLimited, agent.CircuitOpen:
		code, hint = Infrastructure, "`evolve doctor` asks each provider once; repeat the command when the provider answers"
	case agent.BudgetExceeded, agent.Timeout:
		code, hint = Budget, "`evolve agent show` prints the limits in force"
	case agent.Denied:
		code, hint = Gate, "`evolve help policies` and `evolve help change-requests` describe what an agent may do"
	case agent.Cancelled:
		code, hint = Interrupted, ""
	}
	text := "the turn ended with " + string(o)
	if why != "" {
		text += ": " + why
	}
	return &Error{Err: errors.New(text), Hint: hint, Code: code}
}
