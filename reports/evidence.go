package reports

import (
	"cmp"
	"math"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
)

// Evidence is what a sequential ruling reports beyond a difference and its interval. All
// of it holds at any stopping time and across nights. Differences are in score units.
type Evidence struct {
	State stats.State `json:"state"`
	Claim stats.Claim `json:"claim,omitempty"`
	// LogE is the natural log of the evidence for "better on these tasks", LogHarm of
	// that for "worse"; Required is ln(1/α_c), the value that either must reach.
	LogE     float64 `json:"log_e"`
	LogHarm  float64 `json:"log_harm"`
	Required float64 `json:"required"`
	// Month is the interval for these tasks at level MonthLevel, 1 − α_c. It holds
	// jointly over everything that was confirmed in the window of the error control.
	Month      stats.Interval `json:"month"`
	MonthLevel float64        `json:"month_level"`
	// These is the interval for these tasks, New that for new tasks like these, both at
	// the level of the effect, which shows the one that the claim rests on. NewLower is
	// the bound at α_c/2 that must be above 0, Limit its limit as blocks are added.
	These    stats.Interval `json:"these_tasks"`
	New      stats.Interval `json:"new_tasks"`
	NewLower float64        `json:"new_tasks_lower"`
	Limit    float64        `json:"new_tasks_limit"`
	// Nights counts the runs that the pairs are from. Night is the assumed standard
	// deviation, in score units, of a shift shared by all differences of one night.
	Nights int     `json:"nights,omitempty"`
	Night  float64 `json:"night_sd,omitempty"`
	// Tail describes what the mean does not show: the tasks that got worse, and unseen
	// ones.
	Tail *stats.Tail `json:"tail,omitempty"`
	// Failures counts the tasks and evaluations that either side failed through its own
	// fault; nil if there are none.
	Failures *stats.Failures `json:"failures,omitempty"`
	// Between is the variance of the difference between tasks, Within that of one pair
	// around its task's mean.
	Between float64 `json:"variance_between"`
	Within  float64 `json:"variance_within"`
	// Blocks and Pairs are the counts of the ruling, Runs the nights that made them.
	Blocks int      `json:"blocks"`
	Pairs  int      `json:"pairs"`
	Runs   []string `json:"runs,omitempty"`
	// Fixed reports that a repeat is no new evidence: the difference on these tasks is
	// known, and all intervals are Student's, about new tasks.
	Fixed bool `json:"fixed,omitempty"`
}

// Share returns the evidence as a share of what is required, in [0, 1]. Both are
// logarithms, so the share of a steady difference grows linearly with the pairs.
func (e Evidence) Share() float64 {
	if !(e.Required > 0) {
		return 0
	}
	return math.Max(0, math.Min(1, e.LogE/e.Required))
}

// evidence returns nil for finalists recorded before rulings were sequential.
func evidence(f archive.Finalist) *Evidence {
	r := f.Ruling
	if r == nil {
		return nil
	}
	return &Evidence{
		Tail: r.Tail, Failures: r.Failures, Nights: r.Nights, Night: r.Night,
		These: r.These(),
		State: r.State, Claim: r.Claim, LogE: r.LogE, LogHarm: r.LogHarm, Required: r.Threshold,
		Month: r.Month, MonthLevel: 1 - math.Exp(-r.Threshold), New: r.New, NewLower: r.NewLower, Limit: r.Limit,
		Between: r.Between, Within: r.Within, Blocks: r.Blocks, Pairs: r.Pairs,
		Runs: append([]string(nil), f.Runs...), Fixed: r.Fixed,
	}
}

// Guard is a condition on the variant's consumption: its ratio to the champion's.
type Guard struct {
	Name string `json:"name"` // cost, latency, …
	// Of names the statistic that is compared: mean, or p95, the 95th percentile.
	Of        string  `json:"of,omitempty"`
	Champion  float64 `json:"champion"`
	Candidate float64 `json:"candidate"`
	// Ratio is candidate over champion, bounded by Lo and Hi at Level; 1 is no change.
	Ratio float64 `json:"ratio"`
	Lo    float64 `json:"lo"`
	Hi    float64 `json:"hi"`
	Level float64 `json:"level"`
	// Most is the highest ratio allowed, Floor a difference that is allowed at any ratio.
	Most  float64 `json:"most"`
	Floor float64 `json:"floor"`
	// Unseen is the share of tasks that could consume any amount without one of them
	// having been seen.
	Unseen float64 `json:"unseen,omitempty"`
	// Verdict is "passed", "open" or "failed"; Broken reports that the guard makes the
	// variant a trade.
	Verdict string `json:"verdict"`
	Broken  bool   `json:"broken,omitempty"`
}

// The names of guards with their own format. The figures of latency depend on the night
// and the host.
const (
	costGuard    = "cost"
	latencyGuard = "latency"
)

// guarded copies the guards of the headline; that on latency goes to the volatile part.
func (b *builder) guarded(r *stats.Ruling) {
	for _, g := range r.Guards {
		out := Guard{
			Name: g.Name, Of: g.Of, Champion: g.Champion, Candidate: g.Candidate, Ratio: g.Ratio, Lo: g.Lo, Hi: g.Hi, Level: cmp.Or(g.Level, partLevel),
			Most: g.Most, Floor: g.Floor, Unseen: g.Unseen, Verdict: g.Verdict, Broken: g.Broken(),
		}
		if g.Name == latencyGuard {
			b.volatile.Guard = &out
		} else {
			b.out.Guards = append(b.out.Guards, out)
		}
	}
}

// threshold returns the guard as a condition of the verdict.
func (g Guard) threshold(d Decision) Threshold {
	t := Threshold{
		Name: g.label() + " against " + d.rival(), Unit: "ratio", Observed: g.Ratio, Sign: "≤", Required: g.Most,
		Margin: g.Most - g.Ratio, Met: g.Verdict == stats.GuardPassed,
	}
	if g.below() {
		t.Name += ": " + g.bound() + " never counts"
	}
	t.Open = g.Verdict == stats.GuardOpen && !g.Broken
	return t
}

// below reports whether the guard passed only because the difference is within the floor.
func (g Guard) below() bool { return g.Verdict == stats.GuardPassed && g.Floor > 0 && g.Hi > g.Most }

// bound formats how much more the variant may consume: the ratio, or the floor if that
// decided.
func (g Guard) bound() string {
	if g.below() {
		return g.amount(g.Floor) + " more"
	}
	return percents(g.Most)
}

// label returns the display name of the guarded quantity.
func (g Guard) label() string {
	name := Visible(strings.ReplaceAll(g.Name, "_", " "))
	if g.Of == stats.P95 {
		return name + " (p95)"
	}
	return name
}
