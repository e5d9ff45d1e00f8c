package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// betPart and studentPart are the shares of the error that the two proofs in
	// [proofs.above] get.
	betPart, studentPart = 0.6, 0.4
	// ratioSteps is the number of bisections that find the end of a ratio within
	// [1/RatioMost, RatioMost] to a relative precision of 10⁻⁹.
	ratioSteps = 34
	// alike is the share of the scale below which a standard error, or a sum of excesses,
	// is attributed to rounding and counts as 0.
	alike = 1e-9
)

// guardBets are the shares of the capital that are staked against the hypothesis "the mean
// is not above 0".
var guardBets = [...]float64{.2, .4, .8}

// mean sets the ratio of the means and its interval, and returns the interval of their
// difference. Each end of the ratio's interval is the ρ at which the hypothesis "the mean
// of candidate − ρ·champion is 0" is refuted on one side (Fieller 1954).
func (g *Guard) mean(bills []bill, alpha float64) Interval {
	var x, y, w float64
	for _, l := range bills {
		x, y, w = x+l.x, y+l.y, w+l.w
	}
	g.Champion, g.Candidate = x/w, y/w
	g.Ratio = ratioOf(x, y)
	p := newProofs(bills, alpha)
	g.Lo = math.Min(g.Ratio, lastRatio(func(ratio float64) bool { return p.above(ratio, 0) }))
	g.Hi = math.Max(g.Ratio, lastRatio(func(ratio float64) bool { return !p.below(ratio, 0) }))
	out := Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	// Only the position of the difference relative to the floor matters.
	floor := g.Floor * w / float64(len(bills))
	if p.above(1, floor) {
		out.Lo = math.Nextafter(g.Floor, math.Inf(1))
	}
	if p.below(1, floor) {
		out.Hi = g.Floor
	}
	return out
}

// lastRatio returns the highest ratio that satisfies the condition holds. The condition
// must be true below some ratio and false above it. The result is 0 if no ratio satisfies
// it, and [RatioMost] if every ratio does.
func lastRatio(holds func(float64) bool) float64 {
	lo, hi := 1./RatioMost, float64(RatioMost)
	switch {
	case !holds(lo):
		return 0
	case holds(hi):
		return RatioMost
	}
	for range ratioSteps {
		if mid := math.Sqrt(lo * hi); holds(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Sqrt(lo * hi)
}

// proofs tests hypotheses about the consumption of clusters of tasks. Fewer than two
// clusters prove nothing.
type proofs struct {
	bills []bill
	// over and under are the quantiles of Student's t that prove "above" and "below", and
	// bet is the log evidence that proves "above".
	over, under, bet float64
	excess           []float64
}

func newProofs(bills []bill, alpha float64) *proofs {
	p := &proofs{bills: bills, excess: make([]float64, len(bills)), bet: -math.Log(betPart * alpha)}
	if df := float64(len(bills) - 1); df > 0 {
		p.over, p.under = tQuantile(1-studentPart*alpha, df), tQuantile(1-alpha, df)
	}
	return p
}

// above reports whether the mean over clusters of y − ratio·x − floor is shown to be
// above 0, by one of two proofs.
//
// The first proof bets on this mean as [Sample] does: y has no upper bound, and a few
// tasks that cost forty times as much count as evidence with their full amount, whereas
// in Student's t their own variance would hide them (Waudby-Smith and Ramdas 2024; a
// lower bound for non-negative values suffices). The scale of the bets is the champion's
// highest bill, which is taken as known. The second proof is [studentized], which detects
// small differences between steady bills.
func (p *proofs) above(ratio, floor float64) bool {
	most := p.exceed(ratio, floor)
	if len(p.bills) < 2 {
		return false
	}
	if sum := floats.Sum(p.excess); sum <= 0 || sum <= alike*most {
		return false
	}
	if most == 0 {
		return true // the champion consumed nothing
	}
	var logs [len(guardBets)]float64
	for j, l := range guardBets {
		for _, u := range p.excess {
			logs[j] += math.Log1p(l * u / most)
		}
	}
	return floats.LogSumExp(logs[:])-math.Log(float64(len(logs))) >= p.bet ||
		studentized(p.excess, most) >= p.over
}

// below reports whether the mean over clusters of y − ratio·x − floor is shown to be at
// most 0, by [studentized]. Because the values have no upper bound, this proves nothing for
// rare tasks: [Unseen] gives their share.
func (p *proofs) below(ratio, floor float64) bool {
	most := p.exceed(ratio, floor)
	return len(p.bills) >= 2 && studentized(p.excess, most) <= -p.under
}

// exceed stores y − ratio·x − floor of each cluster in excess, and returns the largest
// amount by which one of these values can be below 0.
func (p *proofs) exceed(ratio, floor float64) (most float64) {
	for i := range p.bills {
		l := &p.bills[i]
		p.excess[i] = l.y - ratio*l.x - floor
		most = math.Max(most, ratio*l.x+floor)
	}
	return most
}

// studentized returns the t statistic of a mean against 0, corrected for skewness by Hall's
// transformation (1992) t + γ(t²/3 + 1/6)/√n + γ²t³/(27n), which is monotone. Without the
// correction, the upper end for a distribution with a long upper tail is too low.
func studentized(values []float64, scale float64) float64 {
	n := float64(len(values))
	mean := floats.Sum(values) / n
	var second, third float64
	for _, v := range values {
		second += (v - mean) * (v - mean)
		third += (v - mean) * (v - mean) * (v - mean)
	}
	s := math.Sqrt(second / (n - 1))
	if s <= alike*scale {
		if mean > alike*scale {
			return math.Inf(1)
		}
		return math.Inf(-1) // not above, so at most 0
	}
	skew := third / n / math.Pow(second/n, 1.5)
	t := mean / (s / math.Sqrt(n))
	return t + skew*(t*t/3+1./6)/math.Sqrt(n) + skew*skew*t*t*t/(27*n)
}
