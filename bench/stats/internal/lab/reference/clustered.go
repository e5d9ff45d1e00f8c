package reference

import "math"

// ClusteredSE returns the standard error of the mean of d with errors clustered by
// cluster (CR0; Liang and Zeger 1986, Miller 2024 §2.2): √(Σ_c (Σ_{i∈c} (d_i − d̄))²)/n.
func ClusteredSE[C comparable](d []float64, cluster []C) float64 {
	var mean float64
	for _, v := range d {
		mean += v / float64(len(d))
	}
	sums, order := map[C]float64{}, []C{}
	for i, v := range d {
		if _, known := sums[cluster[i]]; !known {
			order = append(order, cluster[i])
		}
		sums[cluster[i]] += v - mean
	}
	var squares float64
	for _, c := range order {
		squares += sums[c] * sums[c]
	}
	return math.Sqrt(squares) / float64(len(d))
}
