package stats

import "math"

// alarm is the two-sided p-value at which a champion that differs from its own
// rerun is taken to have drifted.
const alarm = 0.01

// Noise is the champion compared with a fresh rerun of itself.
type Noise struct {
	Comparison
	// TwoSided is the p-value of "nothing changed between the two".
	TwoSided float64 `json:"two_sided"`
	// Drifted says that it is at or below .01: the agent, its provider or a grader
	// no longer does what it did.
	Drifted bool `json:"drifted"`
}

// NoiseFloor compares a champion (A) with its rerun (B). The difference ought to
// be 0; its interval shows how far chance alone moves a score tonight.
func NoiseFloor(pairs []Pair, level float64) Noise {
	c := Compare(pairs, level)
	reverse := make([]Pair, len(pairs))
	for i, p := range pairs {
		p.A, p.B = p.B, p.A
		reverse[i] = p
	}
	n := Noise{Comparison: c, TwoSided: math.Min(1, 2*math.Min(c.P, Compare(reverse, level).P))}
	n.Drifted = n.TwoSided <= alarm
	return n
}
