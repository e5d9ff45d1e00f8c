package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/runtime/agent"
)

// FrontPoint is a variant on the Pareto front of score, cost and time. The search estimates
// the score and the guards.
type FrontPoint struct {
	Scored
	// CostUSD and Seconds are expected means of an evaluation; see [tried.consumption]. 0
	// means that the value is unknown.
	CostUSD float64 `json:"cost_usd,omitempty"`
	Seconds float64 `json:"seconds,omitempty"`
	// Breaks names the guards that the variant is expected to violate.
	Breaks []string `json:"breaks,omitempty"`
}

// TriedPoint is a variant that the search tried on at least [leastShared] of the champion's
// tasks. Its score is the champion's estimated score plus the mean difference on these
// tasks, limited to between 0 and 1; its other values are expected means of an evaluation,
// see [tried.consumption]. Unlike the search's estimates, a score is not corrected for
// chance, so the best of many points look better than they are.
type TriedPoint struct {
	Variant Ref     `json:"variant"`
	Score   float64 `json:"score"`
	Shared  int     `json:"shared"`
	CostUSD float64 `json:"cost_usd,omitempty"`
	// Tokens is the number of tokens read and written.
	Tokens float64 `json:"tokens,omitempty"`
}

// leastShared is the minimum number of evaluations that a [TriedPoint] has in common with
// the champion, and mostTried is the maximum number of points that are listed. The points
// with the most evaluations are listed.
const (
	leastShared = 20
	mostTried   = 150
)

// LeastCosted is the minimum number of search tasks on which both a variant and the champion
// were evaluated for an estimate of the variant's cost.
const LeastCosted = leastPaired

// consumption is the expected consumption of an evaluation of a variant.
type consumption struct {
	cost, tokens float64
	// seconds is NaN if the time is unknown.
	seconds float64
}

// consumption estimates the mean consumption of a variant over the search tasks on which
// the champion was evaluated. The figures of different variants are therefore comparable,
// although the variants were evaluated on different tasks. Each figure is a ratio
// estimate (Cochran, Sampling Techniques, 3rd ed., section 6.2): the champion's mean,
// times the ratio of the variant's sum to the champion's over the tasks on which both
// were evaluated. On each task the mean over all evaluations counts, whatever their
// stages and repeats; all tasks have the same weight. known is false if there are fewer
// than [LeastCosted] common tasks.
func (t *tried) consumption(champion, id agent.ConfigID) (c consumption, known bool) {
	of, theirs := t.variants[id], t.variants[champion]
	cost, tasks := t.ratioEstimate(theirs, of, func(x trial) float64 { return x.cost })
	if tasks < LeastCosted {
		return consumption{}, false
	}
	tokens, _ := t.ratioEstimate(theirs, of, func(x trial) float64 { return float64(x.tokens) })
	seconds, timed := t.ratioEstimate(theirs, of, func(x trial) float64 { return float64(x.seconds) })
	if timed < LeastCosted {
		seconds = math.NaN()
	}
	return consumption{cost: cost, tokens: tokens, seconds: seconds}, true
}

// ratioEstimate returns the champion's mean of a quantity over its tasks, times the ratio of
// a variant's sum over the common tasks to the champion's, and the number of common tasks.
// If the champion's sum is 0, it returns the variant's mean over the common tasks. Values
// that are NaN do not count.
func (t *tried) ratioEstimate(champion, variant *trials, quantity func(trial) float64) (mean float64, common int) {
	theirs, own := t.taskMeans(champion, quantity), t.taskMeans(variant, quantity)
	var all, was, is float64
	for _, task := range sortedKeys(theirs) { // sums must not depend on the order of the evaluations
		all += theirs[task]
		if x, both := own[task]; both {
			common++
			was, is = was+theirs[task], is+x
		}
	}
	switch {
	case common == 0:
		return 0, 0
	case was > 0:
		return all / float64(len(theirs)) * (is / was), common
	}
	return is / float64(common), common
}

// taskMeans returns, for each task on which a quantity is known, the mean of the quantity
// over the variant's evaluations on that task.
func (t *tried) taskMeans(v *trials, quantity func(trial) float64) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	for _, one := range v.all() {
		if x := quantity(one); !math.IsNaN(x) {
			sums[t.tasks[one.task]] += x
			n[t.tasks[one.task]]++
		}
	}
	for task := range sums {
		sums[task] /= n[task]
	}
	return sums
}

