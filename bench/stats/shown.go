package stats

import "math"

// Shown is the interval that belongs to what may be said of a candidate, at Level, and what it is
// about: these tasks where the claim is about these alone, otherwise new tasks like these,
// which is what an adoption is decided on. It is the one that is shown wherever one is.
func (r *Ruling) Shown() (i Interval, about Claim) {
	if r.Claim == TheseTasks {
		return r.These(), TheseTasks
	}
	return r.New, NewTasks
}

// These is the interval for these tasks at Level: of a fixed agent the difference itself, which is
// known.
func (r *Ruling) These() Interval {
	if r.Fixed {
		return Interval{Lo: r.Difference, Hi: r.Difference}
	}
	return Interval{Lo: r.Lo, Hi: r.Hi}
}

// exact reports whether what is shown is known, and no interval.
func (r *Ruling) exact() bool { return r.Fixed && r.Claim == TheseTasks }

// BoundLevel is the level of the one-sided bound NewLower.
func (r *Ruling) BoundLevel() float64 {
	alpha := math.Exp(-r.Threshold)
	if r.Fixed {
		return 1 - alpha
	}
	return 1 - alpha/looks
}

// Words name what an interval is about.
func (c Claim) Words() string {
	switch c {
	case NewTasks:
		return "new tasks"
	case TheseTasks:
		return "these tasks"
	}
	return ""
}
