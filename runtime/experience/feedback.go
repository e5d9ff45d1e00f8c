package experience

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Verdict is what a person thinks of an agent's use of a tool.
type Verdict string

// The verdicts.
const (
	Positive   Verdict = "positive"
	Negative   Verdict = "negative"
	Correcting Verdict = "correction"
)

// Verdicts returns every verdict.
func Verdicts() []Verdict { return []Verdict{Positive, Negative, Correcting} }

// Action is the effect of feedback on the choice of tools.
type Action string

// The actions. Penalise multiplies a tool's score by .3, Boost by 1.2. Constrain forbids
// the tool. Replace also forbids the tool, and gives its score to another tool
// (Feedback.With).
const (
	Penalise  Action = "penalise"
	Boost     Action = "boost"
	Constrain Action = "constraint"
	Replace   Action = "replace"
)

// Actions returns every action.
func Actions() []Action { return []Action{Penalise, Boost, Constrain, Replace} }

// Feedback is a person's instruction about a tool within a scope. It takes precedence over
// what was learned. If several entries apply to a call, a prohibition takes precedence
// unless newer feedback lifts it; otherwise the newest entry does (see [Experience.Weigh]).
// Action determines the effect on scores; Verdict changes the competence (see
// [Confidence]).
type Feedback struct {
	// ID is "F<number>", unique among the agent's feedback.
	ID      string  `json:"id"`
	Verdict Verdict `json:"verdict"`
	Action  Action  `json:"action"`
	// Goal is a pattern for the goal: words that must all occur in it, in any order,
	// ignoring case. A * in a word matches any sequence of characters within a word. An
	// empty Goal matches every goal. Tool is the name of the tool. Domain is the name of
	// the domain; an empty Domain means every domain.
	Goal   string `json:"goal,omitempty"`
	Tool   string `json:"tool,omitempty"`
	Domain string `json:"domain,omitempty"`
	// With is the name of the tool to use instead; it is set only for [Replace].
	With string `json:"with,omitempty"`
	// Session limits the feedback to a conversation, and Until limits it to a period.
	// Feedback with neither is permanent.
	Session string    `json:"session,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	// Importance is in [.9, 1].
	Importance float64   `json:"importance"`
	By         string    `json:"by"`
	Evidence   string    `json:"evidence,omitempty"`
	Time       time.Time `json:"time"`
}

// Limits on feedback: the number of entries per agent, and the length of an entry's
// evidence in bytes.
const (
	MaxFeedback = 200
	maxEvidence = 4 << 10
)

// leastImportance is the minimum importance of feedback, which is high because a person
// gave the feedback on purpose.
const leastImportance = .9

// ErrFeedbackFull means that an agent already has the maximum number of feedback entries.
var ErrFeedbackFull = fmt.Errorf("an agent can have at most %d feedback entries", MaxFeedback)

// AddFeedback adds f under the next id and returns the added entry.
func (e *Experience) AddFeedback(f Feedback) (Feedback, error) {
	if len(e.Feedback) >= MaxFeedback {
		return f, ErrFeedbackFull
	}
	f.ID = "F" + strconv.Itoa(e.LastFeedback+1)
	f.Time, f.Until = f.Time.Round(0).UTC(), f.Until.Round(0).UTC()
	v := &validity{}
	if v.one(f); v.err != nil {
		return f, v.err
	}
	e.LastFeedback++
	e.Feedback = append(slices.Clip(e.Feedback), f)
	return f, nil
}

// RemoveFeedback removes the feedback entry with an id, in upper or lower case, and returns
// the entry and whether it existed. Every score is then as if the feedback had never been
// given.
func (e *Experience) RemoveFeedback(id string) (Feedback, bool) {
	i := e.findFeedback(id)
	if i < 0 {
		return Feedback{}, false
	}
	f := e.Feedback[i]
	*e = e.without(i)
	return f, true
}

// findFeedback returns the index of the feedback entry with an id, or -1 if there is none.
func (e *Experience) findFeedback(id string) int {
	return slices.IndexFunc(e.Feedback, func(f Feedback) bool { return strings.EqualFold(f.ID, id) })
}

// without returns the experience without the feedback entry at index i.
func (e *Experience) without(i int) Experience {
	out := *e
	out.Feedback = slices.Concat(e.Feedback[:i], e.Feedback[i+1:])
	return out
}

// feedback checks the feedback of an agent; last is the highest number that was assigned.
func (v *validity) feedback(list []Feedback, last int) {
	v.length("feedback", len(list), MaxFeedback)
	before := 0
	for _, f := range list {
		n, ok := feedbackNumber(f.ID)
		if !ok || n <= before || n > last {
			v.refuse("feedback.id", f.ID)
		}
		before = n
		v.one(f)
	}
}

// one checks one feedback entry, except for its id.
func (v *validity) one(f Feedback) {
	if !slices.Contains(Verdicts(), f.Verdict) {
		v.refuse("feedback.verdict", f.Verdict)
	}
	if !slices.Contains(Actions(), f.Action) {
		v.refuse("feedback.action", f.Action)
	}
	if v.name("feedback.goal", f.Goal, true); f.Goal != "" && len(wordsOf(f.Goal, "*")) == 0 {
		v.refuse("feedback.goal", f.Goal)
	}
	v.name("feedback.tool", f.Tool, f.Action == Penalise || f.Action == Boost)
	v.name("feedback.domain", f.Domain, true)
	v.name("feedback.with", f.With, f.Action != Replace)
	if f.With != "" && (f.Action != Replace || f.With == f.Tool) {
		v.refuse("feedback.with", f.With)
	}
	v.name("feedback.session", f.Session, true)
	v.times("feedback.until", f.Until)
	if f.Session != "" && !f.Until.IsZero() {
		v.refuse("feedback.until", f.Until)
	}
	if !(f.Importance >= leastImportance && f.Importance <= 1) {
		v.refuse("feedback.importance", f.Importance)
	}
	v.name("feedback.by", f.By, false)
	if v.text("feedback.evidence", f.Evidence); len(f.Evidence) > maxEvidence {
		v.refuse("feedback.evidence", f.Evidence)
	}
	if v.times("feedback.time", f.Time); f.Time.IsZero() {
		v.refuse("feedback.time", f.Time)
	}
}

// feedbackNumber returns the number in an id such as "F12".
func feedbackNumber(id string) (int, bool) {
	digits, ok := strings.CutPrefix(id, "F")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0 && strconv.Itoa(n) == digits
}