// triedPoints lists variants that the search tried: first the champion and the headline's
// variant, then the variants with the most evaluations. It leaves out variants that share
// too few results with the champion, and those whose consumption is unknown.
func (b *builder) triedPoints() {
	tried := b.tally.tried
	champion := tried.variants[b.plan.Champion].ablated()
	headline := agent.ConfigID("")
	if b.headline >= 0 {
		headline = b.result.Finalist[b.headline].Variant
	}
	made := map[agent.ConfigID]int{}
	for id, v := range tried.variants {
		shared, difference := tried.compared(champion, v.ablated())
		if shared < leastShared {
			continue
		}
		c, known := tried.consumption(b.plan.Champion, id)
		if !known {
			continue
		}
		made[id] = v.made
		b.out.Tried = append(b.out.Tried, TriedPoint{
			Variant: b.ref(id), Score: max(0, min(1, b.result.Search.Champion.Score+difference)), Shared: shared, CostUSD: c.cost, Tokens: c.tokens,
		})
	}
	slices.SortFunc(b.out.Tried, func(x, y TriedPoint) int {
		own := func(p TriedPoint) int {
			if p.Variant.ID == b.plan.Champion || p.Variant.ID == headline {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(own(x), own(y)), cmp.Compare(made[y.Variant.ID], made[x.Variant.ID]), cmp.Compare(x.Variant.Number, y.Variant.Number), cmp.Compare(x.Variant.ID, y.Variant.ID))
	})
	b.out.Tried = First(b.out.Tried, mostTried)
}

// front fills in the tried points, and the Pareto front unless it consists of a single
// point. The front is computed from the champion and the variants that the search
// compared with it or, in results of an older evolve, from the champion and the variants
// on the search's own front. Variants without an estimate of the cost are not on it.
func (b *builder) front() {
	b.triedPoints()
	search := b.result.Search
	list := append([]archive.ScoredVariant{search.Champion}, search.Compared...)
	if len(search.Compared) == 0 {
		list = append(list, search.Front...)
	}
	var points []FrontPoint
	seen := map[agent.ConfigID]bool{}
	for _, v := range list {
		c, known := b.tally.tried.consumption(b.plan.Champion, v.Variant)
		if !known || seen[v.Variant] {
			continue
		}
		seen[v.Variant] = true
		p := FrontPoint{Scored: b.scored(v), CostUSD: c.cost, Breaks: slices.Clone(v.Breaks)}
		if !b.plan.Deterministic && c.seconds > 0 { // the report of such an agent must not depend on a clock
			p.Seconds = c.seconds
		}
		points = append(points, p)
	}
	for _, p := range points {
		dominated := slices.ContainsFunc(points, func(o FrontPoint) bool { return o.dominates(p) })
		if !dominated || p.Variant.ID == b.plan.Champion {
			b.out.Front = append(b.out.Front, p)
		}
	}
	if len(b.out.Front) < 2 {
		b.out.Front = nil
	}
	slices.SortFunc(b.out.Front, func(x, y FrontPoint) int {
		return cmp.Or(ordered(x.CostUSD, y.CostUSD), ordered(x.Seconds, y.Seconds), cmp.Compare(y.Score, x.Score), strings.Compare(string(x.Variant.ID), string(y.Variant.ID)))
	})
}

// roundoff is the relative difference below which two means count as equal: sums of times
// have the precision of a float32.
const roundoff = 1e-6

// dominates reports whether p is at least as good as o in all respects and better in at
// least one. A time that is unknown for p or for o is not compared.
func (p FrontPoint) dominates(o FrontPoint) bool {
	cost, time := ordered(p.CostUSD, o.CostUSD), 0
	if p.Seconds > 0 && o.Seconds > 0 {
		time = ordered(p.Seconds, o.Seconds)
	}
	return p.Score >= o.Score && cost <= 0 && time <= 0 && (p.Score > o.Score || cost < 0 || time < 0)
}

// ordered compares two means as [cmp.Compare] does, but returns 0 if their relative
// difference is at most [roundoff].
func ordered(a, b float64) int {
	if math.Abs(a-b) <= roundoff*math.Max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return cmp.Compare(a, b)
}
