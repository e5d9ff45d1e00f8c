package experience

import (
	"math"
	"time"
)

// Recency weights the judged calls of a capsule by week: a call counts half as much as a
// call in the following week, so a tool that works again recovers, no matter how long it
// failed. The weights are powers of two, so their sums are not rounded.
type Recency struct {
	// Week is the newest week with a judged call, counted from 1 January 1970.
	Week int `json:"week"`
	// Judged is the total weight of the judged calls, and Good is the total weight of the
	// successes among them. A call in Week has the weight 1.
	Judged float64 `json:"judged"`
	Good   float64 `json:"good"`
}

// weekOf returns the number of the week that a time is in.
func weekOf(t time.Time) int { return int(math.Floor(float64(t.Unix()) / week.Seconds())) }

// weekOf returns the week in which a turn's calls count. If the turn is stored late, this
// is the newest week, because a success with a low weight would lower the usefulness.
func (e *Experience) weekOf(t Turn) int {
	if t.Time.Before(e.Updated) {
		return weekOf(e.Updated)
	}
	return weekOf(t.Time)
}

// in returns the weights relative to the given week, which must not be earlier than r.Week.
func (r Recency) in(week int) Recency {
	fade := math.Exp2(float64(r.Week - week))
	return Recency{Week: week, Judged: r.Judged * fade, Good: r.Good * fade}
}

// recency returns the weights of the calls. Capsules written by earlier versions have no
// weights, so all their calls count equally, in the week of the last call.
func (c Capsule) recency() Recency {
	if c.Recency != nil {
		return *c.Recency
	}
	n := float64(c.Judged())
	return Recency{Week: weekOf(c.Last), Judged: n, Good: min(n, float64(c.Success()))}
}

// weigh adds a number of judged calls in a week and the number of successes among them. A
// negative number of successes subtracts successes.
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

// recentRate returns the weighted share of successes among the judged calls; false means
// that no call was judged. If all calls are from one week, it equals [Capsule.Rate].
func (c Capsule) recentRate() (float64, bool) {
	rate, ok := c.Rate()
	if r := c.recency(); ok && r.Judged > 0 {
		return min(1, r.Good/r.Judged), true
	}
	return rate, ok
}

// sumRecency returns the sum of the weights of capsules, relative to the newest of their
// weeks, or nil if no call was judged.
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

// lessRecency returns the weights of c minus the weights of part. The calls of part must be
// among those of c.
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
