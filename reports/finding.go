package reports

import (
	"evolve/archive"
	"evolve/bench/stats"
)

// findings are short descriptions of the states of a candidate.
var findings = map[stats.State]string{
	stats.Open:     "open",
	stats.Proven:   "better, on new tasks too",
	stats.HereOnly: "better on these tasks only",
	stats.Harmful:  "worse",
	stats.Vetoed:   "vetoed",
	stats.Parked:   "parked",
	stats.Trade:    "better, and breaks a guard",
}

// finding summarizes the ruling of bench/stats in a few words.
func finding(f archive.Finalist) string {
	switch {
	case f.Ruling != nil && f.Ruling.Fixed && f.Ruling.State == stats.Harmful:
		return "not better"
	case f.Ruling != nil:
		return findings[f.Ruling.State]
	case f.Accepted:
		return "better"
	case f.Comparison.Clusters < stats.MinClusters:
		return "too few tasks"
	case f.Comparison.Hi < 0:
		return "worse"
	case f.Comparison.Hi >= stats.Practical:
		return "not shown, not ruled out"
	}
	return "no gain of " + size(stats.Practical) + " points"
}

// claims are the display texts of the claims.
var claims = map[stats.Claim]string{
	stats.NewTasks:   "confirmed for new tasks",
	stats.TheseTasks: "proven on these tasks only",
}
