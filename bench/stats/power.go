package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"evolve/runtime/text"
)

// The variances assumed for a benchmark without history, in squared score units.
const (
	// PriorWithin is σ², the variance of one pair of pass/fail runs around its task's
	// mean: in one pair of four, the two runs differ (models one generation apart differ
	// on 27 % of GSM8K).
	PriorWithin = 0.25
	// PriorBetween is τ², the variance between tasks of the true difference: a standard
	// deviation of 10 points, as caused by a task × variant interaction of half a logit.
	PriorBetween = 0.01
)

// Design is the plan of a confirmation: its tasks, budget and variances.
type Design struct {
	// Tasks is the number of tasks in the holdout, and Units is their effective number
	// ([Independent]).
	Tasks, Units int
	// Clusters is the number of clusters in the holdout; it exceeds Units if the clusters
	// have unequal weights. 0 means unknown.
	Clusters int
	// Tonight is the number of pairs that the budget of one night allows, and Month is the
	// number that the budgets of a whole window allow.
	Tonight, Month float64
	// Alpha is the level of an entry.
	Alpha float64
	// Within and Between are σ² and τ²; a value that is not above 0 stands for
	// [PriorWithin] or [PriorBetween].
	Within, Between float64
	// Fixed reports whether a repeat provides no new evidence, so one block is enough.
	Fixed bool
	// Night is the standard deviation, in score units, of the shift that the differences of
	// a night share; 0 means [AssumedNight].
	Night float64
	// Graded reports whether scores may lie between 0 and 1 ([Variances]).
	Graded bool
	// Same reports whether all tasks of a fixed agent showed the same difference, so that
	// the only evidence is their number ([Compare]).
	Same bool
}

// night returns the variance of the mean shift over the nights that the given number of
// pairs takes.
func (d Design) night(pairs float64) float64 {
	if d.Fixed {
		return 0
	}
	sd, nights := d.Night, 1.
	if sd == 0 {
		sd = AssumedNight
	}
	if d.Tonight > 0 {
		nights = math.Max(1, math.Ceil(pairs/d.Tonight))
	}
	return sd * sd / nights
}

// learned returns the design with the variances that a ruling has measured, and leaves
// other variances unchanged. For a fixed agent, all variance is between tasks.
func (d Design) learned(r *Ruling) Design {
	d.Tasks, d.Units, d.Clusters, d.Fixed, d.Night = r.Tasks, int(r.Independent+1e-9), r.Clusters, r.Fixed, r.Night
	d.Same = r.Fixed && r.SE == 0 && r.Clusters > 1
	switch {
	case d.Same:
	case r.Fixed && r.Between > 0:
		d.Within, d.Between = leastBetween, r.Between
	case r.Within > 0:
		d.Within, d.Between = r.Within, math.Max(r.Between, leastBetween)
	}
	return d
}

// leastBetween replaces a variance that was measured as 0, because a 0 in a [Design] means
// unknown.
const leastBetween = 1e-6

// variances returns the variances with defaults for unknown ones. For a fixed agent, the
// variance within a task shows as variance between tasks.
func (d Design) variances() (within, between float64) {
	within, between = d.Within, d.Between
	if !(within > 0) {
		within = PriorWithin
	}
	if !(between > 0) {
		between = PriorBetween
	}
	if d.Fixed {
		return 0, within + between
	}
	return within, between
}

// fine is the precision of a detectable difference, in score units.
const fine = 1e-5

// spread is the number of equally likely values that represent the distribution of a
// variance.
const spread = 24

// Power returns the probability that a true difference on new tasks, in score units, is
// proven with the given number of pairs. The bound of the decision rule, d̄ − √(max(h² +
// t²·τ̂²/M, t²·V/M) + z²·ν²/N), must be above 0, with d̄ normal around the difference with
// variance σ²/n + τ²/M, h the half-width of the confidence sequence at n pairs, and τ̂² as
// estimated from a sample of M tasks (a scaled χ² with M−1 degrees of freedom minus the
// part of the repeats). The probability is averaged over the distribution of τ̂². Power
// returns 0 if the pairs are too few for two blocks, or for one block of a fixed agent.
//
// If all tasks showed the same difference ([Design].Same), Power returns 1 or 0: the claim
// then takes ln(1/α)/ln(1+difference) tasks.
//
// Stopping early raises the actual power a little, and stopping because tasks differ too
// much lowers it: in the simulation of package nights, a stated power of 80 % was 79 to 90
// % for a night and 71 to 89 % for a month, but with ten independent tasks and strong
// interactions 64 to 83 % and 51 to 61 %.
func (d Design) Power(difference, pairs float64) float64 {
	blocks := math.Floor(pairs / float64(d.Tasks))
	least := 2.0 // without repeats, chance cannot be separated from the differences between tasks
	if d.Fixed {
		blocks, least = math.Min(1, blocks), 1
	}
	if d.Units < 2 || d.Tasks < d.Units || !(blocks >= least) || !(d.Alpha > 0) || d.Units < LeastTasks(d.Alpha) {
		return 0
	}
	n, units := blocks*float64(d.Tasks), float64(d.Units)
	if d.Same {
		if units*math.Log1p(difference) > -math.Log(d.Alpha) {
			return 1
		}
		return 0
	}
	within, between := d.variances()
	alpha := d.Alpha
	var h float64
	if !d.Fixed {
		alpha /= looks
		square, size := math.Min(1, within+between+difference*difference), 1.
		if d.Graded {
			size = math.Sqrt(square)
		}
		h = halfWidth(n, square, size, alpha)
	}
	t := tQuantile(1-alpha, units-1)
	noise := within * units / n // σ² of a unit's mean
	sd := math.Sqrt((between + noise) / units)
	drift := distuv.UnitNormal.Quantile(1-alpha) * math.Sqrt(d.night(pairs))
	chi := distuv.ChiSquared{K: units - 1}
	var power float64
	for i := range spread {
		variance := (between + noise) * chi.Quantile((float64(i)+.5)/spread) / (units - 1)
		estimate := math.Max(0, variance-noise)
		need := math.Sqrt(math.Max(h*h+t*t*estimate/units, t*t*variance/units) + drift*drift)
		power += 0.5 * math.Erfc((need-difference)/sd/math.Sqrt2) / spread
	}
	return power
}

