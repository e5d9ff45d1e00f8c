package reports

import (
	"math"

	"evolve/archive"
	"evolve/bench/stats"
)

// Evidence is what a sequential ruling says beyond a difference and its interval. All
// of it holds at any stopping time and across nights. Differences are in score units.
type Evidence struct {
	State stats.State `json:"state"`
	Claim stats.Claim `json:"claim,omitempty"`
	// LogE is the natural log of the evidence for "better on these tasks", LogHarm of
	// that for "worse"; Required is ln(1/α_c), what either must reach.
	LogE     float64 `json:"log_e"`
	LogHarm  float64 `json:"log_harm"`
	Required float64 `json:"required"`
	// Month is the interval at level MonthLevel, 1 − α_c: it holds over everything that
	// was confirmed in the window of the error control.
	Month      stats.Interval `json:"month"`
	MonthLevel float64        `json:"month_level"`
	// New is the interval for new tasks like these, at the level of the effect; NewLower
	// the bound at α_c/2 that must be above 0, Limit where it goes with ever more blocks.
	New      stats.Interval `json:"new_tasks"`
	NewLower float64        `json:"new_tasks_lower"`
	Limit    float64        `json:"new_tasks_limit"`
	// Between and Within are the variances of the difference between tasks and of one
	// pair around its task.
	Between float64 `json:"variance_between"`
	Within  float64 `json:"variance_within"`
	// Shrunken is the difference pulled towards 0; possibly still optimistic.
	Shrunken float64 `json:"shrunken"`
	// Blocks and Pairs are those of the ruling, Runs the nights they were made in.
	Blocks int      `json:"blocks"`
	Pairs  int      `json:"pairs"`
	Runs   []string `json:"runs,omitempty"`
	// Fixed says that a repeat is no new evidence: the difference on these tasks is known,
	// and all intervals are Student's, about new tasks.
	Fixed bool `json:"fixed,omitempty"`
}

// Share is the evidence as a share of what is required, in [0, 1]; both are logarithms,
// so that it grows evenly with the pairs of a steady difference.
func (e Evidence) Share() float64 {
	if !(e.Required > 0) {
		return 0
	}
	return math.Max(0, math.Min(1, e.LogE/e.Required))
}

// evidence is nil for finalists of before rulings were sequential.
func evidence(f archive.Finalist) *Evidence {
	r := f.Ruling
	if r == nil {
		return nil
	}
	return &Evidence{
		State: r.State, Claim: r.Claim, LogE: r.LogE, LogHarm: r.LogHarm, Required: r.Threshold,
		Month: r.Month, MonthLevel: 1 - math.Exp(-r.Threshold), New: r.New, NewLower: r.NewLower, Limit: r.Limit,
		Between: r.Between, Within: r.Within, Shrunken: r.Shrunken, Blocks: r.Blocks, Pairs: r.Pairs,
		Runs: append([]string(nil), f.Runs...), Fixed: r.Fixed,
	}
}

// Guard is a condition on what the variant costs or how long it takes: its ratio to
// the champion, pair by pair.
type Guard struct {
	Name string `json:"name"` // cost, latency
	// Ratio is a geometric mean, bounded by Lo and Hi at any stopping time; 1 is no change.
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	// Most is the ratio that it must be proven not to exceed; LogE is the evidence for
	// that, Required what it must reach.
	Most     float64 `json:"most"`
	LogE     float64 `json:"log_e"`
	Required float64 `json:"required"`
	// Verdict is "passed", "open" or "failed".
	Verdict string `json:"verdict"`
}

// The names of the guards. The figures of latency depend on the night and the host.
const (
	costGuard    = "cost"
	latencyGuard = "latency"
)

// guarded takes the guards of the headline over: the latency's stands among
// what is volatile.
func (b *builder) guarded(r *stats.Ruling) {
	for _, g := range r.Guards {
		out := Guard{Name: g.Name, Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi, Most: g.Most, LogE: g.LogE, Required: g.Threshold, Verdict: g.Verdict}
		switch g.Name {
		case costGuard:
			b.out.Guards = append(b.out.Guards, out)
		case latencyGuard:
			b.volatile.Guard = &out
		}
	}
}

// threshold is the guard as a condition of the verdict: of its evidence, or of the
// ratio itself where every repeat costs the same and nothing is left to prove.
func (g Guard) threshold() Threshold {
	if g.Required == 0 {
		return Threshold{
			Name: g.Name + " of the champion's", Unit: "ratio", Observed: g.Ratio, Sign: "≤", Required: g.Most,
			Margin: g.Most - g.Ratio, Met: g.Verdict == stats.GuardPassed,
		}
	}
	return Threshold{
		Name: g.Name + " at most " + percents(g.Most) + ": evidence", Unit: "log_e", Observed: g.LogE, Sign: "≥", Required: g.Required,
		Margin: g.LogE - g.Required, Met: g.Verdict == stats.GuardPassed,
	}
}
