package evidence_test

import (
	"testing"

	"evolve/bench/stats"
	"evolve/mutate/evidence"
)

// TestRuledWords checks that every display of a proposal that was made by hand states
// what the runs found, and claims nothing that they did not find.
func TestRuledWords(t *testing.T) {
	ruling := func(c stats.Claim, reason string) *stats.Ruling {
		r := &stats.Ruling{Claim: c, New: stats.Interval{Lo: .1, Hi: .3}, Reason: reason}
		r.Difference, r.Lo, r.Hi = .2, .15, .25
		return r
	}
	for want, k := range map[string]evidence.Ruled{
		"no run has confirmed it":                                                                                             {},
		"no run has confirmed it since the agent or its tasks changed":                                                        {Other: true},
		"run 1-a did not show that it is better: not decided":                                                                 {Run: "1-a", Ruling: ruling(stats.NoClaim, "not decided")},
		"run 1-a showed that it is better on new tasks like these: +20.0 points, 95 % interval +10.0 to +30.0":                {Run: "1-a", Ruling: ruling(stats.NewTasks, ""), Other: true},
		"run 1-a showed that it is better on these tasks, though not on new ones: +20.0 points, 95 % interval +15.0 to +25.0": {Run: "1-a", Ruling: ruling(stats.TheseTasks, "")},
	} {
		if got := k.Words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
