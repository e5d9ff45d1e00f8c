package stats

import (
	"math"
	"slices"

	"evolve/runtime/text"
)

// RatioMost is the highest ratio that a [Guard] reports; a higher ratio, which occurs for
// example when a free resource gets a price, is reported as RatioMost.
const RatioMost = text.MostRatio

// guardAlpha is the error of either end of a guard's interval at the look that proves the
// gain. It is not divided among earlier looks, because a guard decides nothing at earlier
// looks, and because fluctuations of gain and price are assumed to be independent. The
// lower end of a mean splits the error into two parts ([proofs.above]).
//
// If the confirmation continues because of an open guard, it ends when the guard has
// failed or passed. There are then several looks, each of which has a guardLooks-th of
// the error. In simulations over nine blocks, a guard at its bound then failed for .02 to
// .11 of the candidates and passed for .01 to .10, compared with .01 to .24 and .01 to
// .20 with the whole error at each look.
const (
	guardAlpha = 0.05
	guardLooks = 4
)

// The verdicts of a guard.
const (
	GuardPassed = "passed"
	GuardOpen   = "open"
	GuardFailed = "failed"
)

// NewGuard rules on the consumption of a candidate (B of the pairs) relative to its
// champion (A): the ratio of the weighted means over the tasks, or of the 95th percentiles
// over the evaluations. Nothing is clipped. The clusters of tasks are the units, and the
// interval is about new tasks like these.
//
// The guard has failed when the lower end of the ratio is above AtMost and the lower end of
// the difference is above Floor. It has passed when the upper end of the ratio is at most
// AtMost, when the upper end of the difference is at most Floor, or when both percentiles
// are at most Floor. Otherwise it is open.
//
// The interval does not cover kinds of tasks that the confirmation lacks: see
// [Guard.Unseen].
func NewGuard(b Bound, pairs []Pair) Guard { return newGuard(b, pairs, guardAlpha) }

// newGuard does what NewGuard does, with the error of either end of the interval as a
// parameter.
func newGuard(b Bound, pairs []Pair, alpha float64) Guard {
	g := Guard{
		Name: b.Name, Of: b.Of, Ratio: 1, Interval: Interval{Lo: 0, Hi: RatioMost}, Level: 1 - 2*alpha,
		Most: b.AtMost, PerPoint: b.PerPoint, Floor: b.Floor, Verdict: GuardOpen,
	}
	bills := billsOf(b.Name, normalizePairs(pairs))
	if len(bills) == 0 {
		return g
	}
	g.Unseen = Unseen(len(bills))
	var difference Interval
	if b.Of == P95 {
		difference = g.percentile(bills, alpha)
	} else {
		difference = g.mean(bills, alpha)
	}
	// If both percentiles are at most the floor, they cannot differ by more than the
	// floor.
	within := b.Of == P95 && math.Max(g.Champion, g.Candidate) <= g.Floor
	switch {
	case g.Hi <= g.Most*(1+alike) || difference.Hi <= g.Floor || within:
		g.Verdict = GuardPassed
	case g.Lo > g.Most && difference.Lo > g.Floor:
		g.Verdict = GuardFailed
	}
	return g
}

// Measured reports whether at least one side consumed anything in any pair.
func (g Guard) Measured() bool { return g.Champion > 0 || g.Candidate > 0 }

// Broken reports whether a winner must be presented as a trade, because its guard has
// failed, or because the guard is open and the mean on these tasks is itself above the
// bound. A percentile above the bound does not suffice, because noise can cause it.
func (g Guard) Broken() bool {
	above := g.Ratio > g.Most*(1+alike) && g.Candidate-g.Champion > g.Floor
	return g.Verdict == GuardFailed || g.Verdict == GuardOpen && g.Of == Mean && above
}

// Unseen returns the largest share of tasks that may behave differently although none of
// them is among n independent tasks, at an error of .05: 1 − .05^(1/n).
func Unseen(n int) float64 {
	if n <= 0 {
		return 1
	}
	return 1 - math.Pow(.05, 1/float64(n))
}

// ratioOf returns candidate/champion, at most [RatioMost]. It returns 1 if both are 0 or
// less, and RatioMost if only the champion is.
func ratioOf(champion, candidate float64) float64 {
	switch {
	case candidate <= 0 && champion <= 0:
		return 1
	case champion <= 0:
		return RatioMost
	}
	return math.Min(RatioMost, candidate/champion)
}

// bill is the consumption of one cluster of tasks: its evaluations, each with its weight.
type bill struct {
	cluster      string
	a, b, weight []float64
	// x and y are the weighted sums of the champion's and the candidate's consumption, and
	// w is the sum of the weights.
	x, y, w float64
}

// billsOf groups the values of a metric of gathered pairs by cluster. Each task counts by
// its weight, however many pairs it has. Negative values are left out.
func billsOf(metric string, clean []Pair) []bill {
	var out []bill
	for _, p := range clean {
		a, b := p.measured(metric)
		one := bill{cluster: p.Cluster, w: p.Weight}
		for r := range min(len(a), len(b)) {
			if a[r] >= 0 && b[r] >= 0 {
				one.a, one.b = append(one.a, a[r]), append(one.b, b[r])
			}
		}
		if len(one.a) == 0 {
			continue
		}
		each := p.Weight / float64(len(one.a))
		one.weight = slices.Repeat([]float64{each}, len(one.a))
		x, _ := mean(one.a)
		y, _ := mean(one.b)
		one.x, one.y = x*p.Weight, y*p.Weight
		if last := len(out) - 1; last >= 0 && out[last].cluster == p.Cluster {
			out[last] = out[last].join(one)
		} else {
			out = append(out, one)
		}
	}
	return out
}

func (l bill) join(m bill) bill {
	return bill{
		l.cluster, append(l.a, m.a...), append(l.b, m.b...), append(l.weight, m.weight...),
		l.x + m.x, l.y + m.y, l.w + m.w,
	}
}
