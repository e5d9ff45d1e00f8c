package stats

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// betPart and studentPart are the parts of the error that the two proofs of "above" have.
	betPart, studentPart = 0.6, 0.4
	// ratioSteps halvings find the end of a ratio within [1/RatioMost, RatioMost] to 10⁻⁹ of it.
	ratioSteps = 34
	// alike is the share of the scale below which a standard error, or a sum of excesses, counts as 0:
	// rounding alone leaves that much.
	alike = 1e-9
)

// guardBets are the shares of the capital staked against "the mean is not above".
var guardBets = [...]float64{.2, .4, .8}

// mean fills in ratio and interval of the means, and returns the interval of their difference.
// An end of the ratio is the ρ at which "the mean of candidate − ρ·champion is 0" is
// refuted on one side (Fieller 1954).
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
	// Of the difference only the side of the floor is asked for.
	floor := g.Floor * w / float64(len(bills))
	if p.above(1, floor) {
		out.Lo = math.Nextafter(g.Floor, math.Inf(1))
	}
	if p.below(1, floor) {
		out.Hi = g.Floor
	}
	return out
}

// lastRatio is the highest ratio up to which holds is true, which is to be true below some
// ratio and false above it: 0 where it never is, [RatioMost] where it always is.
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

// proofs are made of what clusters of tasks consumed. Fewer than two prove nothing.
type proofs struct {
	bills []bill
	// over and under are the quantiles of Student's t for the two sides, bet the evidence that proves "above".
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

// above reports whether the mean over clusters of y − ratio·x − floor is shown to be above 0, by one of
// two proofs.
//
// The first bets on it as [Sample] does: y has no upper bound, and a few tasks that cost forty times as
// much are evidence by their full amount, where their own variance would hide them
// from Student's t (Waudby-Smith and Ramdas 2024; a lower bound for what is not negative needs
// no other). The scale of the bets is the champion's highest bill, which is taken as known. The
// second is [studentized], which sees small differences of steady bills.
func (p *proofs) above(ratio, floor float64) bool {
	most := p.exceed(ratio, floor)
	if len(p.bills) < 2 {
		return false
	}
	if sum := floats.Sum(p.excess); sum <= 0 || sum <= alike*most {
		return false
	}
	if most == 0 {
		return true // the champion's was free
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

// below reports whether the mean over clusters of y − ratio·x − floor is shown to be at most 0, by
// [studentized]. Nothing is proven of what has no upper bound: the share of tasks that
// was not seen is stated besides.
func (p *proofs) below(ratio, floor float64) bool {
	most := p.exceed(ratio, floor)
	return len(p.bills) >= 2 && studentized(p.excess, most) <= -p.under
}

// exceed computes y − ratio·x − floor by cluster, and returns the most that one of them can be below 0.
func (p *proofs) exceed(ratio, floor float64) (most float64) {
	for i := range p.bills {
		l := &p.bills[i]
		p.excess[i] = l.y - ratio*l.x - floor
		most = math.Max(most, ratio*l.x+floor)
	}
	return most
}

// studentized is the t of a mean against 0, less what skewness does to it: Hall's transformation (1992) t + γ(t²/3 + 1/6)/√n + γ²t³/(27n), which is
// monotone. Without it the upper end of what has a long tail above is too low.
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
		return math.Inf(-1) // not above: at most 0
	}
	skew := third / n / math.Pow(second/n, 1.5)
	t := mean / (s / math.Sqrt(n))
	return t + skew*(t*t/3+1./6)/math.Sqrt(n) + skew*skew*t*t*t/(27*n)
}
