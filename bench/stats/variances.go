package stats

import "math"

// priorFree is the number of degrees of freedom that a prior variance counts as.
const priorFree = 2

// Variances holds the variances that a confirmation is planned with, as estimated from
// earlier evaluations, in squared score units. 0 means unknown.
type Variances struct {
	// Within and Between are σ² and τ² of a [Design].
	Within, Between float64
	// Night is the standard deviation, in score units, of the shift that the differences
	// of a night share.
	Night float64
	// Graded reports whether graders may give partial scores. These usually vary less than
	// pass/fail scores, but only evaluations can show how much less.
	Graded bool
}

// NewVariances estimates the variances from the scores of one config (runs has a row of
// repeats for each task) and from rulings on other candidates over the same tasks, one
// for each candidate, the latest first.
//
// σ² combines two sources: twice the variance of a run around its task's mean, because a
// pair is two runs, and the measurements of the rulings. They are pooled as Σ f·s² / Σ f
// over their degrees of freedom f. τ² comes only from the rulings, with M − 1 degrees of
// freedom each; the runs of one config do not show it. The priors [PriorWithin] and
// [PriorBetween] count as two degrees of freedom, so neither a few equal scores nor an
// estimate of 0 is taken for certainty. Rulings with fewer than two blocks, which cannot
// separate chance from differences between tasks, are left out.
//
// For a fixed agent all variance is between tasks: its runs do not contribute, and the
// prior is the sum of both priors.
func NewVariances(runs [][]float64, rulings []Ruling, fixed bool) Variances {
	var v Variances
	var within, between pool
	for _, row := range runs {
		if s := newStrand(row, 1); s.n > 1 && !fixed {
			within.add(2*s.variance, float64(s.n-1))
		}
	}
	for i := range rulings {
		r := &rulings[i]
		if r.Fixed != fixed || r.Independent < 2 || !fixed && (r.Blocks < 2 || r.Pairs <= r.Tasks) {
			continue
		}
		v.Night = max(v.Night, r.Night)
		between.add(r.Between, r.Independent-1)
		if !fixed {
			within.add(r.Within, float64(r.Pairs-r.Tasks))
		}
	}
	if fixed {
		if v.Between = between.mean(PriorWithin + PriorBetween); v.Between > 0 {
			v.Within = leastBetween
		}
		return v
	}
	v.Within, v.Between = within.mean(PriorWithin), between.mean(PriorBetween)
	return v
}

// pool sums variances weighted by their degrees of freedom.
type pool struct{ sum, free float64 }

func (p *pool) add(variance, free float64) {
	if !math.IsNaN(variance) && variance >= 0 && free > 0 {
		p.sum += variance * free
		p.free += free
	}
}

// mean returns the mean of the added variances and the prior, or 0 if nothing was added.
func (p *pool) mean(prior float64) float64 {
	if p.free == 0 {
		return 0
	}
	return (p.sum + prior*priorFree) / (p.free + priorFree)
}

// With returns the design with the given variances.
func (d Design) With(v Variances) Design {
	d.Within, d.Between, d.Night, d.Graded = v.Within, v.Between, v.Night, v.Graded
	return d
}

// Assumption describes the assumed variance of graded scores. It returns "" if the variance
// is known, or if scores are pass or fail, for which the priors were made.
func (d Design) Assumption() string {
	if !d.Graded || d.Within > 0 {
		return ""
	}
	return "random variation is assumed to be as large as for pass-or-fail scores until the first night has measured it"
}
