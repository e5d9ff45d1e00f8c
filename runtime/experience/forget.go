package experience

import "slices"

// Forget removes the texts of a conversation whose turns forgotten reports: the corrections
// made in it, the causes of its failed and referred calls, the signatures of failures that no
// other turn had, its last turn, which a later message could judge, and what lessons quote of
// it. Other counts stay.
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
