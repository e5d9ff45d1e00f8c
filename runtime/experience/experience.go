package experience

import (
	"time"

	"evolve/runtime/agent"
)

// Global is the domain whose capsules hold the turns of every domain. It is the fallback
// where a domain has no history.
const Global = "_global"

// Experience is what the turns of one agent in use have shown. The zero value has no
// history.
type Experience struct {
	// Turns is the number of turns that it learned from, and Updated the time of the last.
	Turns   int       `json:"turns"`
	Updated time.Time `json:"updated,omitzero"`
	// Capsules by tool, method and domain, sorted by these. Each turn counts in its domain
	// and in [Global].
	Capsules []Capsule `json:"capsules,omitempty"`
	// Domains holds the competence by domain, sorted by name.
	Domains []Competence `json:"domains,omitempty"`
	// Stated holds the last turns that stated a confidence, oldest first.
	Stated []Stated `json:"stated,omitempty"`
	// Corrections holds the last corrections, oldest first.
	Corrections []Correction `json:"corrections,omitempty"`
	// Recent holds the last turn of each conversation, which the next message of its user
	// may judge; the oldest first.
	Recent []Recent `json:"recent,omitempty"`
	// Feedback holds what people want, oldest first.
	Feedback []Feedback `json:"feedback,omitempty"`
}

// Turn is a turn in use, as far as an [Experience] learns from it.
type Turn struct {
	// ID is that of the stored turn, and Session its conversation; empty for none.
	ID, Session string
	Domain      string
	// Message is what the user wrote, without credentials, and Signal what it means for
	// the turn before it in the conversation.
	Message string
	Signal  Signal
	Outcome agent.Outcome
	// Confidence is in [0,1]; 0 means that none was stated.
	Confidence float64
	Calls      []Call
	Time       time.Time
}

// Call is one call of a tool in a turn.
type Call struct {
	Tool string
	// Method is the operation of a tool that has several; empty for one.
	Method string
	// Origin is local, authored, or mcp:SERVER.
	Origin  string
	Outcome agent.Outcome
	// Latency is 0 where it was not measured.
	Latency time.Duration
	// Repaired reports that the arguments were repaired before the call.
	Repaired bool
	// Axes are the boundary axes of a referral (wrong_tool_boundary).
	Axes []string
	// Cause is the failure in one line, without credentials; empty for none.
	Cause string
}

// Competence is how well an agent does in a domain.
type Competence struct {
	Domain string `json:"domain"`
	// Score is in [.1, 1]: .5 without history, +.02 for a success, −.05 for a correction.
	Score float64 `json:"score"`
	// Turns, Successes and Corrected count turns.
	Turns     int `json:"turns"`
	Successes int `json:"successes"`
	Corrected int `json:"corrected"`
}

// Stated is a turn's stated confidence beside its success.
type Stated struct {
	Turn       string  `json:"turn,omitempty"`
	Domain     string  `json:"domain"`
	Confidence float64 `json:"confidence"`
	// Success reports that the outcome was ok and that no correction followed.
	Success bool `json:"success"`
}

// Correction is what a person corrected.
type Correction struct {
	Turn   string   `json:"turn,omitempty"` // the corrected turn
	Domain string   `json:"domain"`
	Tools  []string `json:"tools,omitempty"` // called in it
	// Text is the correcting message.
	Text string    `json:"text"`
	Time time.Time `json:"time"`
}

// Recent is the last turn of a conversation.
type Recent struct {
	Session    string        `json:"session"`
	Turn       string        `json:"turn"`
	Domain     string        `json:"domain"`
	Tools      []string      `json:"tools,omitempty"`
	Outcome    agent.Outcome `json:"outcome"`
	Confidence float64       `json:"confidence,omitempty"`
}

// Signal is what a message of a user means for the turn before it in a conversation.
type Signal string

// The signals. None is that of a first message.
const (
	None       Signal = ""
	Corrects   Signal = "correction"
	Approves   Signal = "approval"
	FollowsUp  Signal = "follow_up"
	NewTopic   Signal = "topic_change"
	Repeats    Signal = "repetition" // the same request again: the answer did not help
	Complains  Signal = "complaint"
	GivesUp    Signal = "abandonment"
	AsksFor    Signal = "request" // a further request on the same topic
	Clarifies  Signal = "clarification"
	Interrupts Signal = "interruption"
)
