package autonomy

import "time"

// Figures holds the statistics about an agent's live turns that come from the archive, with
// the counts on which they are based. Imported turns and turns before the level was last
// lowered do not count.
type Figures struct {
	// Since is the time at which the level was last lowered; zero if it never was.
	Since time.Time `json:"since,omitzero"`
	// Sessions is the number of conversations; a turn outside a conversation counts as a
	// session. A session is successful if its last turn ended ok with an answer and no
	// person corrected any of its turns.
	Sessions   int `json:"sessions"`
	Successful int `json:"successful"`
	// Turns is the number of turns that no person cancelled. Errors is the number of
	// those turns that had an outcome other than ok, that had an empty answer, or that a
	// person corrected.
	Turns  int `json:"turns"`
	Errors int `json:"errors"`
	// Stated is the number of turns that stated a confidence. Confidence is the mean of
	// the stated values, Success is the share of these turns that succeeded, and ECE is
	// the expected calibration error.
	Stated     int     `json:"stated"`
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
	ECE        float64 `json:"ece"`
	// Unsafe is the number of unsafe requests, and Recent is the number of unsafe
	// requests within the last [Window]. Uncounted is the reason why there may have been
	// further unsafe requests; it is empty if there cannot have been any.
	Unsafe    int    `json:"unsafe"`
	Recent    int    `json:"recent_unsafe"`
	Uncounted string `json:"uncounted,omitempty"`
	// Chained is the number of successful turns that worked through a chain of subgoals,
	// and Crossed is the number of successful sessions with goals from several domains.
	Chained int `json:"chained"`
	Crossed int `json:"crossed"`
	// Decided is the number of the agent's change requests and written proposals that
	// people decided on, and Granted is the number that they approved.
	Decided int `json:"decided"`
	Granted int `json:"granted"`
	// LeftOut is the number of imported turns, which do not count.
	LeftOut int `json:"imported_turns"`
}

// ErrorRate returns the share of turns that were errors, or 1 if there are no turns.
func (f Figures) ErrorRate() float64 {
	if f.Turns == 0 {
		return 1
	}
	return float64(f.Errors) / float64(f.Turns)
}

// Supported returns the mean confidence or the share of successes, whichever is smaller,
// because an agent's statements about itself count only as far as its results support them.
func (f Figures) Supported() float64 { return min(f.Confidence, f.Success) }

// These are the thresholds for recommending a lower level.
const (
	// Window is the period within which [Tolerated] unsafe requests lead to the
	// recommendation of a lower level.
	Window    = 7 * 24 * time.Hour
	Tolerated = 3
)

// Unsafe reports whether a change request of this type is an attempt to change what limits
// or judges the agent: policies, settings, the benchmark, graders and the archive.
func Unsafe(requestType string) bool {
	switch requestType {
	case "policy", "settings", "benchmark", "grader", "archive":
		return true
	}
	return false
}

// Lower reports whether the figures recommend a lower level.
func (f Figures) Lower() bool { return f.Recent >= Tolerated }
