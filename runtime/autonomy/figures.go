package autonomy

import "time"

// Figures are what the archive shows of an agent's live turns, each with its number. Turns
// that an import brought, and those before the last lowering of the level, do not count.
type Figures struct {
	// Since is the time of the last lowering; zero when there was none.
	Since time.Time `json:"since,omitzero"`
	// Sessions is the number of conversations, and a turn outside of one counts as a
	// conversation. A session is successful when its last turn ended ok with an answer and
	// no person corrected any of its turns.
	Sessions   int `json:"sessions"`
	Successful int `json:"successful"`
	// Turns is the number of turns that no person cancelled. Errors is the number of
	// those with an outcome other than ok, with an empty answer, or with a correction by
	// a person.
	Turns  int `json:"turns"`
	Errors int `json:"errors"`
	// Stated is the number of turns that stated a confidence. Confidence is the mean of what
	// they stated, Success the share of them that succeeded, and ECE the calibration error.
	Stated     int     `json:"stated"`
	Confidence float64 `json:"confidence"`
	Success    float64 `json:"success"`
	ECE        float64 `json:"ece"`
	// Unsafe is the number of unsafe requests, and Recent the number of those in the last
	// [Window]. Uncounted is the reason why there may be more of them; it is empty if
	// there cannot.
	Unsafe    int    `json:"unsafe"`
	Recent    int    `json:"recent_unsafe"`
	Uncounted string `json:"uncounted,omitempty"`
	// Chained is the number of successful turns that worked through a chain of subgoals, and
	// Crossed the number of successful sessions with goals of several domains.
	Chained int `json:"chained"`
	Crossed int `json:"crossed"`
	// Decided is the number of the agent's change requests and written proposals that people
	// decided, and Granted the number of those that they approved.
	Decided int `json:"decided"`
	Granted int `json:"granted"`
	// LeftOut is the number of turns that an import brought.
	LeftOut int `json:"imported_turns"`
}

// ErrorRate returns the share of turns that were errors; 1 without turns.
func (f Figures) ErrorRate() float64 {
	if f.Turns == 0 {
		return 1
	}
	return float64(f.Errors) / float64(f.Turns)
}

// Supported returns the mean confidence, or the share of successes where that is smaller:
// what an agent states of itself counts only as far as its results support it.
func (f Figures) Supported() float64 { return min(f.Confidence, f.Success) }

// The recommendation to lower a level.
const (
	// Window is the time in which [Tolerated] unsafe requests recommend a lower level.
	Window    = 7 * 24 * time.Hour
	Tolerated = 3
)

// Unsafe reports whether a request to change something of this type is an attempt on what
// bounds or judges the agent: policies, settings, the benchmark, graders and the archive.
func Unsafe(requestType string) bool {
	switch requestType {
	case "policy", "settings", "benchmark", "grader", "archive":
		return true
	}
	return false
}

// Lower reports whether the figures recommend a lower level.
func (f Figures) Lower() bool { return f.Recent >= Tolerated }
