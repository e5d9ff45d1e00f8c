package experience

import (
	"time"

	"evolve/runtime/agent"
)

// Capsule is what calls of one tool and method did in one domain.
type Capsule struct {
	Tool   string `json:"tool"`
	Method string `json:"method,omitempty"`
	Domain string `json:"domain"`
	Origin string `json:"origin"`
	Calls  int    `json:"calls"`
	// Outcomes counts the calls by outcome.
	Outcomes map[agent.Outcome]int `json:"outcomes"`
	// Corrected counts the calls in turns that a person corrected; each is no success.
	Corrected int `json:"corrected,omitempty"`
	// Repairs counts the calls whose arguments were repaired, and Repaired those of them
	// that ended ok.
	Repairs  int `json:"repairs,omitempty"`
	Repaired int `json:"repaired,omitempty"`
	// Latencies are the last measured ones, oldest first.
	Latencies []time.Duration `json:"latencies,omitempty"`
	// Failures are the last ten, oldest first.
	Failures []Failure `json:"failures,omitempty"`
	// Axes counts referrals by boundary axis.
	Axes map[string]int `json:"axes,omitempty"`
	Last time.Time      `json:"last,omitzero"`
}

// Failure is one failed call.
type Failure struct {
	Outcome agent.Outcome `json:"outcome"`
	Cause   string        `json:"cause,omitempty"`
	Time    time.Time     `json:"time"`
}

const (
	// fullCalls is the number of calls from which a capsule counts in full.
	fullCalls = 10
	// avoidedBelow is the usefulness below which a tool's score is multiplied by avoided.
	avoidedBelow, avoided = .3, .3
)

// Success is the number of calls that ended ok in turns that no person corrected.
func (c Capsule) Success() int { return max(0, c.Outcomes[agent.OK]-c.Corrected) }

// Usefulness returns (.7·rate + .5·.3)·c + .5·(1 − c) with c = min(1, calls/10), in [0,1]:
// .5 without calls (spec 3.8). A referral and a weak answer are no successes.
func (c Capsule) Usefulness() float64 {
	if c.Calls <= 0 {
		return .5
	}
	rate := float64(c.Success()) / float64(c.Calls)
	weight := min(1, float64(c.Calls)/fullCalls)
	return (.7*rate+.5*.3)*weight + .5*(1-weight)
}

// Avoidance returns the factor of a tool's score by a usefulness: .3 below .3, else 1.
func Avoidance(usefulness float64) float64 {
	if usefulness < avoidedBelow {
		return avoided
	}
	return 1
}

// learnCalls adds the calls of a turn to the capsules of its domain and of [Global].
func (e *Experience) learnCalls(Turn) {}
