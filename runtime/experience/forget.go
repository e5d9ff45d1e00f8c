package experience

import "slices"

// Forget removes the texts of a conversation; forgotten reports whether a turn belongs to
// the conversation. Forget removes the corrections of these turns, the causes of their
// failed and referred calls, the signatures of failures that occurred in no other turn,
// the conversation's entry in Recent (which a later message could judge), and the
// quotations from the conversation in the lessons. Other counts stay.
func (e *Experience) Forget(session string, forgotten func(turn string) bool) {
	e.Recent = slices.DeleteFunc(e.Recent, func(r Recent) bool { return r.Session == session })
	e.Corrections = slices.DeleteFunc(e.Corrections, func(c Correction) bool { return forgotten(c.Turn) })
	e.forgetSignatures(forgotten)
	e.Lessons = e.Lessons.Without(func(x Excerpt) bool { return x.Session == session || forgotten(x.Turn) })
	for _, c := range e.Capsules {
		for i, f := range c.Failures {
			if forgotten(f.Turn) {
				c.Failures[i].Cause = ""
			}
		}
		for i, r := range c.Referrals {
			if forgotten(r.Turn) {
				c.Referrals[i].Cause = ""
			}
		}
	}
}
