package stats

import "math"

// alarm is the two-sided p-value at or below which the difference between a champion and
// its own rerun counts as drift.
const alarm = 0.01

// Noise is the comparison of the champion with a fresh rerun of itself.
type Noise struct {
	// Comparison is valid at any stopping time.
	Comparison
	// LogE is the logarithm of the evidence that something changed between the two runs.
	// That evidence is the mean of the evidence for an improvement and the evidence for a
	// deterioration.
	LogE float64 `json:"log_e"`
	// TwoSided is the p-value of "nothing changed between the two runs", min(1, 1/E), which
	// is valid at any stopping time.
	TwoSided float64 `json:"two_sided"`
	// Drifted reports whether TwoSided is at or below .01: the agent, its provider or a
	// grader has changed its behavior.
	Drifted bool `json:"drifted"`
}

// NoiseFloor compares a champion (A) with its rerun (B). The expected difference is 0;
// its interval shows how far chance alone moves a score. Pairs of several nights may be
// given together: the evidence is valid over all of them.
func NoiseFloor(pairs []Pair, level float64) Noise {
	c, s := compareSequential(normalizePairs(pairs), level)
	n := Noise{Comparison: c}
	better, worse := s.LogSuperior(0), s.LogInferior(0)
	high, low := math.Max(better, worse), math.Min(better, worse)
	n.LogE = high + math.Log1p(math.Exp(low-high)) - math.Ln2
	n.TwoSided = math.Min(1, math.Exp(-n.LogE))
	n.Drifted = n.LogE >= -math.Log(alarm)
	return n
}
