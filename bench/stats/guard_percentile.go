package stats

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
)

const (
	// percentileAt is the share of evaluations that lie below the 95th percentile.
	percentileAt = .95
	// resamples is the number of bootstrap resamples for the interval of a percentile.
	resamples = 599
	// leastResampled is the minimum number of clusters for resampling.
	leastResampled = 6
)

// percentile sets the ratio of the 95th percentiles and its interval, and returns the
// interval of their difference. It resamples whole clusters, the same ones for champion and
// candidate (Efron 1979, the percentile method). The seed is fixed, so the same pairs give
// the same interval.
func (g *Guard) percentile(bills []bill, alpha float64) Interval {
	champion, candidate := newRanked(bills, func(l bill) []float64 { return l.a }), newRanked(bills, func(l bill) []float64 { return l.b })
	times := slices.Repeat([]float64{1}, len(bills))
	g.Champion, g.Candidate = champion.at(percentileAt, times), candidate.at(percentileAt, times)
	g.Ratio = ratioOf(g.Champion, g.Candidate)
	if len(bills) < leastResampled {
		return Interval{Lo: math.Inf(-1), Hi: math.Inf(1)}
	}
	rng := rand.New(rand.NewPCG(95, uint64(len(bills))))
	ratios, differences := make([]float64, resamples), make([]float64, resamples)
	for i := range ratios {
		clear(times)
		for range bills {
			times[rng.IntN(len(bills))]++
		}
		a, b := champion.at(percentileAt, times), candidate.at(percentileAt, times)
		ratios[i], differences[i] = ratioOf(a, b), b-a
	}
	ends := func(v []float64) Interval {
		slices.Sort(v)
		cut := int(alpha * (resamples + 1)) // order statistic at α·(n+1)
		return Interval{Lo: v[cut-1], Hi: v[len(v)-cut]}
	}
	r := ends(ratios)
	g.Lo, g.Hi = math.Min(g.Ratio, r.Lo), math.Max(g.Ratio, r.Hi)
	return ends(differences)
}

// Percentiles returns the percentile of each side's consumption in a metric at a share
// such as .5, over the same evaluations and with the same weights as a [Guard].
func Percentiles(metric string, share float64, pairs []Pair) (champion, candidate float64) {
	bills := billsOf(metric, normalizePairs(pairs))
	times := slices.Repeat([]float64{1}, len(bills))
	return newRanked(bills, func(l bill) []float64 { return l.a }).at(share, times), newRanked(bills, func(l bill) []float64 { return l.b }).at(share, times)
}

// ranked holds the values of evaluations in ascending order, with their weights and
// clusters.
type ranked struct {
	values, weights []float64
	cluster         []int
}

func newRanked(bills []bill, of func(bill) []float64) ranked {
	type one struct {
		value, weight float64
		cluster       int
	}
	var all []one
	for c, l := range bills {
		for i, v := range of(l) {
			all = append(all, one{v, l.weight[i], c})
		}
	}
	slices.SortFunc(all, func(a, b one) int {
		return cmp.Or(cmp.Compare(a.value, b.value), cmp.Compare(a.cluster, b.cluster), cmp.Compare(a.weight, b.weight))
	})
	var r ranked
	for _, o := range all {
		r.values, r.weights, r.cluster = append(r.values, o.value), append(r.weights, o.weight), append(r.cluster, o.cluster)
	}
	return r
}

// at returns the smallest value such that at least the given share of the weight lies at
// or below it. times holds, for each cluster, how many times the cluster counts.
func (r ranked) at(share float64, times []float64) float64 {
	var total float64
	for i, w := range r.weights {
		total += w * times[r.cluster[i]]
	}
	var sum float64
	for i, w := range r.weights {
		if sum += w * times[r.cluster[i]]; sum >= share*total*(1-alike) {
			return r.values[i]
		}
	}
	return 0
}
