package model

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// StateText returns a description of the state of a candidate.
func StateText(s stats.State) string { return stateTexts[s] }

var stateTexts = map[stats.State]string{
	stats.Open:     "open",
	stats.Proven:   "better, on new tasks too",
	stats.HereOnly: "better on these tasks only",
	stats.Harmful:  "worse",
	stats.Vetoed:   "vetoed",
	stats.Parked:   "parked",
	stats.Trade:    "better, but breaks a guard",
}

// findingOf returns a summary, in a few words, of the ruling of bench/stats on a finalist.
func findingOf(f archive.Finalist) string {
	switch {
	case f.Ruling != nil && f.Ruling.Fixed && f.Ruling.State == stats.Harmful:
		return "not better"
	case f.Ruling != nil:
		return StateText(f.Ruling.State)
	case f.Accepted:
		return "better"
	case f.Comparison.Clusters < stats.MinClusters:
		return "too few tasks"
	case f.Comparison.Hi < 0:
		return "worse"
	case f.Comparison.Hi >= stats.Practical:
		return "gain neither shown nor ruled out"
	}
	return "no gain of " + number.Size(stats.Practical) + " points"
}
