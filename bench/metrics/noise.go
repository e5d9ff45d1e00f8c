package metrics

import (
	"fmt"
	"math"

	"evolve/runtime/text"
)

// rounding is the difference, relative to the mean size of the base's values, up to which
// two values count as the same. Sums that are computed in a different order differ by
// amounts of this size.
const rounding = 1e-9

// Noise describes the differences between values of the same program from several runs of
// its scoring command.
type Noise struct {
	// Cases counts the cases with more than one value, and Differ counts those among them
	// whose values differ.
	Cases  int `json:"cases"`
	Differ int `json:"differ"`
	// Mean is the absolute difference between the further values of a case and the base's
	// value, averaged within each case and then over the cases with more than one value.
	// Most is the largest such difference. Both are in the unit of the metric. Share is
	// Mean relative to the mean size of the base's values.
	Mean  float64 `json:"mean"`
	Most  float64 `json:"most"`
	Share float64 `json:"share"`
}

// Any reports whether any values differ.
func (n *Noise) Any() bool { return n != nil && n.Differ > 0 }

// Noise compares further values of the unchanged program with those of the base. Values of
// other metrics and cases are ignored.
func (s *Scale) Noise(again []Value) Noise {
	sums, counts, most := map[string]float64{}, map[string]float64{}, map[string]float64{}
	for _, v := range again {
		base, known := s.base[v.Case]
		if v.Metric != s.metric || !known {
			continue
		}
		d := math.Abs(v.Value - base)
		sums[v.Case] += d
		counts[v.Case]++
		most[v.Case] = math.Max(most[v.Case], d)
	}
	var n Noise
	for _, of := range s.order { // in a fixed order, so that sums are always rounded alike
		if counts[of] == 0 {
			continue
		}
		n.Cases++
		if n.Mean += sums[of] / counts[of]; most[of] > rounding*s.size {
			n.Differ++
		}
		n.Most = math.Max(n.Most, most[of])
	}
	if n.Cases > 0 {
		n.Mean /= float64(n.Cases)
	}
	n.Share = n.Mean / s.size
	return n
}

// Differs reports whether a value of the unchanged program differs from the base's.
func (s *Scale) Differs(v Value) bool {
	base, known := s.base[v.Case]
	return known && v.Metric == s.metric && math.Abs(v.Value-base) > rounding*s.size
}

// Words describes the noise of a metric that is measured in the given unit.
func (n *Noise) Words(unit string) string {
	figure := func(x float64) string { return WithChangeUnit(Figure(x, Decimals(x)), unit) }
	return fmt.Sprintf("repeated values of the same code differ by %s on average (%s of their mean absolute value) and by at most %s; they differ on %s of %s",
		figure(n.Mean), WithUnit(Figure(100*n.Share, Decimals(100*n.Share)), "%"), figure(n.Most), text.Whole(n.Differ), text.Count(n.Cases, "case"))
}
