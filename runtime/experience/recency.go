package experience

import (
	"math"
	"time"
)

// Recency weighs the judged calls of a capsule by their week: a call counts half as much as a
// call of the week after, so that a tool which works again recovers, however long it failed.
// The weights are powers of two, so that no sum of them is rounded.
type Recency struct {
	// Week is the newest week with a judged call, counted from 1 January 1970.
	Week int `json:"week"`
	// Judged and Good are the weights of the judged calls and of the successes among them, 1
	// for a call of Week.
	Judged float64 `json:"judged"`
	Good   float64 `json:"good"`
}

// weekOf returns the number of a time's week.
func weekOf(t time.Time) int { return int(math.Floor(float64(t.Unix()) / week.Seconds())) }

// weekOf returns the week with which the calls of a turn count: a turn that is stored late
// counts in the newest week, because a success of little weight would lower the usefulness.
func (e *Experience) weekOf(t Turn) int {
	if t.Time.Before(e.Updated) {
		return weekOf(e.Updated)
	}
	return weekOf(t.Time)
}

// in returns the weights as seen from a later week, or from the same one.
func (r Recency) in(week int) Recency {
	fade := math.Exp2(float64(r.Week - week))
	return Recency{Week: week, Judged: r.Judged * fade, Good: r.Good * fade}
}

// recency returns the weights of the calls. Capsules of earlier versions have no weights:
// their calls count equally, in the week of the last call.
func (c Capsule) recency() Recency {
	if c.Recency != nil {
		return *c.Recency
	}
	n := float64(c.Judged())
	return Recency{Week: weekOf(c.Last), Judged: n, Good: min(n, float64(c.Success()))}
}

// weigh adds judged calls of a week and the successes among them; a negative number takes
// successes back.
func (c *Capsule) weigh(week, calls, good int) {
	r := c.recency()
	switch {
	case r.Judged == 0:
		r = Recency{Week: week}
	case week > r.Week:
		r = r.in(week)
	}
	weight := math.Exp2(float64(week - r.Week))
	r.Judged += float64(calls) * weight
	r.Good = min(max(0, r.Good+float64(good)*weight), r.Judged)
	c.Recency = &r
}

// recentRate returns the share of successes among the judged calls by their weights; false
// means that no call was judged. In one week it is [Capsule.Rate].
func (c Capsule) recentRate() (float64, bool) {
	rate, ok := c.Rate()
	if r := c.recency(); ok && r.Judged > 0 {
		return min(1, r.Good/r.Judged), true
	}
	return rate, ok
}

// sumRecency returns the summed weights of capsules, in the newest of their weeks; nil where
// no call was judged.
func sumRecency(capsules []Capsule) *Recency {
	var out *Recency
	for _, c := range capsules {
		r := c.recency()
		switch {
		case r.Judged == 0:
		case out == nil:
			out = &r
		default:
			week := max(out.Week, r.Week)
			a, b := out.in(week), r.in(week)
			out = &Recency{Week: week, Judged: a.Judged + b.Judged, Good: a.Good + b.Good}
		}
	}
	return out
}

// lessRecency returns the weights of a capsule without those of another, which are part of
// them.
func (c Capsule) lessRecency(part Capsule) *Recency {
	if c.Recency == nil || part.Recency == nil {
		return c.Recency
	}
	r, p := *c.Recency, part.recency().in(max(c.Recency.Week, part.Recency.Week))
	r = r.in(p.Week)
	r.Judged = max(0, r.Judged-p.Judged)
	r.Good = min(max(0, r.Good-p.Good), r.Judged)
	return &r
}
