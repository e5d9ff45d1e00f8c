package stats

import "math"

// priorFree is how many degrees of freedom a prior variance counts as much as.
const priorFree = 2

// Variances are what earlier evaluations say of the chance and the differences between tasks
// that a confirmation has to do with, in squared score units. 0 stands for nothing known.
type Variances struct {
	// Within and Between are σ² and τ² of a [Design].
	Within, Between float64
	// Night is the standard deviation, in score units, of what the differences of a night share.
	Night float64
	// Graded reports whether graders may give a part of the score, which varies less than pass or
	// fail as a rule; by how much, only evaluations tell.
	Graded bool
}

// NewVariances estimates them from the scores of one config, a row of repeats for each task, and from
// rulings on other candidates over the same tasks, the latest first and one of each candidate.
//
// σ² is twice the pooled variance of a run around its task, since a pair is two runs, pooled
// with what the rulings have measured: Σ f·s² / Σ f over their degrees of freedom f. τ² is that of the
// rulings, of M − 1 degrees of freedom each; the runs of one config do not tell it. The priors
// [PriorWithin] and [PriorBetween] count as two degrees of freedom, so that neither a few equal scores nor
// an estimate of 0 are taken for certainty. Rulings that could not tell chance from
// task, with fewer than two blocks, are left out.
//
// For a fixed agent all spread is between tasks: the runs tell nothing, and the prior is
// the sum of both.
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

// pool sums variances by their degrees of freedom.
type pool struct{ sum, free float64 }

func (p *pool) add(variance, free float64) {
	if !math.IsNaN(variance) && variance >= 0 && free > 0 {
		p.sum += variance * free
		p.free += free
	}
}

// mean of what was added and of the prior; 0 when nothing was added.
func (p *pool) mean(prior float64) float64 {
	if p.free == 0 {
		return 0
	}
	return (p.sum + prior*priorFree) / (p.free + priorFree)
}

// With is the design with what is known of its variances.
func (d Design) With(v Variances) Design {
	d.Within, d.Between, d.Night, d.Graded = v.Within, v.Between, v.Night, v.Graded
	return d
}

// Assumption says in words that the variance of graded scores is not known yet; empty where it is, or where
// scores are pass or fail, for which the priors were made.
func (d Design) Assumption() string {
	if !d.Graded || d.Within > 0 {
		return ""
	}
	return "chance is assumed as large as with pass and fail, and is known after the first night"
}
