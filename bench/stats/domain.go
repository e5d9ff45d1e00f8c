package stats

import "math"

const (
	// domainMargin is the loss, in score units, that a domain must be proven not to have.
	domainMargin = 0.10
	// domainFine is the error at which it is proven, domainAlpha that of better and of worse.
	domainFine  = 0.10
	domainAlpha = 0.05
)

// The verdicts on a domain.
const (
	DomainBetter = "better"
	DomainFine   = "fine"
	DomainOpen   = "open"
	DomainVeto   = "veto"
)

// parts rules on every named domain of gathered pairs. Each is judged by itself: with k domains,
// chance alone vetoes a candidate that harms none with probability k·.05 at most.
func parts(clean []Pair, fixed bool) []DomainRuling {
	var out []DomainRuling
	for _, name := range distinct(clean, func(p Pair) string { return p.Domain }) {
		out = append(out, newDomainRuling(name, ofDomain(clean, name), fixed))
	}
	return out
}

// newDomainRuling rules on one domain: veto when its difference is proven to be below 0
// at .05, better when above 0 at .05, fine when above −10 points at .10, otherwise open. Its interval
// is the one whose ends those of .05 are. The proof is about these tasks, at any stopping time; for a
// fixed agent, whose repeats say nothing new, about new tasks by Student's t.
func newDomainRuling(name string, clean []Pair, fixed bool) DomainRuling {
	s := sampleOf(clean)
	a, b := pairMeans(clean)
	r := DomainRuling{
		Domain: name, Tasks: len(clean), MeanA: a, MeanB: b, Difference: s.Mean(), Verdict: DomainOpen,
		Interval: s.Interval(1 - 2*domainAlpha),
	}
	fine := s.LogSuperior(-domainMargin) >= -math.Log(domainFine)
	if fixed {
		c := Compare(clean, 1-2*domainAlpha)
		r.Interval = Interval{Lo: c.Lo, Hi: c.Hi}
		fine = Compare(clean, 1-2*domainFine).Lo > -domainMargin
	}
	switch {
	case r.Hi < 0:
		r.Verdict = DomainVeto
	case r.Lo > 0:
		r.Verdict = DomainBetter
	case fine:
		r.Verdict = DomainFine
	}
	return r
}
