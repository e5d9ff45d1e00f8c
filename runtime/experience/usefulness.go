package experience

import "evolve/runtime/agent"

const (
	// noHistory is the usefulness of a tool without judged calls.
	noHistory = .5
	// fullCalls is the number of judged calls that a domain needs before calls in other
	// domains stop counting.
	fullCalls = 10
	// avoidedBelow is the usefulness below which a tool's score is multiplied by the factor
	// avoided.
	avoidedBelow, avoided = .3, .3
)

// History holds what the calls to a tool have shown, divided into those in one domain and
// those in the others.
type History struct {
	// In holds the calls in the domain, or the calls in all domains if the domain is
	// [Global]. Others holds the calls in the other domains; only its counts are set.
	In, Others Capsule
}

// Usefulness returns (.7·rate + .5·.3)·c + g·(1 − c), in [0,1], where rate is the success
// rate of the calls in the domain, weighted by week (see [Recency]), and c = min(1,
// judged/10) (spec 3.8, 4.2). g is the same expression for the calls in the other
// domains, with prior in place of g; prior is the usefulness without judged calls. For a
// prior in [.15, .85], no failure raises the usefulness and no success lowers it, in
// whatever domain: the first calls in a domain replace gradually, not at once, what the
// other domains have shown.
func (h History) Usefulness(prior float64) float64 {
	return h.In.usefulness(h.Others.usefulness(prior))
}

// usefulness returns the usefulness based on the judged calls of a capsule. The first ten
// of them gradually replace the prior.
func (c Capsule) usefulness(prior float64) float64 {
	rate, ok := c.recentRate()
	if !ok {
		return prior
	}
	weight := min(1, float64(c.Judged())/fullCalls)
	return (.7*rate+.5*.3)*weight + prior*(1-weight)
}

// Usefulness returns the usefulness of a tool's method in a domain (see
// [History.Usefulness]), or .5 if there is no history.
func (e *Experience) Usefulness(tool, method, domain string) float64 {
	return e.History(tool, method, domain).Usefulness(noHistory)
}

// History returns what the calls to a tool's method have shown with regard to a domain.
func (e *Experience) History(tool, method, domain string) History {
	method = clipped(method)
	return e.history(tool, domain, func(c Capsule) bool { return c.Method == method })
}

// Pooled returns what the calls to all methods of a tool together have shown with regard to
// a domain.
func (e *Experience) Pooled(tool, domain string) History {
	return e.history(tool, domain, func(Capsule) bool { return true })
}

func (e *Experience) history(tool, domain string, counts func(Capsule) bool) History {
	tool, domain = clipped(tool), domainName(domain)
	var in, all []Capsule
	for _, c := range e.Capsules {
		if c.Tool != tool || !counts(c) {
			continue
		}
		if c.Domain == domain {
			in = append(in, c)
		}
		if c.Domain == Global {
			all = append(all, c)
		}
	}
	out := History{In: sum(in)}
	out.Others = sum(all).less(out.In)
	return out
}

// less returns a capsule with the calls, outcomes, corrections and weights of c minus those
// of part.
func (c Capsule) less(part Capsule) Capsule {
	out := Capsule{Calls: max(0, c.Calls-part.Calls), Corrected: max(0, c.Corrected-part.Corrected), Outcomes: map[agent.Outcome]int{}, Recency: c.lessRecency(part)}
	for o, n := range c.Outcomes {
		out.Outcomes[o] = max(0, n-part.Outcomes[o])
	}
	return out
}

// Avoidance returns the factor by which a tool's score is multiplied because of its
// usefulness: .3 if the usefulness is below .3, otherwise 1.
func Avoidance(usefulness float64) float64 {
	if usefulness < avoidedBelow {
		return avoided
	}
	return 1
}
