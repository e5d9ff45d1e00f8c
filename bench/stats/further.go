package stats

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"evolve/bench/metrics"

	"evolve/runtime/text"
)

// furtherAlpha is the error probability of all intervals for further metrics together.
const furtherAlpha = .05

// The findings on a further metric. FurtherEqual means that the values are equal on every
// case, and FurtherOpen means that the metric is not shown to be better or worse.
const (
	FurtherBetter = "better"
	FurtherWorse  = "worse"
	FurtherEqual  = "equal"
	FurtherOpen   = "open"
)

// Further is the paired difference of a metric that a command prints in addition to the
// metric that decides.
type Further struct {
	Gain
	// Finding states whether the metric is shown to be better or worse on new cases like
	// these.
	Finding string `json:"finding"`
}

// FurtherGains compares the further metrics of a kind on pairs, with their values in
// [Pair.Further]. All intervals hold together at 95 % (Bonferroni): each has the error .05
// divided by the number of metrics. If looks is true, the error is also divided by four,
// because several looks may have been made, as for guards. An interval is Student's over
// the clusters; with fewer than [MinClusters] clusters there is none. If a metric changes
// by the same amount on every case, there is no spread for an interval, and a sign test
// decides whether it is better or worse. Metrics without a value on both sides of any case
// are left out.
func FurtherGains(kind *metrics.Kind, pairs []Pair, looks bool) []Further {
	if kind == nil || len(kind.Further) == 0 {
		return nil
	}
	alpha := furtherAlpha / float64(len(kind.Further))
	if looks {
		alpha /= guardLooks
	}
	var out []Further
	for i, k := range kind.Further {
		list := make([]Pair, 0, len(pairs))
		for _, p := range pairs {
			p.Values = Measured{}
			if i < len(p.Further) {
				p.Values = p.Further[i]
			}
			list = append(list, p)
		}
		if f := FurtherGain(k, list, alpha); f != nil {
			out = append(out, *f)
		}
	}
	return out
}

// FurtherGain compares one metric on pairs, with its values in [Pair.Values], as
// [FurtherGains] does. alpha is the error of both ends of the interval together.
// FurtherGain returns nil if no pair has a value on both sides.
func FurtherGain(kind metrics.Kind, pairs []Pair, alpha float64) *Further {
	g, s := gainOf(kind, pairs, 1-alpha)
	if g == nil {
		return nil
	}
	f := furtherOf(g, s, alpha)
	return &f
}

// Least returns the least improvement that is shown, in the unit of the metric, or 0 if the
// metric is not better.
func (f Further) Least() float64 {
	switch {
	case f.Finding != FurtherBetter:
		return 0
	case f.Interval == nil: // all cases show the same difference
		return f.improvement(f.Difference)
	}
	return min(f.improvement(f.Interval.Lo), f.improvement(f.Interval.Hi))
}

// furtherOf adds the finding to a gain, and the interval if there is one; alpha is the
// error of both ends of the interval together.
func furtherOf(g *Gain, s jackknife, alpha float64) Further {
	f := Further{Gain: *g, Finding: FurtherOpen}
	enough := s.clusters >= MinClusters && s.telling()
	switch {
	case g.Ties == g.Cases:
		f.Finding = FurtherEqual
	case !enough:
	case g.Same && math.Pow(.5, s.effective) <= alpha/2:
		f.Finding = findingOf(g.improvement(g.Difference))
	case !g.Same:
		half := tQuantile(1-alpha/2, math.Max(s.effective-1, minDF)) * s.se
		f.Interval = &Interval{Lo: g.Difference - half, Hi: g.Difference + half}
		f.Finding = findingOf(float64(f.Shown()))
	}
	return f
}

// findingOf returns the finding for an improvement that was shown. A negative improvement
// means that the metric got worse; 0 means that no improvement is shown.
func findingOf(improvement float64) string {
	switch {
	case improvement > 0:
		return FurtherBetter
	case improvement < 0:
		return FurtherWorse
	}
	return FurtherOpen
}

// Words describes the difference: "memory 10.0 → 12.0 MB, +2.0 MB, 98.3 % interval +1.5 to +2.5".
func (f Further) Words() string { return f.words(f.Change()) }

// words describes the gain; change is the difference in words.
func (f Further) words(change string) string {
	words := f.Title() + " " + f.Values()
	if f.Finding == FurtherEqual {
		return words + ", equal on every case"
	}
	words += ", " + change
	if i, d := f.Interval, f.decimals(); i != nil {
		return words + fmt.Sprintf(", %s interval %s to %s", text.Percent(f.Level), metrics.Signed(i.Lo, d), metrics.Signed(i.Hi, d))
	}
	if f.Same {
		words += " on every case"
	}
	return words
}

// Found describes the finding.
func (f Further) Found() string {
	switch f.Finding {
	case FurtherBetter, FurtherWorse:
		return "significantly " + f.Finding
	case FurtherEqual:
		return "equal on every case"
	}
	return "no difference shown"
}

// FurtherNote describes the intervals of the given number of further metrics, including the
// correction if there are several.
func FurtherNote(n int) string {
	if n == 1 {
		return "95 % interval over the cases"
	}
	return fmt.Sprintf("95 %% intervals for all %d together (Bonferroni)", n)
}

// FurtherPrice describes the metrics that are significantly worse. It returns "" if there
// are none.
func FurtherPrice(list []Further) string { return furtherPrice(list, Further.Words) }

func furtherPrice(list []Further, words func(Further) string) string {
	var parts []string
	for _, f := range list {
		if f.Finding == FurtherWorse {
			parts = append(parts, words(f))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return "significantly worse, corrected for " + text.Count(len(list), "further metric") + " (Bonferroni): " + strings.Join(parts, "; ")
}

// price returns a clause for a record about the further metrics in which a version is
// significantly worse, or "" if there are none.
func (r *Ruling) price() string {
	words := furtherPrice(r.Further, func(f Further) string { return f.words(f.recordedChange()) })
	if words == "" {
		return ""
	}
	return "; " + words
}

// further returns the values of the further metrics in one repeat of gathered pairs. The
// entry of a metric that lacks a value on one side is empty.
func (p Pair) further(repeat int) []Measured {
	out := make([]Measured, len(p.Further))
	for i, m := range p.Further {
		if repeat < min(len(m.A), len(m.B)) {
			out[i] = Measured{A: []float64{m.A[repeat]}, B: []float64{m.B[repeat]}}
		}
	}
	return out
}

// addFurther appends values of further metrics to a pair's values (to), which may be nil.
func addFurther(to, values []Measured) []Measured {
	if to == nil {
		return slices.Clone(values)
	}
	out := slices.Clone(to)
	for i := range min(len(out), len(values)) {
		out[i] = Measured{A: slices.Concat(out[i].A, values[i].A), B: slices.Concat(out[i].B, values[i].B)}
	}
	return out
}

// AddFurther appends the values that the further metrics have for one pair of evaluations
// to the values of the task.
func AddFurther(to []Measured, a, b []float64) []Measured {
	values := make([]Measured, min(len(a), len(b)))
	for i := range values {
		values[i] = Measured{A: a[i : i+1], B: b[i : i+1]}
	}
	return addFurther(to, values)
}
