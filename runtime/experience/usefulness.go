package experience

import "evolve/runtime/agent"

const (
	// noHistory is the usefulness of a tool without judged calls.
	noHistory = .5
	// fullCalls is the number of judged calls from which those of a domain count alone.
	fullCalls = 10
	// avoidedBelow is the usefulness below which a tool's score is multiplied by avoided.
	avoidedBelow, avoided = .3, .3
)

// History is what the calls of a tool have shown for one domain.
type History struct {
	// In has the calls in the domain; for [Global] those in all domains. Others has those
	// in the other domains, of which only the counts are set.
	In, Others Capsule
}

// Usefulness returns (.7·rate + .5·.3)·c + g·(1 − c), in [0,1], with the rate of the calls in
// the domain by their weeks (see [Recency]) and c = min(1, judged/10) (spec 3.8, 4.2). g is
// the same of the calls in the other domains; for these it is prior, the usefulness without
// judged calls. No failure raises it and no success lowers it, in whatever domain, for a prior
// in [.15, .85]: the first calls in a domain replace what the other domains have shown step by
// step, not at once.
func (h History) Usefulness(prior float64) float64 {
	return h.In.usefulness(h.Others.usefulness(prior))
}

// usefulness returns the usefulness by the judged calls of a capsule, of which the first ten
// replace the prior step by step.
func (c Capsule) usefulness(prior float64) float64 {
	rate, ok := c.recentRate()
	if !ok {
		return prior
	}
	weight := min(1, float64(c.Judged())/fullCalls)
	return (.7*rate+.5*.3)*weight + prior*(1-weight)
}

// Usefulness returns the usefulness of a tool's method in a domain (see
// [History.Usefulness]); .5 without any history.
func (e *Experience) Usefulness(tool, method, domain string) float64 {
	return e.History(tool, method, domain).Usefulness(noHistory)
}

// History returns what the calls of a tool's method have shown for a domain.
func (e *Experience) History(tool, method, domain string) History {
	method = clipped(method)
	return e.history(tool, domain, func(c Capsule) bool { return c.Method == method })
}

// Pooled returns what the calls of all methods of a tool together have shown for a domain.
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

// less returns the calls, outcomes and corrections of a capsule without those of another.
func (c Capsule) less(part Capsule) Capsule {
	out := Capsule{Calls: max(0, c.Calls-part.Calls), Corrected: max(0, c.Corrected-part.Corrected), Outcomes: map[agent.Outcome]int{}, Recency: c.lessRecency(part)}
	for o, n := range c.Outcomes {
		out.Outcomes[o] = max(0, n-part.Outcomes[o])
	}
	return out
}

// Avoidance returns the factor of a tool's score by a usefulness: .3 below .3, else 1.
func Avoidance(usefulness float64) float64 {
	if usefulness < avoidedBelow {
		return avoided
	}
	return 1
}
