package authored

import "evolve/runtime/agent"

// quarantineAfter is the number of failures in use after which a tool is quarantined
// until a person releases it.
const quarantineAfter = 3

// Health counts the failures of a tool in use since it was approved or last released.
// The zero value is a tool that was never used. It is stored under the tool's name.
type Health struct {
	// Source is the hash of the source that failed: another source starts anew.
	Source   string `json:"source,omitempty"`
	Failures int    `json:"failures,omitempty"`
	// Last is the outcome of the last failure.
	Last agent.Outcome `json:"last,omitempty"`
}

// Failure reports whether an outcome of a call counts towards quarantine because the
// tool itself caused it. A call whose arguments did not fit the schema never reached
// the tool and must not be counted.
func Failure(o agent.Outcome) bool {
	return o == agent.Execution || o == agent.Timeout || o == agent.ContractViolation
}

// After returns the health after a call of the tool with this source and outcome.
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

// Withdrawn returns the health after a person has put the tool with this source into
// quarantine.
func (h Health) Withdrawn(source string) Health {
	if h.Source != source {
		h = Health{Source: source}
	}
	h.Failures = max(h.Failures, quarantineAfter)
	return h
}

// Released returns the health after a person has released the tool.
func (h Health) Released() Health { return Health{Source: h.Source} }
