package mutate

import (
	"cmp"
	"math"
	"slices"

	"evolve/bench/stats"
)

const (
	// shrunk is the weight of the ratio of the overall means, expressed as a number of
	// common tasks.
	shrunk = 3
	// leastBilled is the minimum number of evaluations from which a variant's price is
	// computed.
	leastBilled = 3
)

// spend is the consumption of a variant's evaluations on one task. Its fields have small
// types because a long search holds a million spends.
type spend struct {
	task, n       int32
	cost, seconds float32
	// timed is how many of the n evaluations have a known time; seconds is the sum of the
	// known times.
	timed int32
}

// findSpend returns the position of a task in a list ordered by task, and reports whether
// the list contains the task.
func findSpend(list []spend, task int32) (at int, found bool) {
	return slices.BinarySearchFunc(list, task, func(p spend, task int32) int { return int(p.task) - int(task) })
}

// pay records the consumption of an evaluation. A NaN in seconds means that the time is
// unknown.
func (a *variantStats) pay(task int, cost, seconds float64) {
	at, found := findSpend(a.spends, int32(task))
	if !found {
		a.spends = slices.Insert(a.spends, at, spend{task: int32(task)})
	}
	p := &a.spends[at]
	const most = 1e30 // so that no sum is infinite
	p.n, p.cost = p.n+1, p.cost+float32(min(cost, most))
	if !math.IsNaN(seconds) {
		p.timed, p.seconds = p.timed+1, p.seconds+float32(min(seconds, most))
	}
}

// priced holds the expected mean cost (USD) and time (seconds) of a variant.
type priced struct {
	cost, seconds float64
	// costs and lasts are the ratios of the variant's cost and time to the champion's.
	costs, lasts float64
	// known reports whether the ratios come from the variant's own evaluations; otherwise
	// the ratios are 1 and the means are 0.
	known bool
}

// price returns a variant's mean cost and time, and their ratios to the champion's. Each
// ratio is computed from the sums over the tasks that the variant and the champion have
// both run. Its logarithm is shrunk towards the logarithm of the ratio of the overall
// means, which counts as three common tasks.
func (s *search) price(a *variantStats) priced {
	p := priced{costs: 1, lasts: 1}
	if n := float64(s.champion.billed); n > 0 {
		p.cost, p.seconds, p.known = s.champion.cost/n, s.champion.seconds/float64(max(1, s.champion.timed)), true
	}
	if a == s.champion {
		return p
	}
	if a.billed < leastBilled {
		return priced{costs: 1, lasts: 1}
	}
	p.known = true
	var cost, seconds [2]float64
	var common, both float64
	for _, mine := range a.spent() {
		at, found := findSpend(s.champion.spends, mine.task)
		if !found {
			continue
		}
		theirs, n := s.champion.spends[at], float64(mine.n)
		m := float64(s.champion.spends[at].n)
		common++
		cost[0], cost[1] = cost[0]+float64(theirs.cost)/m, cost[1]+float64(mine.cost)/n
		if theirs.timed > 0 && mine.timed > 0 {
			both++
			seconds[0], seconds[1] = seconds[0]+float64(theirs.seconds)/float64(theirs.timed), seconds[1]+float64(mine.seconds)/float64(mine.timed)
		}
	}
	ratio := func(v [2]float64, common, theirs, own float64) float64 {
		if !(theirs > 0) || !(own > 0) {
			return 1
		}
		overall := math.Log(own / theirs)
		if !(v[0] > 0) || !(v[1] > 0) {
			return math.Exp(overall)
		}
		return math.Exp((common*math.Log(v[1]/v[0]) + shrunk*overall) / (common + shrunk))
	}
	n := float64(a.billed)
	p.costs, p.lasts = ratio(cost, common, p.cost, a.cost/n), ratio(seconds, both, p.seconds, a.seconds/float64(max(1, a.timed)))
	p.cost *= p.costs
	p.seconds *= p.lasts
	if s.champion.cost == 0 && a.billed > 0 {
		p.cost = a.cost / float64(a.billed) // if the champion's cost is 0, the ratio to it is undefined
	}
	return p
}

