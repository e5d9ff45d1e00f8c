package experience

import (
	"time"

	"evolve/runtime/agent"
)

// Global is the domain whose capsules count the turns of every domain. It is the fallback
// for a domain without history.
const Global = "_global"

// Experience is what the turns of one agent in use have shown. The zero value has no
// history.
type Experience struct {
	// Turns is the number of turns from which the Experience has learned, and Updated is
	// the time of the last of them.
	Turns   int       `json:"turns"`
	Updated time.Time `json:"updated,omitzero"`
	// Capsules is sorted by tool, method and domain. Each turn counts in its domain and in
	// [Global].
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
	// Recent holds the last turn of each conversation, oldest first. The user's next
	// message in the conversation may judge that turn.
	Recent []Recent `json:"recent,omitempty"`
	// Feedback holds the instructions that people gave about tools, oldest first.
	// LastFeedback is the number of the last feedback given, even if it has since been
	// removed.
	Feedback     []Feedback `json:"feedback,omitempty"`
	LastFeedback int        `json:"last_feedback,omitempty"`
	// Lessons holds the lessons that a night drew from the turns.
	Lessons Lessons `json:"lessons,omitzero"`
}

// Turn holds what an [Experience] learns from one turn of a deployed agent.
type Turn struct {
	// ID is the id of the stored turn, and Session is the id of its conversation; Session
	// is empty if the turn belongs to no conversation.
	ID, Session string
	Domain      string
	// Message is what the user wrote, without credentials, and Signal is what the message
	// means for the turn before it in the conversation.
	Message string
	Signal  Signal
	Outcome agent.Outcome
	// Confidence is in [0,1]; 0 means that none was stated.
	Confidence float64
	Calls      []Call
	Time       time.Time
}

// Call is one tool call in a turn.
type Call struct {
	Tool string
	// Method is the operation of a tool that has several operations; empty if the tool has
	// only one.
	Method string
	// Origin is local, authored, or mcp:SERVER.
	Origin  string
	Outcome agent.Outcome
	// Latency is 0 if it was not measured.
	Latency time.Duration
	// Repaired reports whether the arguments were repaired before the call.
	Repaired bool
	// Axes are the boundary axes of a referral, made either by the call itself (its
	// outcome is wrong_tool_boundary) or by the turn once the call had failed.
	Axes []string
	// Cause describes the call's failure or referral on one line, without credentials; it
	// is empty if there was neither. Evidence is the evidence for the turn's referral if
	// the turn made a referral after the call had failed.
	Cause, Evidence string
}
