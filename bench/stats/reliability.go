package stats

// Tries counts the runs of one task, and those that passed.
type Tries struct {
	Passed, Made int
}

// Reliability is pass^k: the probability that all of k runs of a task pass, as a mean over
// tasks with the interval of [Wilson] at 95 %.
type Reliability struct {
	K     int `json:"k"`
	Tasks int `json:"tasks"`
	Measure
}

// mostK bounds k.
const mostK = 8

// PassPowers returns pass^k for each k = 1, 2 and so on for which every task has at least
// k runs. The estimate for a task is C(passed,k)/C(made,k), which has no bias for
// independent runs (Yao et al., "τ-bench", 2024). The result is descriptive; no claim
// rests on it.
func PassPowers(tasks []Tries) []Reliability {
	most := mostK
	for _, t := range tasks {
		most = min(most, t.Made)
	}
	if len(tasks) == 0 {
		return nil
	}
	var out []Reliability
	for k := 1; k <= most; k++ {
		r := Reliability{K: k, Tasks: len(tasks)}
		for _, t := range tasks {
			r.Value += passPower(t, k)
		}
		r.Value /= float64(len(tasks))
		r.Lo, r.Hi = Wilson(r.Value, float64(len(tasks)), agreementLevel)
		out = append(out, r)
	}
	return out
}

// passPower returns the share of all sets of k runs of a task in which every run passed.
func passPower(t Tries, k int) float64 {
	share := 1.
	for i := range k {
		share *= max(0, float64(t.Passed-i)) / float64(t.Made-i)
	}
	return share
}
