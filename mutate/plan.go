package mutate

import "math"

// plan shares the budget out.
type plan struct {
	// configs is about how many variants the search makes, design how many of them
	// come from a space-filling design before anything is known.
	configs, design int
	// first evaluations of a variant.
	first int
	// search evaluations come before the final race.
	search float64
}

const (
	// finalShare of the budget is the final race's.
	finalShare = 0.15
	// leaderShare of the search before it goes to leaders.
	leaderShare = 0.25
	// mostConfigs bounds the variants: a fit's time grows with their cube.
	mostConfigs = 600
)

func newPlan(budget float64, tasks, repeats int) plan {
	p := plan{search: (1 - finalShare) * budget}
	want := math.Min(6*math.Sqrt(budget), mostConfigs)
	per := math.Max(2, p.search*(1-leaderShare)/want)
	if full := float64(tasks) * float64(repeats); per > full {
		per = full
	}
	p.first = max(1, int(math.Round(per)))
	p.configs = max(2, int(p.search*(1-leaderShare)/float64(p.first)))
	p.design = int(clamp(0.2*float64(p.configs), 10, 60))
	return p
}

func clamp(x, lo, hi float64) float64 { return math.Min(hi, math.Max(lo, x)) }
