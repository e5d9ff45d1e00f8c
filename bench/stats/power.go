package stats

import "math"

// PriorSD is the standard deviation between clusters of a paired difference at one
// repeat, assumed where there is no history: pass/fail tasks of which one in four
// comes out differently (√.25; models one generation apart differ on 27 % of
// GSM8K).
const PriorSD = 0.5

// withinShare is the part of that variance that repeats average away; the rest is
// real difference between tasks. Nothing is known of it before spending: half.
const withinShare = 0.5

// Planned is the smallest true difference, in score units, that a comparison of so
// many clusters finds with 80 % power, before anything is spent:
// (t_{1−α} + t_{.8})·s/√clusters with G − 1 degrees of freedom, α = (1−level)/2
// divided by the number of comparisons (the first step of Holm; below 1 counts as
// 1) and s² = sd²·(½ + ½/repeats). sd not above 0 stands for [PriorSD]; repeats
// below 1 count as 1. +Inf means that no difference on the scale could be shown:
// fewer than two clusters, or a result above 1. It is never 0.
func Planned(clusters int, sd float64, repeats int, level float64, comparisons int) float64 {
	if clusters < 2 {
		return math.Inf(1)
	}
	if !(sd > 0) {
		sd = PriorSD
	}
	alpha := (1 - level) / 2 / float64(max(1, comparisons))
	s := sd * math.Sqrt(1-withinShare+withinShare/float64(max(1, repeats)))
	df := float64(clusters - 1)
	d := (tQuantile(1-alpha, df) + tQuantile(power, df)) * s / math.Sqrt(float64(clusters))
	if !(d <= 1) {
		return math.Inf(1)
	}
	return d
}

// Needed is the smallest number of clusters with which [Planned] finds a
// difference in (0,1]; 0 when a million would not do.
func Needed(difference, sd float64, repeats int, level float64, comparisons int) int {
	const most = 1_000_000
	enough := func(n int) bool { return Planned(n, sd, repeats, level, comparisons) <= difference }
	if !enough(most) {
		return 0
	}
	lo, hi := 1, most // Planned falls with clusters: lo is not enough, hi is
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
