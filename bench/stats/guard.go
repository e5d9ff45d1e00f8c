package stats

import "math"

const (
	// guardMost is the ratio of cost or latency that a winner may have at most.
	guardMost = 1.1
	// guardClip bounds the ratio of one pair, and with it what one outlier can say.
	guardClip = 4.0
	// guardAlpha is the error at which a guard is proven, either way.
	guardAlpha = 0.05
)

// The verdicts of a guard.
const (
	GuardPassed = "passed"
	GuardOpen   = "open"
	GuardFailed = "failed"
)

// NewGuard rules on a quantity of which less is better (USD, seconds) from its values for champion and
// candidate, pair by pair. The logarithm of each ratio, clipped to ±ln 4 and divided by
// ln 4, is a difference like any other; "at most +10 %" is proven when the evidence that its
// mean is below ln 1.1/ln 4 reaches ln 20. Not being significantly worse is no proof.
//
// The mean of logarithms is the geometric mean of the ratios, every pair counting once: what the
// typical pair pays more or less, not what the sum of a month does. Nothing against nothing counts as equal,
// something against nothing as four times as much; what is negative or not a number is left out.
func NewGuard(name string, champion, candidate []float64) Guard {
	s := ratios(champion, candidate)
	margin := math.Log(guardMost) / math.Log(guardClip)
	g := Guard{
		Name: name, Ratio: ratio(s.Mean()), Most: guardMost,
		Interval: Interval{Lo: ratio(s.Lower(guardAlpha)), Hi: ratio(s.Upper(guardAlpha))},
		LogE:     s.LogInferior(margin), Threshold: -math.Log(guardAlpha), Verdict: GuardOpen,
	}
	switch {
	case g.LogE >= g.Threshold:
		g.Verdict = GuardPassed
	case s.LogSuperior(margin) >= g.Threshold:
		g.Verdict = GuardFailed
	}
	return g
}

// known is the guard of an agent that costs the same every time: there is nothing to
// prove, and its interval is a point.
func (g Guard) known() Guard {
	g.Interval, g.LogE, g.Threshold, g.Verdict = Interval{Lo: g.Ratio, Hi: g.Ratio}, 0, 0, GuardPassed
	if g.Ratio > g.Most {
		g.Verdict = GuardFailed
	}
	return g
}

// ratios holds the clipped logarithms of candidate over champion in units of ln 4.
func ratios(champion, candidate []float64) *Sample {
	logs := make([]float64, 0, len(champion))
	for r := range min(len(champion), len(candidate)) {
		a, b := champion[r], candidate[r]
		switch {
		case !finite(a) || !finite(b) || a < 0 || b < 0:
		case a == b:
			logs = append(logs, 0)
		default:
			logs = append(logs, math.Log(b/a)/math.Log(guardClip))
		}
	}
	return NewSample(logs...)
}

// ratio is what such a logarithm stands for.
func ratio(log float64) float64 { return math.Pow(guardClip, log) }
