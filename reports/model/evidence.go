package model

import (
	"math"

	"evolve/archive"
	"evolve/bench/stats"
)

// Evidence holds the figures of a sequential ruling, except the difference and its
// interval. All figures are valid at any stopping time and across nights. Differences are
// in score units.
type Evidence struct {
	State stats.State `json:"state"`
	Claim stats.Claim `json:"claim,omitempty"`
	// LogE is the natural logarithm of the evidence for "better on these tasks", and
	// LogHarm is the natural logarithm of the evidence for "worse". Required is
	// ln(1/α_c), the value that either must reach.
	LogE     float64 `json:"log_e"`
	LogHarm  float64 `json:"log_harm"`
	Required float64 `json:"required"`
	// Month is the interval for these tasks at level MonthLevel, 1 − α_c. It is valid
	// jointly for everything that was confirmed in the window of the error control.
	Month      stats.Interval `json:"month"`
	MonthLevel float64        `json:"month_level"`
	// These is the interval for these tasks, and New is the interval for new tasks like
	// these. Both have the level of the effect. The effect shows the interval on which
	// the claim rests. NewLower is the bound at α_c/2 that must be above 0, and Limit is
	// the value that NewLower approaches as blocks are added.
	These    stats.Interval `json:"these_tasks"`
	New      stats.Interval `json:"new_tasks"`
	NewLower float64        `json:"new_tasks_lower"`
	Limit    float64        `json:"new_tasks_limit"`
	// Nights is the number of runs from which the pairs come. Night is the assumed standard
	// deviation, in score units, of a shift that all differences in one night share.
	Nights int     `json:"nights,omitempty"`
	Night  float64 `json:"night_sd,omitempty"`
	// Tail describes the risks that the mean does not show: tasks that got worse, and tasks
	// that were not evaluated.
	Tail *stats.Tail `json:"tail,omitempty"`
	// Effective is the number of independent tasks that the clusters count as, if their
	// weights are uneven (Kish 1965, see [stats.Independent]); it is 0 if each cluster
	// counts as one.
	Effective float64 `json:"effective_tasks,omitempty"`
	// Failures counts the tasks and evaluations that either side failed through its own
	// fault; it is nil if there are none.
	Failures *stats.Failures `json:"failures,omitempty"`
	// Between is the variance, between tasks, of the mean difference, and Within is the
	// variance of one pair around its task's mean.
	Between float64 `json:"variance_between"`
	Within  float64 `json:"variance_within"`
	// Blocks and Pairs are the numbers of blocks and pairs in the ruling, and Runs lists
	// the nights that made them.
	Blocks int      `json:"blocks"`
	Pairs  int      `json:"pairs"`
	Runs   []string `json:"runs,omitempty"`
	// MissingChampion and MissingVariant count the evaluations that are missing on the
	// champion's side and on the variant's side while the other side has a score.
	// MissingCounted reports whether the ruling gave the missing evaluations a score.
	MissingChampion int  `json:"missing_champion,omitempty"`
	MissingVariant  int  `json:"missing_variant,omitempty"`
	MissingCounted  bool `json:"missing_counted,omitempty"`
	// Fixed reports whether repeating an evaluation yields no new evidence. If so, the
	// difference on these tasks is known exactly, and all intervals are Student's intervals
	// for new tasks.
	Fixed bool `json:"fixed,omitempty"`
}

// Share returns the evidence as a share of the required evidence, in [0, 1]. Evidence and
// requirement are logarithms, so the share for a steady difference grows linearly with the
// number of pairs.
func (e Evidence) Share() float64 {
	if !(e.Required > 0) {
		return 0
	}
	return math.Max(0, math.Min(1, e.LogE/e.Required))
}

// evidenceOf returns the evidence for a finalist, or nil for a finalist recorded before
// rulings were sequential.
func evidenceOf(f archive.Finalist) *Evidence {
	r := f.Ruling
	if r == nil {
		return nil
	}
	effective := 0.
	if r.Uneven() {
		effective = r.Independent
	}
	return &Evidence{
		Tail: r.Tail, Effective: effective, Failures: r.Failures, Nights: r.Nights, Night: r.Night,
		These: r.These(),
		State: r.State, Claim: r.Claim, LogE: r.LogE, LogHarm: r.LogHarm, Required: r.Threshold,
		Month: r.Month, MonthLevel: 1 - math.Exp(-r.Threshold), New: r.New, NewLower: r.NewLower, Limit: r.Limit,
		Between: r.Between, Within: r.Within, Blocks: r.Blocks, Pairs: r.Pairs,
		MissingChampion: r.MissingA, MissingVariant: r.MissingB, MissingCounted: r.MissingCounted,
		Runs: append([]string(nil), f.Runs...), Fixed: r.Fixed,
	}
}
