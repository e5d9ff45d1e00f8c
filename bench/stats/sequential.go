package stats

import "math"

// CompareSequential is [Compare] with an interval and a p-value that hold at any stopping
// time, as a comparison on the holdout needs that may stop early and go on another night: Lo
// and Hi are those of [Sample.Interval], about these very tasks; P is the bound
// min(1, 1/E) on the chance that the evidence for "B is better" ever gets as high by luck.
// Means and difference count every pair by its task's weight. SE stays the descriptive clustered
// one. Detectable is the difference whose evidence is expected to reach the level with as many
// pairs as this, s·√(2(ln(1/α) + 1)/n).
func CompareSequential(pairs []Pair, level float64) Comparison {
	clean := gather(pairs)
	c := Compare(clean, level)
	c.sequential(clean)
	for i := range c.Domains {
		c.Domains[i].sequential(ofDomain(clean, c.Domains[i].Domain))
	}
	return c
}

// sequential puts what holds at any stopping time in the place of Student's.
func (c *Comparison) sequential(clean []Pair) *Sample {
	s := sampleOf(clean)
	i := s.Interval(c.Level)
	c.MeanA, c.MeanB = pairMeans(clean)
	c.Difference, c.Lo, c.Hi = s.Mean(), i.Lo, i.Hi
	c.P = math.Min(1, math.Exp(-s.LogSuperior(0)))
	c.Detectable = 1
	if v := s.Variance(); v > 0 {
		c.Detectable = math.Min(1, math.Sqrt(2*v*(math.Log(2/(1-c.Level))+1)/float64(s.N())))
	}
	return s
}

// pairMeans are the weighted means of both sides over all pairs.
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
