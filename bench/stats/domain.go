package stats

import "math"

const (
	// domainMargin is the loss, in score units, that must be ruled out in a domain.
	domainMargin = 0.10
	// domainFine is the error of ruling out a loss of domainMargin, and domainAlpha is the
	// error of the verdicts "better" and "veto". Each error is for all domains together.
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

// parts gives a ruling on every named domain of the gathered pairs. The errors are
// divided by the number of domains (Bonferroni), so a candidate that harms none is vetoed
// by chance with probability .05 at most.
func parts(clean []Pair, fixed bool) []DomainRuling {
	names := distinct(clean, func(p Pair) string { return p.Domain })
	out := make([]DomainRuling, 0, len(names))
	for _, name := range names {
		out = append(out, newDomainRuling(name, ofDomain(clean, name), float64(len(names)), fixed))
	}
	return out
}

// newDomainRuling rules on one of several domains. Like an adoption, the ruling rests on
// the claim about new tasks like those of the domain. The verdict is veto if the difference
// on such tasks is proven to be below 0 at the error .05/domains, better if it is proven to
// be above 0 at .05/domains, fine if it is proven to be above −10 points at .10/domains,
// and open otherwise. Each end of the interval has the error .05/domains. The bounds are
// those of the claim itself; for a fixed agent, they are Student's.
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
	// ever returns the distance between the difference and its bound that remains however
	// many blocks there are. This distance comes only from the variance between tasks and
	// nights.
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