// breaks returns the names of the guards that a variant is expected to violate, given its
// lead. The mean time replaces the percentile that the guard bounds, for which a search has
// too few evaluations.
func (s *search) breaks(x rival) []string {
	var out []string
	own, theirs := s.price(x.variantStats), s.price(s.champion)
	for _, g := range s.guards {
		g = g.For(math.Max(0, x.lead-1.96*x.se))
		ratio, was, is := own.costs, theirs.cost, own.cost
		switch g.Name {
		case stats.Cost:
			if was == 0 && is > 0 {
				ratio = stats.RatioMost
			}
		case stats.Latency:
			ratio, was, is = own.lasts, theirs.seconds, own.seconds
		default:
			continue // the search has no other metrics
		}
		if ratio > g.AtMost && is-was > g.Floor {
			out = append(out, g.Name)
		}
	}
	return out
}

// preferred returns the value, in score units, of a variant's cost and time, using the
// price that the guards set on a point; it returns 0 if they set none.
func (s *search) preferred(a *variantStats) float64 {
	worth := 0.
	p := s.price(a)
	for _, g := range s.guards {
		ratio := p.costs
		if g.Name == stats.Latency {
			ratio = p.lasts
		}
		if g.PerPoint > 0 && (g.Name == stats.Cost || g.Name == stats.Latency) {
			worth -= (ratio - 1) / g.PerPoint / 100
		}
	}
	return worth
}

// affordable takes a list of variants in descending order of ability, and removes those
// that are expected to violate a guard. If this concerns the first variant of the list,
// that variant stays as a possible trade as long as it has fewer evaluations than the
// champion.
func (s *search) affordable(list []*variantStats) []*variantStats {
	if len(s.guards) == 0 {
		return list
	}
	own := s.expected(s.champion.ability)
	first := true
	return slices.DeleteFunc(list, func(a *variantStats) bool {
		leads := first
		first = false
		breaks := len(s.breaks(rival{a, s.expected(a.ability) - own, a.deviation * s.slope(a.ability)})) > 0
		return breaks && (!leads || a.asked >= s.champion.asked)
	})
}

// within orders rivals by the guards. First come the rivals that are expected to satisfy
// them. At most one rival that is expected to violate some guards follows, as a possible
// trade, and only if it leads all the others.
func (s *search) within(rank []rival) []rival {
	if len(s.guards) == 0 {
		return rank
	}
	var kept []rival
	var dear *rival
	lead := math.Inf(-1)
	for i := range rank {
		x := &rank[i]
		switch {
		case len(s.breaks(*x)) == 0:
			kept, lead = append(kept, *x), math.Max(lead, x.lead)
		case dear == nil || x.lead > dear.lead:
			dear = x
		}
	}
	if dear == nil || dear.lead <= math.Max(0, lead) {
		return kept
	}
	if len(kept) >= s.finalists { // the trade takes the last place
		kept = kept[:s.finalists-1]
	}
	return append(kept, *dear)
}

// front returns the champion and the rivals that are not dominated in score, cost and time,
// in ascending order of cost, given the estimates for the rivals. Variants whose price is
// unknown are left out.
func (s *search) front(rank []rival, estimates []Estimate) []Estimate {
	all := []Estimate{s.estimate(s.champion, 0, 0)}
	for i, x := range rank {
		if s.price(x.variantStats).known {
			all = append(all, estimates[i])
		}
	}
	var out []Estimate
	for i, e := range all {
		if !slices.ContainsFunc(all, func(o Estimate) bool { return o.dominates(e) }) || i == 0 {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b Estimate) int {
		return cmp.Or(cmp.Compare(a.CostUSD, b.CostUSD), cmp.Compare(a.Seconds, b.Seconds), cmp.Compare(b.Score, a.Score))
	})
	return out
}

// roundoff is the relative difference below which two means of cost or time count as equal:
// the order in which a sum is taken changes its last digits.
const roundoff = 1e-9

// dominates reports whether e is at least as good as o in all respects and better in at
// least one.
func (e Estimate) dominates(o Estimate) bool {
	cost, time := ordered(e.CostUSD, o.CostUSD), ordered(e.Seconds, o.Seconds)
	return e.Score >= o.Score && cost <= 0 && time <= 0 && (e.Score > o.Score || cost < 0 || time < 0)
}

// ordered compares two means as [cmp.Compare] does, but returns 0 if their relative
// difference is at most [roundoff].
func ordered(a, b float64) int {
	if math.Abs(a-b) <= roundoff*math.Max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return cmp.Compare(a, b)
}