// Detectable returns the smallest true difference, in score units, that the given number of
// pairs proves for new tasks with 80 % power, or +Inf if no difference up to 1 is large
// enough.
func (d Design) Detectable(pairs float64) float64 {
	lo, hi := 0.0, 1.0
	if d.Power(hi, pairs) < power {
		return math.Inf(1)
	}
	for hi-lo > fine {
		if mid := (lo + hi) / 2; d.Power(mid, pairs) < power {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// Needed returns the smallest number of independent tasks with which a difference is proven
// for new tasks with 80 % power, given a window's pairs or two pairs per task, whichever is
// more. It returns 0 if a million tasks do not suffice.
func (d Design) Needed(difference float64) int {
	const most = 1_000_000
	enough := func(units int) bool {
		d.Tasks, d.Units, d.Clusters = units, units, units
		return d.Power(difference, math.Max(d.Month, 2*float64(units))) >= power
	}
	if !(difference > 0) || !enough(most) {
		return 0
	}
	lo, hi := 1, most
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; enough(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// halfWidth returns the smallest mean of n paired differences that is evidence of "better
// than 0" at alpha, given their mean square, or 1 if there is no such mean. Each
// difference is −size, 0 or size; size is 1 for pass/fail scores, and the root of the
// mean square for graded scores, whose mean may exceed their mean square.
func halfWidth(n, square, size, alpha float64) float64 {
	s := NewSample(-size, size)
	most, share := square/size, square/(size*size)
	proves := func(mean float64) bool {
		s.groups[0].count, s.groups[1].count = n*(share-mean/size)/2, n*(share+mean/size)/2
		return s.LogSuperior(0) >= -math.Log(alpha)
	}
	if !proves(most) {
		return 1
	}
	lo, hi := 0.0, most
	for hi-lo > fine {
		if mid := (lo + hi) / 2; proves(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// UnitWords returns the effective number of holdout tasks in words. If the clusters have
// unequal weights, it adds the number of clusters, because reports count clusters.
func (d Design) UnitWords() string {
	words := text.Count(d.Units, "independent holdout task")
	if d.Clusters > d.Units {
		words += fmt.Sprintf(", counted by weight, in %d clusters", d.Clusters)
	}
	return words
}

// taskPrice is the assumed cost of a new task in pairs of runs; it is high because a person
// has to write the task.
const taskPrice = 100

// Statement describes in advance what a design can show, what it cannot, and what would
// help.
func (d Design) Statement() string {
	if d.Tasks == 0 {
		return "there are no holdout tasks, so nothing can be shown"
	}
	tasks := d.UnitWords()
	tonight, month := d.Detectable(d.Tonight), d.Detectable(d.Month)
	var says string
	switch {
	case math.IsInf(tonight, 1) && math.IsInf(month, 1):
		says = fmt.Sprintf("no improvement on new tasks like these can be shown with %s and %.0f pairs a night, only an improvement on these tasks themselves", tasks, d.Tonight)
	case math.IsInf(tonight, 1):
		says = fmt.Sprintf("nothing can be shown tonight; within the month, an improvement of %s points or more on new tasks like these can be shown (80 %% power, %s, %.0f pairs a night)",
			text.Size(month), tasks, d.Tonight)
	case d.Fixed:
		says = fmt.Sprintf("tonight's run can show an improvement of %s points or more on new tasks like these (80 %% power, %s; further nights add nothing, because repeats are not new evidence)",
			text.Size(tonight), tasks)
	default:
		says = fmt.Sprintf("tonight's run can show an improvement of %s points or more on new tasks like these, and the month's runs can show one of %s points (80 %% power, %s, %.0f pairs a night)",
			text.Size(tonight), text.Size(month), tasks, d.Tonight)
	}
	if month > Practical {
		if n := d.Needed(Practical); n > 0 {
			says += fmt.Sprintf("; about %s would be needed for %s points", text.Count(n, "independent task"), text.Size(Practical))
		}
	}
	if text := d.Assumption(); text != "" {
		says += "; " + text
	}
	within, between := d.variances()
	if r := BestRepeats(taskPrice, 1, within, between); !d.Fixed && d.Month/float64(d.Tasks) > r {
		says += fmt.Sprintf("; beyond about %.0f repeats of each task, adding tasks would help more than adding repeats", r)
	}
	return says
}
