package experience

import "time"

// Verdict is what a person thinks of an agent's use of a tool.
type Verdict string

// The verdicts.
const (
	Positive   Verdict = "positive"
	Negative   Verdict = "negative"
	Correcting Verdict = "correction"
)

// Action is the effect of a feedback on the choice of tools.
type Action string

// The actions. Penalise multiplies a tool's score by .3, Boost by 1.2, Constrain forbids the
// tool, and Replace gives its score to another tool (Feedback.With) and forbids it.
const (
	Penalise  Action = "penalise"
	Boost     Action = "boost"
	Constrain Action = "constraint"
	Replace   Action = "replace"
)

// Feedback is what a person wants of a tool within a scope. It wins over what was learned;
// of several that apply to a call the newest wins.
type Feedback struct {
	// ID is "F<number>", unique for the agent.
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	Action  Action  `json:"action"`
	// Goal is a pattern of the goal: words that must all occur, * for any; empty: every
	// goal. Tool is the tool, and Domain the domain, empty for every one.
	Goal   string `json:"goal,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Domain string `json:"domain,omitempty"`
	// With is the tool to use instead, for [Replace].
	With string `json:"with,omitempty"`
	// Session limits it to a conversation, Until to a time; both zero: permanent.
	Session string    `json:"session,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	// Importance is in [.9, 1].
	Importance float64   `json:"importance"`
	By         string    `json:"by"`
	Evidence   string    `json:"evidence,omitempty"`
	Time       time.Time `json:"time"`
}
