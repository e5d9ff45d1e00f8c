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
	// Signatures holds the groups of equal failures, sorted by tool, method, domain, outcome
	// and message.
	Signatures []Signature `json:"signatures,omitempty"`
	// Domains holds the competence by domain, sorted by name.
	Domains []Competence `json:"domains,omitempty"`
	// Stated holds the last turns that stated a confidence, oldest first.
	Stated []Stated `json:"stated,omitempty"`
	// Corrections holds the last corrections, oldest first.
	Corrections []Correction `json:"corrections,omitempty"`
	// Recent holds the last turn of each conversation, which the next message of its user
	// may judge; the oldest first.
	Recent []Recent `json:"recent,omitempty"`
	// Feedback holds what people want, oldest first; LastFeedback is the number of the last
	// one that was given, which may be removed.
	Feedback     []Feedback `json:"feedback,omitempty"`
	LastFeedback int        `json:"last_feedback,omitempty"`
	// Lessons is what a night has made of the turns.
	Lessons Lessons `json:"lessons,omitzero"`
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
	// Repaired reports whether the arguments were repaired before the call.
	Repaired bool
	// Axes are the boundary axes of a referral: of the call itself (wrong_tool_boundary), or of
	// the turn after the call had failed.
	Axes []string
	// Cause is the failure or referral in one line, without credentials; empty for none.
	// Evidence is that of the turn's referral, where the call had failed.
	Cause, Evidence string
}
