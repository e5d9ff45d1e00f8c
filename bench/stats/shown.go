package stats

import "math"

// Shown returns the interval that belongs to the claim about a candidate, at Level, and the
// tasks that the interval is about: these tasks if the claim covers only these, and
// otherwise new tasks like these, on which a decision about adoption rests. All displays
// show this interval.
func (r *Ruling) Shown() (i Interval, about Claim) {
	if r.Claim == TheseTasks {
		return r.These(), TheseTasks
	}
	return r.New, NewTasks
}

// These returns the interval for these tasks at Level: for a fixed agent, the interval is
// the difference itself, which is known exactly.
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

// Finding returns the words that every display uses for the claim, or "" if there is no
// claim.
func (c Claim) Finding() string {
	switch c {
	case NewTasks:
		return "confirmed for new tasks"
	case TheseTasks:
		return "proven on these tasks only"
	}
	return ""
}

// Words returns words for the tasks that an interval is about.
func (c Claim) Words() string {
	switch c {
	case NewTasks:
		return "new tasks"
	case TheseTasks:
		return "these tasks"
	}
	return ""
}
