package mutate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"evolve/mutate/irt"
	"evolve/mutate/operator"
	"evolve/runtime/text"
)

const (
	// considered is the maximum number of variants in a recommendation.
	considered = 20
	// doubt is the number of standard deviations that are subtracted from a variant's
	// mean.
	doubt = 0.5
	// leastLead is the lead over the champion, in standard errors, that suffices as
	// evidence after many results; see [search.enoughLead]. strongLead is the lead that
	// suffices even if it does not show on the tasks that the variant and the champion
	// have both run; there must be at least commonTasks of these tasks. The verdict
	// follows later, on other tasks.
	leastLead, strongLead = 1.5, 2.5
	// With few results the evidence has to be stronger: the required lead increases by
	// fewResults divided by the number of results, but by at most moreLead.
	fewResults  = 35
	moreLead    = 0.17
	commonTasks = 6
)

// enoughLead returns the lead over the champion, in standard errors, that suffices as
// evidence. A standard error treats the model's hyperparameters as known. The fewer the
// results from which they were learnt, the larger the error that this ignores.
func (s *search) enoughLead() float64 {
	return leastLead + math.Min(moreLead, fewResults/float64(max(1, s.results)))
}

// rival is a variant other than the champion.
type rival struct {
	*variantStats
	// lead is the lead over the champion in score units, and se its standard error.
	lead, se float64
}

// Recommend returns the current recommendation. Of the variants with any success, the best
// is the one with the highest posterior mean minus half its standard deviation. The
// champion stays unless the evidence against it suffices. Recommend has no side effects.
func (s *search) Recommend() Recommendation {
	r := Recommendation{
		Champion: s.estimate(s.champion, 0, 0), Best: s.estimate(s.champion, 0, 0), Variants: len(s.variants), Exhausted: s.exhausted,
		Told: s.results, RandomTold: s.baseline.results, Drafts: s.draftGains(), Operators: s.breeding.bandit.Export(),
	}
	rank := s.rivals()
	for _, x := range rank {
		e := s.estimate(x.variantStats, x.lead, x.se)
		e.Breaks = s.breaks(x)
		r.Compared = append(r.Compared, e)
	}
	r.Front = s.front(rank, r.Compared)
	rank = s.within(rank)
	for _, x := range s.shortlist(rank) {
		e := s.estimate(x.variantStats, x.lead, x.se)
		e.Breaks = s.breaks(x)
		e.Common, e.Measured = s.paired(x.variantStats)
		r.Finalists = append(r.Finalists, e)
	}
	if a := s.baseline.best(); a != nil {
		r.Random = s.estimate(a, s.value(a)-s.value(s.champion), a.deviation*s.slope(a.ability))
	}
	if len(rank) == 0 || s.champion.scored == 0 {
		r.Reasons = append(r.Reasons, "no variant has enough evaluations to be compared with the champion")
		return r
	}
	top, enough := rank[0], s.enoughLead()
	common, difference := s.paired(top.variantStats)
	switch {
	case r.Finalists[0].Score <= r.Champion.Score:
		r.Reasons = append(r.Reasons, fmt.Sprintf("the best variant is expected to score %s points less than the champion: the champion stays", text.Size(r.Champion.Score-r.Finalists[0].Score)))
	case top.lead > max(strongLead, enough)*top.se && top.lead > 0, top.lead > enough*top.se && (common < commonTasks || difference > 0):
		r.Best = r.Finalists[0]
		r.Reasons = append(r.Reasons, fmt.Sprintf("leads the champion by %s ± %s points on the search tasks", text.Size(top.lead), text.Size(top.se)))
	case top.lead > enough*top.se:
		r.Reasons = append(r.Reasons, fmt.Sprintf(
			"the best variant's lead of %s ± %s points is absent on the %d tasks on which both the variant and the champion were evaluated: the champion stays", text.Size(top.lead), text.Size(top.se), common))
	default:
		r.Reasons = append(r.Reasons, fmt.Sprintf("the best variant leads the champion by only %s ± %s points: the champion stays", text.Size(top.lead), text.Size(top.se)))
	}
	return r
}

