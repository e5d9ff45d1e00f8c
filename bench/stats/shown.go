package stats

import "math"

// Shown returns the interval that belongs to the claim about a candidate, at Level, and
// its subject: these tasks where the claim is about these alone, otherwise new tasks like
// these, on which an adoption is decided. All displays show this interval.
func (r *Ruling) Shown() (i Interval, about Claim) {
	if r.Claim == TheseTasks {
		return r.These(), TheseTasks
	}
	return r.New, NewTasks
}

// These returns the interval for these tasks at Level: for a fixed agent the difference
// itself, which is known exactly.
func (r *Ruling) These() Interval {
	if r.Fixed {
		return Interval{Lo: r.Difference, Hi: r.Difference}
	}
	return Interval{Lo: r.Lo, Hi: r.Hi}
}

// exact reports whether the shown value is known exactly.
func (r *Ruling) exact() bool { return r.Fixed && r.Claim == TheseTasks }

// BoundLevel returns the level of the one-sided bound NewLower.
func (r *Ruling) BoundLevel() float64 {
	alpha := math.Exp(-r.Threshold)
	if r.Fixed {
		return 1 - alpha
	}
	return 1 - alpha/looks
}

// Finding returns the words for the claim that is shown for a candidate, the same in all
// displays; empty for no claim.
func (c Claim) Finding() string {
	switch c {
	case NewTasks:
		return "confirmed for new tasks"
	case TheseTasks:
		return "proven on these tasks only"
	}
	return ""
}

// Words names the subject of an interval.
func (c Claim) Words() string {
	switch c {
	case NewTasks:
		return "new tasks"
	case TheseTasks:
		return "these tasks"
	}
	return ""
}
