package experience

import (
	"maps"
	"slices"
)

// Withhold returns a copy of the experience without the texts for which held returns true:
// corrections, causes of failed calls, referrals with their axes, signatures of failures
// that occurred in no other turn, and quotations in the lessons. Counts stay. The
// experience itself does not change.
func (e *Experience) Withhold(held func(Excerpt) bool) *Experience {
	out := *e
	out.Corrections = slices.DeleteFunc(slices.Clone(e.Corrections), func(c Correction) bool {
		return held(Excerpt{Turn: c.Turn, Text: c.Text}) || c.By != "" && held(Excerpt{Turn: c.By, Text: c.Text})
	})
	out.Recent = slices.DeleteFunc(slices.Clone(e.Recent), func(r Recent) bool { return held(Excerpt{Turn: r.Turn, Session: r.Session}) })
	out.Signatures = slices.DeleteFunc(slices.Clone(e.Signatures), func(s Signature) bool { return s.heldBack(held) })
	out.Lessons = e.Lessons.Without(held)
	out.Capsules = slices.Clone(e.Capsules)
	gone := map[toolMethod][]string{} // axes
	for i := range out.Capsules {
		c := &out.Capsules[i]
		c.withholdFailures(held)
		if axes := c.withholdReferrals(held); len(axes) > 0 {
			gone[toolMethod{c.Tool, c.Method}] = axes
		}
	}
	for i := range out.Capsules {
		if c := &out.Capsules[i]; len(c.Axes) > 0 {
			c.Axes = maps.Clone(c.Axes)
			for _, axis := range gone[toolMethod{c.Tool, c.Method}] {
				delete(c.Axes, axis)
			}
		}
	}
	return &out
}

type toolMethod struct{ tool, method string }

func (s Signature) heldBack(held func(Excerpt) bool) bool {
	if len(s.Turns) == 0 {
		return held(Excerpt{Text: s.Message})
	}
	return !slices.ContainsFunc(s.Turns, func(id string) bool { return !held(Excerpt{Turn: id, Text: s.Message}) })
}

func (c *Capsule) withholdFailures(held func(Excerpt) bool) {
	c.Failures = slices.Clone(c.Failures)
	for i := range c.Failures {
		if f := &c.Failures[i]; f.Cause != "" && held(Excerpt{Turn: f.Turn, Text: f.Cause}) {
			f.Cause = ""
		}
	}
}

// withholdReferrals removes the referrals for which held returns true, and returns the
// axes of the removed referrals that no remaining referral names.
func (c *Capsule) withholdReferrals(held func(Excerpt) bool) (gone []string) {
	var kept []Referral
	for _, r := range c.Referrals {
		if held(Excerpt{Turn: r.Turn, Text: r.Cause}) {
			gone = append(gone, r.Axes...)
		} else {
			kept = append(kept, r)
		}
	}
	c.Referrals = kept
	return slices.DeleteFunc(gone, func(axis string) bool {
		return slices.ContainsFunc(kept, func(r Referral) bool { return slices.Contains(r.Axes, axis) })
	})
}
