package stats

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// power is the probability of detection that defines the detectable difference.
const power = 0.8

// flat is the standard error, in score units, below which all clusters are considered to
// show the same difference; it absorbs rounding in sums of decimal scores.
const flat = 1e-9

// minDF keeps Student's quantiles finite if one cluster has nearly all the weight; the
// interval is then the whole scale anyway.
const minDF = 0.25

// Compare estimates the difference of B over A, with a two-sided interval at level (in
// (0,1), such as 0.95) and the one-sided p-value of "B is not better".
//
// Repeats are averaged within a task, and tasks are weighted (a weight that is not above 0
// counts as 1). The sampling units are the G clusters. With u_c the weighted sum of (d_i −
// D) over the tasks of cluster c, and h_c the cluster's share of the total weight W, the
// mean without c differs from D by u_c/W/(1 − h_c). The squared standard error is (G−1)/G
// times the sum of the squares of these changes (the delete-one-cluster jackknife, CV3 of
// MacKinnon, Nielsen and Webb 2023; with equal clusters the usual s²/G). The interval is
// Student's, with one degree of freedom less than Kish's effective number of clusters
// W²/ΣW_c², which is the plain number if all clusters weigh the same.
//
// In two cases there is no estimate of the spread. Fewer than two effective clusters give
// no interval: Lo −1, Hi 1, P 1. If every cluster shows the same difference D, the interval
// follows from the number of agreeing clusters: at error α, at most the share q = 1 −
// α^(1/G) of clusters behaves otherwise, by a difference between −1 and 1, so the mean lies
// in [D − q(1+D), D + q(1−D)], and P = (1+D)^−G for D > 0, else 1. For D = 1 this is the
// sign test, for D = 0 the rule of three.
//
// Scores that are not finite are left out, and so are tasks without a score on both sides.
// The order of pairs and of repeats does not matter.
//
// No interval exceeds the range of differences. The mean of A and the upper end may add up
// to more than 1, because A's mean on new tasks is not known either. If it is known, use
// [CompareEven].
func Compare(pairs []Pair, level float64) Comparison { return comparePairs(pairs, level, false) }

// CompareEven does what [Compare] does for scores that are relative to those of A. A then
// scores ½ on average on any task, including new ones, so a mean difference is between −½
// and ½, whereas Compare assumes only that it is between −1 and 1. If the mean of A on
// these tasks differs from ½ by chance, the range is extended to the differences that are
// possible given that mean.
func CompareEven(pairs []Pair, level float64) Comparison { return comparePairs(pairs, level, true) }

// room returns the range of possible mean differences if side A has the given mean; see
// [CompareEven].
func room(mean float64, even bool) Interval {
	if !even {
		return Interval{Lo: -1, Hi: 1}
	}
	return Interval{Lo: -math.Max(.5, mean), Hi: math.Max(.5, 1-mean)}
}

// within returns the part of an interval that lies in a range.
func (i Interval) within(all Interval) Interval {
	return Interval{Lo: math.Max(all.Lo, i.Lo), Hi: math.Min(all.Hi, i.Hi)}
}

func comparePairs(pairs []Pair, level float64, even bool) Comparison {
	ds := differences(pairs)
	c := compare(ds, level, even)
	for _, name := range distinct(ds, func(d difference) string { return d.domain }) {
		part := slices.DeleteFunc(slices.Clone(ds), func(d difference) bool { return d.domain != name })
		if len(part) >= 2 {
			c.Domains = append(c.Domains, DomainComparison{Domain: name, Comparison: compare(part, level, even)})
		}
	}
	return c
}

// difference is one task's part of a comparison.
type difference struct {
	task, domain, unit string
	weight, a, b       float64
	repeats            int
}

func differences(pairs []Pair) []difference {
	out := make([]difference, 0, len(pairs))
	for _, p := range pairs {
		a, na := mean(p.A)
		b, nb := mean(p.B)
		if na == 0 || nb == 0 {
			continue
		}
		d := difference{task: p.Task, domain: p.Domain, unit: p.Cluster, weight: p.Weight, a: a, b: b, repeats: min(na, nb)}
		if d.unit == "" {
			d.unit = p.Task
		}
		if !(d.weight > 0) || math.IsInf(d.weight, 0) {
			d.weight = 1
		}
		out = append(out, d)
	}
	// Because of the fixed order, the sums do not depend on the order of arrival, not
	// even in the last digit.
	slices.SortFunc(out, func(x, y difference) int {
		return cmp.Or(strings.Compare(x.unit, y.unit), strings.Compare(x.task, y.task), strings.Compare(x.domain, y.domain),
			cmp.Compare(x.weight, y.weight), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.repeats, y.repeats))
	})
	return out
}