// rivals returns the variants that are worth the most, in descending order of worth: the
// predicted mean minus doubt standard deviations, adjusted for the variant's cost and time
// and for the length of its texts. It leaves out variants without any success.
func (s *search) rivals() []rival {
	if !s.posterior.ready() || s.champion.item < 0 {
		return nil
	}
	var list []*variantStats
	for _, a := range s.variants {
		if a != s.champion && a.item >= 0 && a.score > 0 {
			list = append(list, a)
		}
	}
	slices.SortStableFunc(list, func(a, b *variantStats) int { return cmp.Compare(b.worth, a.worth) })
	list = list[:min(len(list), considered)]
	if a := s.baseline.best(); a != nil && a.item >= 0 && a.score > 0 && !slices.Contains(list, a) {
		list = append(list, a)
	}
	list = append(list, s.champion)
	of := make([]int, len(list))
	for i, a := range list {
		of[i] = a.item
	}
	cov := s.posterior.model.Covariance(of)
	last := len(list) - 1
	own := s.outlook(s.champion)
	rank := make([]rival, last)
	worth := make(map[*variantStats]float64, last)
	for i, a := range list[:last] {
		o := s.outlook(a)
		joint := o.slope*o.slope*cov.At(i, i) + own.slope*own.slope*cov.At(last, last) - 2*o.slope*own.slope*cov.At(i, last)
		rank[i] = rival{a, o.mean - own.mean, math.Sqrt(math.Max(0, joint) + o.luck + own.luck)}
		worth[a] = o.mean - doubt*math.Sqrt(o.slope*o.slope*cov.At(i, i)+o.luck) + s.preferred(a) - s.lengthPrice(a)
	}
	slices.SortStableFunc(rank, func(a, b rival) int { return cmp.Compare(worth[b.variantStats], worth[a.variantStats]) })
	return rank
}

// shortlist returns the finalists among the rivals, in descending order. The best variant
// of the random baseline is one of them, because it was not selected by the model, whose
// errors grow with the number of variants from which it selects.
func (s *search) shortlist(rank []rival) []rival {
	list := slices.Clone(rank[:min(len(rank), s.finalists)])
	at := slices.IndexFunc(rank, func(x rival) bool { return x.variantStats == s.baseline.best() })
	if at >= len(list) && len(list) > 1 {
		list[len(list)-1] = rank[at]
	}
	return list
}

// outlook is the prediction of a variant's weighted mean score over all tasks.
type outlook struct {
	mean float64
	// slope is the derivative of the mean with respect to the ability, and luck is the
	// variance that remains at a fixed ability.
	slope, luck float64
}

// outlook returns the outlook for a variant. With a single repeat per task, observed scores
// are certain and only the other scores vary.
func (s *search) outlook(a *variantStats) outlook {
	var o outlook
	var certain []irt.Cell
	if s.repeats == 1 {
		certain = a.scores()
	}
	for j, w := range s.weights {
		if len(certain) > 0 && int(certain[0].Task) == j {
			o.mean += w * certain[0].Sum / certain[0].N
			certain = certain[1:]
			continue
		}
		p := irt.Sigmoid(a.ability + s.posterior.model.Effects[j])
		o.mean += w * p
		o.slope += w * p * (1 - p)
		if s.repeats == 1 {
			o.luck += w * w * p * (1 - p) * s.posterior.model.Dispersion
		}
	}
	return o
}

// lengthPrice returns the price of the length of a variant's texts, in score units.
func (s *search) lengthPrice(a *variantStats) float64 {
	return operator.PricePerChar * float64(s.codec.chars(a.point))
}

func (s *search) value(a *variantStats) float64 { return s.outlook(a).mean }

// paired returns the number of tasks that a variant and the champion have both run, and the
// mean difference of their mean scores on these tasks.
func (s *search) paired(a *variantStats) (tasks int, difference float64) {
	theirs := s.champion.cells
	for _, c := range a.scores() {
		if at, found := irt.Find(theirs, c.Task); found {
			tasks++
			difference += c.Sum/c.N - theirs[at].Sum/theirs[at].N
		}
	}
	return tasks, difference / math.Max(1, float64(tasks))
}

// estimate returns the expected mean score over all tasks with its 95 % interval.
func (s *search) estimate(a *variantStats, gain, sd float64) Estimate {
	a = s.shown(a)
	o := s.outlook(a)
	half := 1.96 * math.Hypot(o.slope*a.deviation, math.Sqrt(o.luck))
	mean, lo, hi := o.mean, clamp(o.mean-half, 0, 1), clamp(o.mean+half, 0, 1)
	price := s.price(a)
	return Estimate{
		CostUSD: price.cost, Seconds: price.seconds,
		Variant: a.id, Config: a.config.Clone(), Score: clamp(mean, 0, 1), Lo: lo, Hi: hi, Gain: gain, SD: sd,
		Evaluations: a.scored, Parents: slices.Clone(a.parents), Operator: a.operator, Generation: a.generation, Rationale: a.rationale,
	}
}
