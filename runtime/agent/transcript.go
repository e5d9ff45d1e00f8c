package agent

import "encoding/json"

// Transcript is the ordered record of one run. The runtime that fills it bounds its
// size; Dropped counts the events that were left out.
type Transcript struct {
	// Policy is the version of the policies of the run.
	Policy string `json:"policy,omitempty"`
	// Autonomy is the level that a live turn ran under; 0 for an evaluation, which has none.
	Autonomy int     `json:"autonomy,omitempty"`
	Events   []Event `json:"events,omitempty"`
	Dropped  int     `json:"dropped,omitempty"`
}

// The kinds of event.
const (
	EventSignal    = "signal"    // what the message of a live turn means for the turn before it
	EventDomain    = "domain"    // the turn's domain
	EventRecall    = "recall"    // memories recalled before the turn
	EventTools     = "tools"     // the tools picked from the library for the goal, with their scores
	EventBootstrap = "bootstrap" // what was loaded into or dropped from the prompt
	EventDecompose = "decompose" // the plan, or why the goal stayed whole; later its results
	EventModel     = "model"     // one call of the model
	EventTool      = "tool"      // one tool call with its outcome
	EventCheck     = "check"     // self-check, clamps, limits reached
	EventRoute     = "route"     // the model that a turn was routed to, and why
	EventPolicy    = "policy"    // PolicyApplied: the settings of one call and where each came from
	EventLimited   = "limited"   // RateLimited: a call was held back, with its retry-after hint
	EventRequest   = "request"   // a change request was left instead of a call
	EventDraft     = "draft"     // a tool that the turn wrote, and at its end how often it was called
	EventAutonomy  = "autonomy"  // the tools that the level of autonomy keeps back in a live turn
	EventInert     = "inert"     // parameters that the model does not take, so that they have no effect; their names in Data
	EventRepair    = "repair"    // the form of a call's arguments was repaired
	EventNudge     = "nudge"     // the self-evaluation question was asked
	EventDelegate  = "delegate"  // another agent was suggested
	EventDistill   = "distill"   // history was distilled into facts and a summary
	EventStderr    = "stderr"    // a program's standard error, scrubbed
	EventForeign   = "foreign"   // a program's own transcript, as given
	EventUser      = "user"      // the user's message of a turn, in a conversation of several; its number in Name
	EventAnswer    = "answer"    // the answer to it, or why there is none
)

// Referral is the name of the check event that holds a turn's referral.
const Referral = "referral"

// Unregistered is the origin of a called tool that the agent does not have. The model chose its
// name.
const Unregistered = "unregistered"

// Event is one step.
type Event struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name,omitempty"`
	Text    string          `json:"text,omitempty"`
	Outcome Outcome         `json:"outcome,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Subgoal is the number of the subgoal that the step belongs to, from 1; 0 for the
	// whole goal.
	Subgoal int `json:"subgoal,omitempty"`
	// Method is the operation of a called tool that has several, and Origin the origin of the
	// tool, empty for a local one. MS is the duration of the call in milliseconds, rounded up;
	// 0 where it was not measured, as in evaluations, whose clock stands still.
	Method string `json:"method,omitempty"`
	Origin string `json:"origin,omitempty"`
	MS     int64  `json:"ms,omitempty"`
}

// Add appends an event unless the transcript already holds limit events, in which case
// it is only counted. A limit of 0 means none.
func (t *Transcript) Add(limit int, e Event) {
	if limit > 0 && len(t.Events) >= limit {
		t.Dropped++
		return
	}
	t.Events = append(t.Events, e)
}

// Tools returns the names of the tools called, in order.
func (t Transcript) Tools() []string {
	var names []string
	for _, e := range t.Events {
		if e.Kind == EventTool {
			names = append(names, e.Name)
		}
	}
	return names
}
