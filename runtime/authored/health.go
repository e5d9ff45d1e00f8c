package authored

import "evolve/runtime/agent"

// quarantineAfter is how many failures in use a tool may have until a person has
// looked at it.
const quarantineAfter = 3

// Health counts the failures of a tool in use since it was approved or last
// released. The zero value is a tool that was never used. Whoever stores it does so
// under the tool's name.
type Health struct {
	// Source is the hash of the source that failed: another source starts anew.
	Source   string `json:"source,omitempty"`
	Failures int    `json:"failures,omitempty"`
	// Last is the outcome of the last failure.
	Last agent.Outcome `json:"last,omitempty"`
}

// Failure reports whether an outcome of a call counts towards quarantine: those
// that are the tool's own doing. A call whose arguments did not fit the schema never
// reached the tool and is not to be reported here.
func Failure(o agent.Outcome) bool {
	return o == agent.Execution || o == agent.Timeout || o == agent.ContractViolation
}

// After is the health once a call of the tool with this source has ended so.
func (h Health) After(source string, o agent.Outcome) Health {
	if h.Source != source {
		h = Health{Source: source}
	}
	if Failure(o) {
		h.Failures++
		h.Last = o
	}
	return h
}

// Quarantined reports whether the tool with this source may not be called until
// it is released.
func (h Health) Quarantined(source string) bool {
	return h.Source == source && h.Failures >= quarantineAfter
}

// Withdrawn is the health after a person has put the tool with this source into
// quarantine.
func (h Health) Withdrawn(source string) Health {
	if h.Source != source {
		h = Health{Source: source}
	}
	h.Failures = max(h.Failures, quarantineAfter)
	return h
}

// Released is the health after a person has let the tool be used again.
func (h Health) Released() Health { return Health{Source: h.Source} }
