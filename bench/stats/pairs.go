package stats

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// normalizePairs normalizes pairs for rulings. The result has one Pair per task and
// contains only scores that exist on both sides. Each Pair names a cluster and has a
// weight above 0. The order of the result depends on neither the order of tasks nor that
// of blocks.
func normalizePairs(pairs []Pair) []Pair {
	out := make([]Pair, 0, len(pairs))
	for _, p := range pairs {
		clean := Pair{Task: p.Task, Domain: p.Domain, Cluster: p.Cluster, Weight: p.Weight}
		if clean.Cluster == "" {
			clean.Cluster = p.Task
		}
		if !(clean.Weight > 0) || math.IsInf(clean.Weight, 0) {
			clean.Weight = 1
		}
		for r := range min(len(p.A), len(p.B)) {
			if finite(p.A[r]) && finite(p.B[r]) {
				clean.A, clean.B, clean.Nights = append(clean.A, p.A[r]), append(clean.B, p.B[r]), append(clean.Nights, p.night(r))
				clean.failed(failed(p.FailedA, r), failed(p.FailedB, r))
				if r < min(len(p.Values.A), len(p.Values.B)) {
					clean.Values.A, clean.Values.B = append(clean.Values.A, p.Values.A[r]), append(clean.Values.B, p.Values.B[r])
				}
				clean.Further = addFurther(clean.Further, p.further(r))
			}
		}
		if p.runs > 0 { // gathered before
			clean.runs, clean.failedA, clean.failedB = p.runs, p.failedA, p.failedB
		}
		clean.CostA, clean.CostB = p.answered(p.CostA, p.CostB)
		clean.LatencyA, clean.LatencyB = p.answered(p.LatencyA, p.LatencyB)
		for name, m := range p.Other {
			a, b := p.answered(m.A, m.B)
			clean.add(name, a, b)
		}
		if len(clean.A) > 0 {
			out = append(out, clean)
		}
	}
	slices.SortStableFunc(out, func(x, y Pair) int {
		return cmp.Or(strings.Compare(x.Cluster, y.Cluster), strings.Compare(x.Task, y.Task), strings.Compare(x.Domain, y.Domain), cmp.Compare(x.Weight, y.Weight))
	})
	merged := out[:0]
	for _, p := range out {
		if last := len(merged) - 1; last >= 0 && sameTask(merged[last], p) {
			m := &merged[last]
			m.A, m.B, m.Nights = append(m.A, p.A...), append(m.B, p.B...), append(m.Nights, p.Nights...)
			m.Values.A, m.Values.B = append(m.Values.A, p.Values.A...), append(m.Values.B, p.Values.B...)
			m.Further = addFurther(m.Further, p.Further)
			m.runs, m.failedA, m.failedB = m.runs+p.runs, m.failedA+p.failedA, m.failedB+p.failedB
			m.CostA, m.CostB = append(m.CostA, p.CostA...), append(m.CostB, p.CostB...)
			m.LatencyA, m.LatencyB = append(m.LatencyA, p.LatencyA...), append(m.LatencyB, p.LatencyB...)
			for name, more := range p.Other {
				m.add(name, more.A, more.B)
			}
			continue
		}
		merged = append(merged, p)
	}
	return merged
}

// night returns the number of the run in which a repeat was made, or 0 if none is recorded.
func (p Pair) night(repeat int) int {
	if repeat < len(p.Nights) {
		return p.Nights[repeat]
	}
	return 0
}

// add appends the values of a further metric.
func (p *Pair) add(metric string, a, b []float64) {
	if p.Other == nil {
		p.Other = map[string]Measured{}
	}
	was := p.Other[metric]
	p.Other[metric] = Measured{append(was.A, a...), append(was.B, b...)}
}

func sameTask(x, y Pair) bool {
	return x.Cluster == y.Cluster && x.Task == y.Task && x.Domain == y.Domain && x.Weight == y.Weight
}

// failed counts one repeat, and counts it as a failure of each side that failed.
func (p *Pair) failed(a, b bool) {
	p.runs++
	if a {
		p.failedA++
	}
	if b {
		p.failedB++
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// row returns the differences of one task in ascending order, which makes sums
// independent of the order of blocks.
func (p Pair) row() []float64 {
	row := make([]float64, min(len(p.A), len(p.B)))
	for r := range row {
		row[r] = p.B[r] - p.A[r]
	}
	slices.Sort(row)
	return row
}

// sampleOf returns the differences B − A of normalized pairs. With unequal weights the
// claim is about the weighted mean Σ w_i D_i / Σ w_i: the sample holds D·w/w_max, which
// stays in [−1, 1], and means and bounds are scaled back by w_max divided by the mean
// weight of a pair (a margin m becomes m·w̄/w_max). A task that lost pairs to
// infrastructure errors counts with the pairs that it has; the claim is about the scored
// pairs.
func sampleOf(clean []Pair) *Sample {
	if len(clean) == 0 {
		return new(Sample)
	}
	least, most := clean[0].Weight, clean[0].Weight
	for _, p := range clean {
		least, most = math.Min(least, p.Weight), math.Max(most, p.Weight)
	}
	var values []float64
	var total float64
	for _, p := range clean {
		share := p.Weight / most
		for _, d := range p.row() {
			values = append(values, d*share)
		}
		total += float64(len(p.A)) * share
	}
	s := NewSample(values...)
	if least < most {
		s.stretch = float64(s.n) / total
	}
	return s
}

// pairComponents returns the components of gathered pairs, which are sorted by cluster.
func pairComponents(pairs []Pair) Components {
	var units []unit
	for i, p := range pairs {
		if i == 0 || pairs[i-1].Cluster != p.Cluster {
			units = append(units, nil)
		}
		last := len(units) - 1
		units[last] = append(units[last], newStrand(p.row(), p.Weight))
	}
	return componentsOf(units)
}
