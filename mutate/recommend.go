package mutate

import (
	"fmt"
	"math"
	"slices"
)

// Recommend says what the search believes. The best is the variant with the
// highest posterior mean less half its sd among those with enough evaluations and
// any success; the champion stays unless the winner's lead over it is larger than
// half its standard error. It changes nothing: asking for it does not move the search.
func (s *search) Recommend() Recommendation {
	enough := max(1, min(s.main.rungs[0], s.champion.scored))
	pool := best(nil, s.arms, s.finalists, func(a *arm) bool {
		return a != s.champion && a.scored >= enough && a.score > 0
	})
	random := best(nil, s.arms, 1, func(a *arm) bool { return a.baseline && a.scored > 0 })
	r := Recommendation{
		Champion: s.estimate(s.champion), Best: s.estimate(s.champion), Variants: len(s.arms), Exhausted: s.exhausted,
	}
	for _, a := range pool {
		r.Finalists = append(r.Finalists, s.estimate(a))
	}
	if len(random) > 0 {
		r.Random = s.estimate(random[0])
	}
	if len(pool) == 0 || s.champion.scored == 0 {
		r.Reasons = append(r.Reasons, "no variant has enough evaluations to be compared with the champion")
		return r
	}
	lead := pool[0].mean - s.champion.mean
	se := math.Sqrt(pool[0].variance + s.champion.variance)
	common, difference := s.paired(pool[0])
	switch {
	case lead > strongLead*se, lead > weakLead*se && (common == 0 || difference > 0):
		r.Best = r.Finalists[0]
		r.Reasons = append(r.Reasons, fmt.Sprintf("leads the champion by %.3f ± %.3f on the search tasks", lead, se))
	case lead > weakLead*se:
		r.Reasons = append(r.Reasons, fmt.Sprintf(
			"the best variant's lead of %.3f ± %.3f does not show on the %d tasks that it shares with the champion: the champion stays", lead, se, common))
	default:
		r.Reasons = append(r.Reasons, fmt.Sprintf("the best variant leads the champion by only %.3f ± %.3f: the champion stays", lead, se))
	}
	return r
}

// A lead of so many standard errors is strong enough by itself, or, with the same
// sign on the tasks that both have seen, just enough to recommend. A recommendation
// is no verdict: that is found on other tasks.
const (
	strongLead = 1.5
	weakLead   = 0.5
)

// paired is the number of tasks that an arm and the champion have both seen and the
// mean over them of the difference of their mean scores.
func (s *search) paired(a *arm) (tasks int, difference float64) {
	type tally struct{ sum, n float64 }
	ours, theirs := make([]tally, len(s.tasks)), make([]tally, len(s.tasks))
	for _, o := range s.seen {
		to := ours
		switch int(o.arm) {
		case a.index:
		case s.champion.index:
			to = theirs
		default:
			continue
		}
		to[o.task].sum += float64(o.score)
		to[o.task].n++
	}
	for j := range ours {
		if ours[j].n > 0 && theirs[j].n > 0 {
			tasks++
			difference += ours[j].sum/ours[j].n - theirs[j].sum/theirs[j].n
		}
	}
	return tasks, difference / math.Max(1, float64(tasks))
}

// estimate is the expected mean over all tasks with its 95 % interval.
func (s *search) estimate(a *arm) Estimate {
	score, half := clamp(s.level+a.mean, 0, 1), 1.96*math.Sqrt(a.variance)
	return Estimate{
		Variant: a.id, Config: a.config.Clone(), Score: score, Lo: clamp(score-half, 0, 1), Hi: clamp(score+half, 0, 1),
		Evaluations: a.scored, Parents: slices.Clone(a.parents), Operator: a.operator, Generation: a.generation, Rationale: a.rationale,
	}
}
