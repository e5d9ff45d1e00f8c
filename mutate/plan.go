package mutate

import "math"

// plan divides the budget.
type plan struct {
	// configs is the approximate number of variants that the search makes, and design is
	// the number of those that come from a space-filling design.
	configs, design int
	// first is the number of evaluations that a variant gets at first.
	first int
	// search is the number of evaluations before the final race.
	search float64
}

const (
	// finalShare is the final race's share of the budget. In a small search the race gets
	// leastFinal evaluations instead, but no more than the share mostFinal of the budget.
	// The reason is that a small search has tried few configs, and its gain depends on
	// which of these configs it recommends.
	finalShare, mostFinal = 0.15, 0.5
	leastFinal            = 30
	// leaderShare is the leaders' share of the evaluations before the final race.
	leaderShare = 0.25
	// mostConfigs is the maximum number of variants. It is needed because the time that a
	// fit takes is cubic in the number of variants.
	mostConfigs = 600
	// leastFirst and leastShown are the minimum numbers of evaluations that a variant gets
	// at first, without and with a pool of demonstrations. Two sets of demonstrations have
	// less in common than two values of a number, so each set needs more evaluations of its
	// own.
	leastFirst, leastShown = 2, 3
)

// newPlan divides a budget; demonstrated reports whether there is a pool of demonstrations.
func newPlan(budget float64, tasks, repeats int, demonstrated bool) plan {
	least := float64(leastFirst)
	if demonstrated {
		least = leastShown
	}
	p := plan{search: (1 - final(budget)) * budget}
	want := math.Min(6*math.Sqrt(budget), mostConfigs)
	per := math.Max(least, p.search*(1-leaderShare)/want)
	if full := float64(tasks) * float64(repeats); per > full {
		per = full
	}
	p.first = max(1, int(math.Round(per)))
	p.configs = max(2, int(p.search*(1-leaderShare)/float64(p.first)))
	p.design = int(clamp(0.2*float64(p.configs), 10, 60))
	return p
}

// final returns the final race's share of a budget.
func final(budget float64) float64 {
	return clamp(leastFinal/math.Max(1, budget), finalShare, mostFinal)
}

func clamp(x, lo, hi float64) float64 { return math.Min(hi, math.Max(lo, x)) }
