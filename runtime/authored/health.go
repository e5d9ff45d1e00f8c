package authored

import (
	"maps"
	"slices"

	"evolve/runtime/agent"
)

const (
	// quarantineAfter is the number of failures in use, all with the same cause, after
	// which a tool is quarantined until a person releases it.
	quarantineAfter = 3
	// maxCauses is the maximum number of causes that are counted separately.
	maxCauses = 32
)

// These are the causes of failure that lie in the tool itself. An error in the tool's
// source has the cause "error in line N".
const (
	causeTime     = "takes too long"
	causeMemory   = "takes too much memory"
	causeResult   = "its result cannot be represented"
	causeReferral = "a referral without evidence"
	causeProgram  = "does not run"
	causeError    = "an error" // without a line
	// causePerson is a person's decision. causeUnknown stands for the cause of failures
	// that were stored without one.
	causePerson  = "a person's decision"
	causeUnknown = "cause not recorded"
)

// Health counts how often a tool in use has failed since a person approved the tool or
// last released it. The zero value is the health of a tool that was never used. Health is
// stored under the tool's name.
type Health struct {
	// Source is the hash of the source that failed. The count restarts when the source
	// changes.
	Source   string `json:"source,omitempty"`
	Failures int    `json:"failures,omitempty"`
	// Last is the outcome of the most recent failure.
	Last agent.Outcome `json:"last,omitempty"`
	// Causes counts the failures by cause. It is empty if the failures were stored before
	// causes were recorded.
	Causes map[string]int `json:"causes,omitempty"`
}

// After returns the health after one more call to the tool with the given source; o is
// the outcome of that call. If cause is empty, the call does not count: its failure was
// caused by the arguments, a cancellation, the machine or another tool, not by the tool
// itself.
func (h Health) After(source, cause string, o agent.Outcome) Health {
	if h.Source != source {
		h = Health{Source: source}
	}
	if cause == "" {
		return h
	}
	h = h.counted()
	if _, known := h.Causes[cause]; !known && len(h.Causes) >= maxCauses {
		cause = causeError
	}
	h.Causes[cause]++
	h.Failures++
	h.Last = o
	return h
}

// counted returns the health with its own copy of the map of causes.
func (h Health) counted() Health {
	h.Causes = maps.Clone(h.Causes)
	if h.Causes == nil {
		h.Causes = map[string]int{}
		if h.Failures > 0 {
			h.Causes[causeUnknown] = h.Failures
		}
	}
	return h
}

// Cause returns the most frequent cause and the number of failures with that cause, which
// is 0 if there are no failures.
func (h Health) Cause() (cause string, failures int) {
	h = h.counted()
	for _, c := range slices.Sorted(maps.Keys(h.Causes)) {
		if n := h.Causes[c]; n > failures {
			cause, failures = c, n
		}
	}
	return cause, failures
}

// Quarantined reports whether the tool with this source must not be called until it is
// released.
func (h Health) Quarantined(source string) bool {
	_, n := h.Cause()
	return h.Source == source && n >= quarantineAfter
}

// Withdrawn returns the health after a person has put the tool with this source into
// quarantine.
func (h Health) Withdrawn(source string) Health {
	if h.Source != source {
		h = Health{Source: source}
	}
	h = h.counted()
	h.Causes[causePerson] = max(h.Failures, quarantineAfter)
	return h
}

// Released returns the health after a person has released the tool.
func (h Health) Released() Health { return Health{Source: h.Source} }
