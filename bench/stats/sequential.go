package stats

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// compareSequential is [Compare] with an interval and a p-value that are valid at any
// stopping time, as needed for a comparison on the holdout that may stop early and continue
// on another night. Lo and Hi are those of [Sample.Interval], about these tasks themselves.
// P is min(1, 1/E), an upper bound on the probability that the evidence for "B is better"
// ever gets this high by chance. Means and difference weight every pair by its task's
// weight. SE remains the descriptive clustered standard error. Detectable is the half-width
// below the difference plus z_{.8} standard errors, for a look after the same number of
// pairs. compareSequential expects normalized pairs and also returns their sample.
func compareSequential(clean []Pair, level float64) (Comparison, *Sample) {
	c := Compare(clean, level)
	for i := range c.Domains {
		c.Domains[i].sequential(ofDomain(clean, c.Domains[i].Domain))
	}
	return c, c.sequential(clean)
}

// sequential replaces Student's statistics with those that are valid at any stopping time.
func (c *Comparison) sequential(clean []Pair) *Sample {
	s := sampleOf(clean)
	i := s.Interval(c.Level)
	c.MeanA, c.MeanB = pairMeans(clean)
	c.Difference, c.Lo, c.Hi = s.Mean(), i.Lo, i.Hi
	c.P = math.Min(1, math.Exp(-s.LogSuperior(0)))
	c.Detectable = math.Min(1, c.Difference-c.Lo+distuv.UnitNormal.Quantile(power)*math.Sqrt(s.Variance()/math.Max(1, float64(s.N()))))
	return s
}

// pairMeans returns the weighted means of both sides over all pairs.
func pairMeans(clean []Pair) (a, b float64) {
	var total float64
	for _, p := range clean {
		ma, n := mean(p.A)
		mb, _ := mean(p.B)
		w := p.Weight * float64(n)
		a, b, total = a+w*ma, b+w*mb, total+w
	}
	if total == 0 {
		return 0, 0
	}
	return a / total, b / total
}

func ofDomain(clean []Pair, name string) []Pair {
	var out []Pair
	for _, p := range clean {
		if p.Domain == name {
			out = append(out, p)
		}
	}
	return out
}
