package policy

import (
	"maps"
	"time"

	"evolve/runtime/agent"
)

// Saturation holds how long calls to one tool or provider waited for limits, and how long
// breakers refused them, summed over any number of engines. In JSON, durations are in
// nanoseconds.
type Saturation struct {
	Kind   Kind   `json:"kind"`
	Name   string `json:"name"`
	Origin string `json:"origin,omitempty"`

	// Calls is the number of calls that ended. Outcomes counts them by their outcome for
	// the policies: an error of the tool itself counts as ok unless it is a [Failure].
	Calls    int64                   `json:"calls"`
	Outcomes map[agent.Outcome]int64 `json:"outcomes,omitempty"`
	Attempts int64                   `json:"attempts"`
	Retries  int64                   `json:"retries"`
	// RateWait is the total time that attempts waited for the rate limit or a hold, and
	// QueueWait is the total time that they waited for a permit. RateBound is the part of
	// Over during which at least one attempt waited for the rate limit or a hold;
	// QueueBound is the part during which at least one attempt waited for a permit.
	RateWait   time.Duration `json:"rate_wait"`
	QueueWait  time.Duration `json:"queue_wait,omitempty"`
	RateBound  time.Duration `json:"rate_bound,omitempty"`
	QueueBound time.Duration `json:"queue_bound,omitempty"`
	// Opened is the number of times that the breaker opened, and Open is the total time
	// during which it refused calls.
	Opened int           `json:"opened,omitempty"`
	Open   time.Duration `json:"open,omitempty"`
	// Over is the sum of the lifetimes of the engines.
	Over time.Duration `json:"over,omitempty"`
}

// Same reports whether s and o belong to the same tool or provider.
func (s Saturation) Same(o Saturation) bool {
	return s.Kind == o.Kind && s.Name == o.Name && s.Origin == o.Origin
}

// Plus returns the sum of s and o, with the kind, name and origin of s.
func (s Saturation) Plus(o Saturation) Saturation {
	outcomes := maps.Clone(s.Outcomes)
	for k, n := range o.Outcomes {
		if outcomes == nil {
			outcomes = map[agent.Outcome]int64{}
		}
		outcomes[k] = saturate(outcomes[k], n)
	}
	sum := func(a, b time.Duration) time.Duration { return time.Duration(saturate(int64(a), int64(b))) }
	s.Calls, s.Outcomes, s.Attempts, s.Retries = saturate(s.Calls, o.Calls), outcomes, saturate(s.Attempts, o.Attempts), saturate(s.Retries, o.Retries)
	s.RateWait, s.QueueWait = sum(s.RateWait, o.RateWait), sum(s.QueueWait, o.QueueWait)
	s.RateBound, s.QueueBound = sum(s.RateBound, o.RateBound), sum(s.QueueBound, o.QueueBound)
	s.Opened, s.Open, s.Over = s.Opened+o.Opened, sum(s.Open, o.Open), sum(s.Over, o.Over)
	return s
}

// Refused returns the number of calls that limits or breakers refused.
func (s Saturation) Refused() int64 {
	return s.Outcomes[agent.RateLimited] + s.Outcomes[agent.CircuitOpen] + s.Outcomes[agent.BudgetExceeded]
}
