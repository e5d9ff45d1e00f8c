package policy

import (
	"errors"
	"fmt"
	"strings"

	"evolve/runtime/agent"
)

// Refused returns a refusal that describes err if err reports a limit that calls share: a
// budget, a breaker, a rate, the concurrency, or the remote service's own limit. It returns
// nil for failures of the call itself. A missed deadline is such a failure unless the call
// spent at least half of the deadline waiting.
func Refused(kind Kind, name string, err error) *agent.Refusal {
	var (
		spent   *BudgetError
		open    *CircuitOpenError
		limited *RateLimitedError
		late    *TimeoutError
		failure *Failure
		r       agent.Refusal
	)
	switch {
	case errors.As(err, &spent):
		r.Spent = !spent.Held
	case errors.As(err, &open):
		r.RetryAfter = open.RetryAfter
		if kind == Tool {
			r.Tool = name
		}
	case errors.As(err, &limited):
		r.RetryAfter, r.Rate = limited.RetryAfter, true
	case errors.As(err, &late):
		if late.Waited <= 0 || late.Waited < late.Deadline/2 {
			return nil
		}
	case errors.As(err, &failure) && failure.Outcome == agent.RateLimited:
		r.RetryAfter, r.Rate = failure.RetryAfter, failure.Retry
	default:
		return nil
	}
	r.Policy = fmt.Sprintf("%s %s: %s", kind, name, err)
	return &r
}

// RateLimited reports whether err comes from a limit on calls over time: a rate, the
// concurrency, or the remote service's own limit. It returns false if no later attempt
// would help, for example because there is no credit.
func RateLimited(err error) bool {
	var failure *Failure
	return errors.As(err, new(*RateLimitedError)) || errors.As(err, &failure) && failure.Outcome == agent.RateLimited && failure.Retry
}

// The settings that can make calls wait.
const (
	rateSetting        = "rate_calls"
	concurrencySetting = "concurrency"
)

// where returns the path of a setting relative to policies in the settings, such as
// "roles.clerk.rate", or "" if no layer in the settings sets it.
func (p *plan) where(setting string) string {
	for _, v := range p.values {
		group, name, _ := strings.Cut(v.Origin, " ")
		if v.Setting != setting {
			continue
		}
		key, _, _ := strings.Cut(setting, "_")
		switch group {
		case "environment":
			return group + "." + key
		case "origin", "role", "tool", "provider":
			return group + "s." + name + "." + key
		}
	}
	return ""
}