// mean returns the mean of the finite scores, summed in ascending order, and their
// number.
func mean(scores []float64) (float64, int) {
	finite := make([]float64, 0, len(scores))
	for _, s := range scores {
		if !math.IsNaN(s) && !math.IsInf(s, 0) {
			finite = append(finite, s)
		}
	}
	if len(finite) == 0 {
		return 0, 0
	}
	slices.Sort(finite)
	var sum float64
	for _, s := range finite {
		sum += s
	}
	return sum / float64(len(finite)), len(finite)
}

// distinct returns the sorted distinct names, without the empty one.
func distinct[T any](of []T, name func(T) string) []string {
	var names []string
	for _, x := range of {
		if n := name(x); n != "" {
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// compare compares the two sides by their differences, which must be sorted by unit. See
// [CompareEven] for the parameter even.
func compare(ds []difference, level float64, even bool) Comparison {
	c := Comparison{Level: level, Lo: -1, Hi: 1, P: 1, Tasks: len(ds), Detectable: 1}
	if len(ds) == 0 {
		return c
	}
	var weight float64
	c.Repeats = ds[0].repeats
	for _, d := range ds {
		weight += d.weight
		c.MeanA += d.weight * d.a
		c.MeanB += d.weight * d.b
		c.Repeats = min(c.Repeats, d.repeats)
		switch {
		case d.b > d.a+flat:
			c.Wins++
		case d.b < d.a-flat:
			c.Losses++
		default:
			c.Ties++
		}
	}
	c.MeanA /= weight
	c.MeanB /= weight
	s := spreadOf(ds, weight)
	c.Difference, c.Clusters = s.mean, s.clusters
	all := room(c.MeanA, even)
	c.Lo, c.Hi = all.Lo, all.Hi
	if !s.telling() {
		return c
	}
	c.SE = s.se
	c.bound(s.effective, all)
	return c
}

// jackknife is the weighted mean of differences with its standard error.
type jackknife struct {
	mean, se  float64
	clusters  int
	effective float64 // Kish's effective number of clusters
}

// telling reports whether there is an estimate of the standard error.
func (s jackknife) telling() bool { return s.clusters >= 2 && s.effective >= 1+flat }

// spreadOf returns the weighted mean of differences and its standard error. The differences
// must be sorted by unit; weight is the sum of their weights.
func spreadOf(ds []difference, weight float64) jackknife {
	var s jackknife
	for _, d := range ds {
		s.mean += d.weight * (d.b - d.a)
	}
	s.mean /= weight
	var variance, squares float64
	for i := 0; i < len(ds); {
		var u, share float64
		unit := ds[i].unit
		for ; i < len(ds) && ds[i].unit == unit; i++ {
			u += ds[i].weight / weight * (ds[i].b - ds[i].a - s.mean)
			share += ds[i].weight / weight
		}
		s.clusters++
		squares += share * share
		if share < 1 {
			variance += u * u / (1 - share) / (1 - share)
		}
	}
	s.effective = 1 / squares
	s.se = math.Sqrt(variance * float64(s.clusters-1) / float64(s.clusters))
	return s
}

// bound sets the interval, the p-value and the detectable difference; effective is the
// effective number of clusters, above 1, and all is the range of possible differences.
func (c *Comparison) bound(effective float64, all Interval) {
	alpha := (1 - c.Level) / 2
	if c.SE < flat {
		c.SE = 0
		q := 1 - math.Pow(alpha, 1/effective)
		c.Lo = c.Difference - q*(c.Difference-all.Lo)
		c.Hi = c.Difference + q*(all.Hi-c.Difference)
		if c.Difference > flat {
			c.P = math.Pow(1-c.Difference/all.Lo, -effective)
		}
		if d := -all.Lo * (math.Pow(alpha, -1/effective) - 1); d < all.Hi {
			c.Detectable = d
		}
		return
	}
	df := math.Max(effective-1, minDF)
	t := tQuantile(1-alpha, df)
	c.Lo = math.Max(all.Lo, c.Difference-t*c.SE)
	c.Hi = math.Min(all.Hi, c.Difference+t*c.SE)
	c.P = tSurvival(c.Difference/c.SE, df)
	c.Detectable = math.Min(1, (t+tQuantile(power, df))*c.SE)
}
