package experience

import (
	"slices"
	"time"
)

// Conflict is a pair of feedback entries that contradict each other where both apply.
type Conflict struct {
	// Wins is the id of the feedback that takes effect where both apply, and Loses is the
	// id of the other. The newer feedback wins, unless the older one is a prohibition that
	// the newer one does not lift.
	Wins  string `json:"wins"`
	Loses string `json:"loses"`
	Why   string `json:"why"`
	// Holds reports whether the older feedback wins.
	Holds bool `json:"holds,omitempty"`
}

// Conflicts returns the pairs of active feedback entries whose scopes overlap and whose
// effects differ, the newest first.
func (e *Experience) Conflicts(now time.Time) []Conflict {
	var out []Conflict
	for i, newer := range slices.Backward(e.Feedback) {
		for _, older := range slices.Backward(e.Feedback[:i]) {
			if !newer.Active(now) || !older.Active(now) {
				continue
			}
			switch why := newer.contradicts(older); {
			case why == "":
			case newer.yields(older):
				out = append(out, Conflict{older.ID, newer.ID, why, true})
			default:
				out = append(out, Conflict{newer.ID, older.ID, why, false})
			}
		}
	}
	return out
}

// yields reports whether f, which contradicts older feedback, has no effect where the older
// feedback applies.
func (f Feedback) yields(older Feedback) bool {
	if f.replaces(older) {
		return !f.lifts(older)
	}
	return older.Action.forbids() && !f.Action.forbids() && !f.lifts(older)
}

// contradicts returns the reason why f cannot have its effect where g has its own, or an
// empty text if it can.
func (f Feedback) contradicts(g Feedback) string {
	if f.replaces(g) || g.replaces(f) {
		return "one forbids the tool that the other names as the replacement"
	}
	if !f.overlaps(g) {
		return ""
	}
	switch {
	case f.Action.factor() != g.Action.factor():
		return "one is " + f.Action.word() + ", the other " + g.Action.word()
	case f.Action == Replace && g.Action == Replace && f.With != g.With:
		return "they name different replacement tools"
	}
	return ""
}

// replaces reports whether f names a tool to use instead of its own and g forbids that
// tool.
func (f Feedback) replaces(g Feedback) bool {
	if f.Action != Replace || !g.Action.forbids() || g.Tool != f.With {
		return false
	}
	f.Tool = f.With
	return f.overlaps(g)
}

// word describes the effect of an action in a noun phrase.
func (a Action) word() string {
	switch a {
	case Penalise:
		return "a penalty"
	case Boost:
		return "a boost"
	}
	return "a prohibition"
}

// manyNegatives is the number of negative feedback entries on a scope that suggest a
// constraint.
const manyNegatives = 3

// Suggestion is a constraint that repeated negative feedback suggests.
type Suggestion struct {
	Tool   string `json:"tool"`
	Domain string `json:"domain,omitempty"`
	Goal   string `json:"goal,omitempty"`
	// Negatives are the ids of the negative feedback entries, oldest first.
	Negatives []string `json:"negatives"`
}

// Suggestions returns the scopes of a tool with at least three negative feedback entries
// since the last positive one, unless a permanent prohibition already covers them. Only
// lasting feedback counts: a suggested prohibition is permanent, and feedback on one
// conversation or for some days does not justify one.
func (e *Experience) Suggestions() []Suggestion {
	lasting := slices.DeleteFunc(slices.Clone(e.Feedback), func(f Feedback) bool { return !f.Lasts() })
	var out []Suggestion
	for i, f := range lasting {
		first := slices.IndexFunc(lasting, f.sameScope)
		if f.Tool == "" || first != i || slices.ContainsFunc(lasting, f.prohibited) {
			continue
		}
		var negatives []string
		for _, g := range lasting[i:] {
			switch {
			case !f.sameScope(g):
			case g.Verdict == Positive:
				negatives = nil
			case g.Verdict == Negative:
				negatives = append(negatives, g.ID)
			}
		}
		if len(negatives) >= manyNegatives {
			out = append(out, Suggestion{f.Tool, f.Domain, f.Goal, negatives})
		}
	}
	return out
}

// prohibited reports whether the given feedback (by), which must be lasting, forbids the
// tool of f in the whole scope of f.
func (f Feedback) prohibited(by Feedback) bool {
	return by.Action.forbids() && by.Tool == f.Tool && by.covers(f)
}

// Lasts reports whether the feedback is limited neither to a conversation nor to a period.
// Evaluations read only such feedback.
func (f Feedback) Lasts() bool { return f.Session == "" && f.Until.IsZero() }

// Forbids reports whether the feedback forbids its tool.
func (f Feedback) Forbids() bool { return f.Action.forbids() }

// Wish describes in a few words what the feedback does, such as "never grep, use search".
func (f Feedback) Wish() string {
	tool := named(f.Tool)
	if tool == "" {
		tool = "every tool"
	}
	switch f.Action {
	case Penalise:
		return tool + " ×0.3"
	case Boost:
		return tool + " ×1.2"
	case Replace:
		return "never " + tool + ", use " + named(f.With)
	}
	return "never " + tool
}
