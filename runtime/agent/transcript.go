package agent

import "encoding/json"

// Transcript is the ordered record of one run. The runtime that fills it limits its length;
// Dropped counts the events that were left out.
type Transcript struct {
	// Policy is the version of the policies that applied to the run.
	Policy string `json:"policy,omitempty"`
	// Autonomy is the autonomy level of a live turn; 0 for an evaluation, which has none.
	Autonomy int     `json:"autonomy,omitempty"`
	Events   []Event `json:"events,omitempty"`
	Dropped  int     `json:"dropped,omitempty"`
}

// The kinds of event.
const (
	EventSignal    = "signal"    // what a live turn's message means for the turn before it
	EventDomain    = "domain"    // the turn's domain
	EventRecall    = "recall"    // memories recalled before the turn
	EventTools     = "tools"     // the tools picked from the library for the goal, with their scores
	EventBootstrap = "bootstrap" // what was loaded into or dropped from the prompt
	EventDecompose = "decompose" // the plan, or why the goal was not split; later the results of the plan
	EventModel     = "model"     // one call to the model
	EventTool      = "tool"      // one tool call and its outcome
	EventCheck     = "check"     // self-check, clamps, limits reached
	EventRoute     = "route"     // the model that a turn was routed to, and why
	EventPolicy    = "policy"    // PolicyApplied: the settings of one call and where each came from
	EventLimited   = "limited"   // RateLimited: a call was delayed, with its retry-after hint
	EventRequest   = "request"   // a change request was filed instead of making the call
	EventDraft     = "draft"     // a tool that the turn wrote; at the end of the turn, how often the tool was called
	EventAutonomy  = "autonomy"  // the tools that the autonomy level withholds in a live turn
	EventInert     = "inert"     // parameters that have no effect because the model does not accept them; their names are in Data
	EventRepair    = "repair"    // the malformed arguments of a call were repaired
	EventNudge     = "nudge"     // the self-evaluation question was asked
	EventDelegate  = "delegate"  // another agent was suggested
	EventDistill   = "distill"   // history was distilled into facts and a summary
	EventStderr    = "stderr"    // a program's standard error, scrubbed
	EventForeign   = "foreign"   // a program's own transcript, as the program gave it
	EventUser      = "user"      // the user's message of one turn in a conversation of several turns; the turn's number is in Name
	EventAnswer    = "answer"    // the answer to the user's message, or why there is none
)

// Referral is the name of the check event that holds a turn's referral.
const Referral = "referral"

// Unregistered is recorded as the origin of a called tool that the agent does not have. The
// name of such a tool is whatever the model chose.
const Unregistered = "unregistered"

// Event is one step.
type Event struct {
	Kind    string          `json:"kind"`
	Name    string          `json:"name,omitempty"`
	Text    string          `json:"text,omitempty"`
	Outcome Outcome         `json:"outcome,omitempty"`
	Data    json.RawMessage `json:"data,omitempty"`
	// Subgoal is the number of the subgoal that the step belongs to, counted from 1; 0
	// means the whole goal.
	Subgoal int `json:"subgoal,omitempty"`
	// Method is the operation of a called tool that has several operations. Origin is the
	// origin of the tool; it is empty for a local tool. MS is the duration of the call in
	// milliseconds, rounded up; it is 0 if the duration was not measured, as in
	// evaluations, whose clock stands still.
	Method string `json:"method,omitempty"`
	Origin string `json:"origin,omitempty"`
	MS     int64  `json:"ms,omitempty"`
}

// Add appends an event. If the transcript already contains as many events as limit
// allows, Add only counts the event as dropped. A limit of 0 means no limit.
func (t *Transcript) Add(limit int, e Event) {
	if limit > 0 && len(t.Events) >= limit {
		t.Dropped++
		return
	}
	t.Events = append(t.Events, e)
}

// Tools returns the names of the called tools, in the order of the calls.
func (t Transcript) Tools() []string {
	var names []string
	for _, e := range t.Events {
		if e.Kind == EventTool {
			names = append(names, e.Name)
		}
	}
	return names
}
