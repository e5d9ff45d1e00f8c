package stats

import "math"

const (
	// domainMargin is the loss, in score units, that must be ruled out in a domain.
	domainMargin = 0.10
	// domainFine is the error of ruling it out, domainAlpha that of better and of worse,
	// each for all domains together.
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

// parts rules on every named domain of gathered pairs. The errors are divided by the
// number of domains (Bonferroni), so that a candidate that harms none is vetoed by chance
// with probability .05 at most.
func parts(clean []Pair, fixed bool) []DomainRuling {
	names := distinct(clean, func(p Pair) string { return p.Domain })
	out := make([]DomainRuling, 0, len(names))
	for _, name := range names {
		out = append(out, newDomainRuling(name, ofDomain(clean, name), float64(len(names)), fixed))
	}
	return out
}

// newDomainRuling rules on one of several domains by the claim about new tasks like its
// tasks, on which an adoption rests: veto when its difference there is proven to be below
// 0 at .05/domains, better when above 0 at .05/domains, fine when above −10 points at
// .10/domains, otherwise open. Its interval is the one whose ends have the error
// .05/domains. The bounds are those of the claim itself, for a fixed agent Student's.
func newDomainRuling(name string, clean []Pair, domains float64, fixed bool) DomainRuling {
	all := newReach(clean)
	a, b := pairMeans(clean)
	r := DomainRuling{
		Domain: name, Tasks: len(clean), MeanA: a, MeanB: b, Difference: all.sample.Mean(), Verdict: DomainOpen,
		Level: 1 - 2*domainAlpha/domains,
	}
	var fine bool
	if fixed {
		c := Compare(clean, r.Level)
		r.Interval = Interval{Lo: c.Lo, Hi: c.Hi}
		fine = Compare(clean, 1-2*domainFine/domains).Lo > -domainMargin
	} else {
		r.Interval = all.interval(r.Level)
		lower, _ := all.lower(domainFine / domains)
		fine = lower > -domainMargin
	}
	// With ever more blocks, only the variance of tasks and nights remains of the two
	// distances.
	ever := func(alpha float64) float64 { return math.Hypot(all.spread(alpha), all.drift.error(alpha)) }
	hopeless := all.telling() && r.Difference+ever(domainAlpha/domains) >= 0 && r.Difference-ever(domainFine/domains) <= -domainMargin ||
		all.Effective <= 1+flat
	switch {
	case r.Hi < 0:
		r.Verdict = DomainVeto
	case r.Lo > 0:
		r.Verdict = DomainBetter
	case fine:
		r.Verdict = DomainFine
	default:
		r.Hopeless = hopeless
	}
	return r
}
