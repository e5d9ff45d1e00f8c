package gobench

import (
	"math"
	"slices"
	"sort"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
	"gonum.org/v1/gonum/stat/distuv"
)

// Verdict of a comparison.
type Verdict string

// Better and Worse mean that a difference is significant after the correction and large
// enough to count. NotShown means that no difference was shown, which does not prove that
// there is none. Refused means that the candidate does not report the same benchmarks as
// the base in all its runs, so that nothing was compared and the candidate is at fault.
// Void means that the measurement allows no verdict, through no fault of the candidate.
const (
	Better   Verdict = "better"
	Worse    Verdict = "worse"
	NotShown Verdict = "not_shown"
	Refused  Verdict = "refused"
	Void     Verdict = "void"
)

// Interval is a confidence interval, both ends finite.
type Interval struct {
	Lo float64 `json:"lo"`
	Hi float64 `json:"hi"`
}

// Summary summarizes one side's runs, as benchstat does.
type Summary struct {
	Runs   int     `json:"runs"`
	Median float64 `json:"median"`
	// Interval is the confidence interval of the median, at a level of at least 95 %; it is
	// nil for fewer than six runs.
	Interval *Interval `json:"interval,omitempty"`
}

// Comparison compares the base with the candidate on one benchmark, in one unit.
type Comparison struct {
	Key
	Base      Summary `json:"base"`
	Candidate Summary `json:"candidate"`
	// Change is the Hodges-Lehmann estimate (1963) of the candidate's change relative to
	// the base: the median of the ratios of each candidate value to each base value, less
	// 1. If a value is 0 or below, it is the median difference, relative to the base's
	// median or, if that is 0, to the largest value of either side.
	Change float64 `json:"change"`
	// Interval is the confidence interval of Change, obtained by inverting the U test: it
	// consists of the changes that the test would not reject at the rule's level,
	// uncorrected. It is nil if there are too few runs.
	Interval *Interval `json:"interval,omitempty"`
	// P is the two-sided p-value of the Mann-Whitney U test. It is exact up to 50 runs a
	// side, or up to 25 if values are equal. Adjusted is the p-value after Holm's
	// correction over all comparisons of the result.
	P        float64 `json:"p"`
	Adjusted float64 `json:"adjusted"`
	// Detectable is the smallest relative change that would be found with 80 % power at the
	// strictest level of the correction, given the observed spread: half the width of that
	// level's interval, times (z+z₈₀)/z. It is 0 if nothing varies, and -1 if no change
	// would be found.
	Detectable float64 `json:"detectable"`
	Verdict    Verdict `json:"verdict"`
}

// power defines Detectable.
const power = 0.8

// endless is the limit for Detectable: a relative change of this size or more counts as
// unlimited.
const endless = 1e6

// compare compares the values of one key. Each side has one value per run, in any order,
// and both sides have the same number of values.
func (s *session) compare(k Key, base, candidate []float64) Comparison {
	thresholds := benchmath.DefaultThresholds
	thresholds.CompareAlpha = s.rule.Alpha
	// NewSample sorts its argument.
	b := benchmath.NewSample(slices.Clone(base), &thresholds)
	c := benchmath.NewSample(slices.Clone(candidate), &thresholds)
	out := Comparison{Key: k, Base: summary(b), Candidate: summary(c), Detectable: -1}
	out.P = math.Min(1, benchmath.AssumeNothing.Compare(b, c).P)
	shifts, relative := shiftsOf(b.Values, c.Values)
	out.Change = relative(median(shifts))
	last := len(shifts) - 1
	if k := s.critical(len(base), s.rule.Alpha); k >= 0 {
		out.Interval = &Interval{relative(shifts[k]), relative(shifts[last-k])}
	}
	strictest := s.rule.Alpha / float64(s.family)
	if k := s.critical(len(base), strictest); k >= 0 {
		z := distuv.UnitNormal.Quantile(1 - strictest/2)
		stretch := (z + distuv.UnitNormal.Quantile(power)) / z
		if d := relative((shifts[last-k] - shifts[k]) / 2 * stretch); d < endless {
			out.Detectable = d
		}
	}
	return out
}

func summary(s *benchmath.Sample) Summary {
	// 0.95 is benchstat's confidence level, which is independent of the rule's level.
	m := benchmath.AssumeNothing.Summary(s, 0.95)
	out := Summary{Runs: len(s.Values), Median: m.Center}
	if !math.IsInf(m.Lo, 0) && !math.IsInf(m.Hi, 0) {
		out.Interval = &Interval{m.Lo, m.Hi}
	}
	return out
}

// shiftsOf returns the differences between each candidate value and each base value,
// ascending, and a function that converts such a difference into a relative change. If all
// values are above 0, the differences are logarithms of ratios.
func shiftsOf(base, candidate []float64) (shifts []float64, relative func(float64) float64) {
	positive := base[0] > 0 && candidate[0] > 0 // both are sorted
	shifts = make([]float64, 0, len(base)*len(candidate))
	largest := 0.0
	for _, b := range base {
		for _, c := range candidate {
			if positive {
				shifts = append(shifts, math.Log(c)-math.Log(b))
			} else {
				shifts = append(shifts, c-b)
			}
			largest = max(largest, math.Abs(b), math.Abs(c))
		}
	}
	slices.Sort(shifts)
	if positive {
		return shifts, math.Expm1
	}
	scale := math.Abs(median(base))
	if scale == 0 {
		scale = largest
	}
	return shifts, func(d float64) float64 {
		if scale == 0 {
			return 0
		}
		return d / scale
	}
}

type size struct {
	runs  int
	alpha float64
}

// critical returns the largest U at which the test with the given number of runs per side,
// without ties, is significant, or -1 if none is. Above 50 runs it uses the normal
// approximation with continuity correction, like the test itself.
func (s *session) critical(runs int, alpha float64) int {
	at := size{runs, alpha}
	if k, known := s.criticals[at]; known {
		return k
	}
	var k int
	if runs > stats.MannWhitneyExactLimit {
		pairs := float64(runs * runs)
		sd := math.Sqrt(pairs * float64(2*runs+1) / 12)
		k = max(-1, int(math.Floor(pairs/2-distuv.UnitNormal.Quantile(1-alpha/2)*sd-0.5)))
	} else {
		dist := stats.UDist{N1: runs, N2: runs}
		k = sort.Search(runs*runs/2, func(u int) bool { return 2*dist.CDF(float64(u)) > alpha }) - 1
	}
	s.criticals[at] = k
	return k
}
