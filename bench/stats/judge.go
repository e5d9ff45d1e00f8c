package stats

import (
	"math"
	"slices"
)

const (
	// shown is the default level of intervals.
	shown = 0.95
	// harmAlpha is the error of the proof that a candidate is worse. Dropping a candidate
	// costs little, so this error is not divided among the entries of a window.
	harmAlpha = 0.05
	// enoughBlocks is the number of complete blocks after which the variance between
	// tasks is known well enough to give up the claim about new tasks.
	enoughBlocks = 8
	// looks is the number by which the level of the claim about new tasks is divided: τ̂
	// and Student's t are valid at one look, but there is a look after every block. At the
	// full level, the simulation of package nights had .07 false adoptions a month with
	// interactions and 10 or 40 tasks, instead of the stated .05; at half the level it had
	// .03 and .02.
	looks = 2
	// surplus is the multiple of the projected pairs after which a candidate is parked.
	surplus = 2
)

// Judge rules on a candidate (B of the pairs) against its champion (A). It may be called
// after every complete block of every night, but not within a block. It is a pure function
// of the evidence, and the order of the pairs does not matter.
//
// A candidate is better on these tasks if log E ≥ ln(1/α) ([Sample]). It is better on new
// tasks like these if it is better on these tasks, there are at least [LeastTasks]
// independent tasks, and the lower bound for new tasks at α/2 is above 0. The state is the
// first of these that applies:
//
//   - harmful: the evidence for "worse" reaches ln 20;
//   - vetoed: a domain is proven worse;
//   - trade: better on new tasks, and a guard is broken ([Guard.Broken]);
//   - proven: better on new tasks, and no guard is broken; open points are stated, and more blocks
//     may settle them ([Ruling.Pending]);
//   - here only: better on these tasks, and more blocks cannot show it for new ones, because there are
//     too few tasks, or because eight blocks are done and the limit of [NewTaskLower] is not above 0;
//   - parked: more than twice the projected number of pairs was used;
//   - open: none of these.
//
// For a fixed agent see [Rule]: the difference on these tasks is known after one block, and
// the claim about new tasks uses Student's bound over clusters at α ([Compare]) and also
// needs at least [LeastTasks] independent tasks.
//
// A claim about new tasks that was made at an earlier look remains valid ([Rule].Proof,
// [Proof]).
//
// If data is missing on only one side, there are two rulings: one on the scored pairs, and
// one in which the missing data is scored as well, usually as 0 ([Pair.AloneA]). Judge
// returns the one that claims less.
func Judge(variant string, pairs []Pair, rule Rule) Ruling {
	r := rule.judge(variant, normalizePairs(pairs))
	if all := counted(pairs); all != nil {
		whole := rule.judge(variant, normalizePairs(all))
		whole.MissingCounted = true
		r = weaker(r, whole)
	}
	r.MissingA, r.MissingB = missing(pairs)
	r.carry(rule)
	r.Reason = r.reason(rule)
	return r
}

// judge rules on gathered pairs; [Judge] adds the reason.
func (rule Rule) judge(variant string, clean []Pair) Ruling {
	if rule.Fixed {
		clean = onePerTask(clean)
	}
	level := rule.Level
	if level == 0 {
		level = shown
	}
	c, s := compareSequential(clean, level)
	r := Ruling{Variant: variant, Reference: rule.Reference, Comparison: c, Threshold: -math.Log(rule.Alpha), Fixed: rule.Fixed, Pairs: s.N()}
	for _, p := range clean {
		r.Blocks = max(r.Blocks, len(p.A))
	}
	r.LogE, r.LogHarm = s.LogSuperior(0), s.LogInferior(0)
	scale := room(r.MeanA, rule.Even)
	r.Month = Interval{Lo: s.Lower(rule.Alpha), Hi: s.Upper(rule.Alpha)}.within(scale)
	here := Interval{Lo: r.Lo, Hi: r.Hi}.within(scale)
	r.Lo, r.Hi = here.Lo, here.Hi
	all := newReach(clean)
	r.Nights, r.Night = all.drift.nights, math.Sqrt(all.drift.variance)
	r.Between, r.Within, r.Independent, r.Least = all.Between, all.Within, all.Effective, LeastTasks(rule.Alpha)
	r.NewLower, r.Limit = all.lower(rule.Alpha / looks)
	r.New = all.interval(level).within(scale)
	r.Parts = parts(clean, rule.Fixed)
	if rule.Fixed {
		r.fixed(clean, rule)
	}
	r.Guards = guards(clean, rule, r.New.Lo, r.Blocks)
	if !all.enough(rule.Alpha) {
		r.NewLower, r.Limit = -1, -1
	}
	r.Tail = newTail(clean, r.Comparison, r.Independent, rule.Fixed)
	r.Failures = newFailures(clean, r.Independent)
	r.Claim = r.claim(rule)
	r.State = r.state(rule)
	r.Metric, r.Further = rule.gain(clean, &r), FurtherGains(rule.Metric, clean, !rule.Fixed && r.Blocks > 1)
	return r
}

// guards decides the verdict of each guard in rule from the pairs of all tasks. lower is
// a lower bound on the gain on new tasks.
func guards(clean []Pair, rule Rule, lower float64, blocks int) []Guard {
	var out []Guard
	alpha := guardAlpha
	if rule.Proof != nil && blocks > rule.Proof.Blocks {
		alpha /= guardLooks
	}
	for _, b := range rule.Guards {
		// The guard of a metric that was not measured is left out, unless it has failed.
		if g := newGuard(b.For(lower), clean, alpha); g.Measured() || g.Verdict == GuardFailed {
			out = append(out, g)
		}
	}
	return out
}

// onePerTask averages the pairs of each task, so that repeats of a fixed agent are not
// counted as evidence.
func onePerTask(clean []Pair) []Pair {
	out := make([]Pair, len(clean))
	for i, p := range clean {
		a, _ := mean(p.A)
		b, _ := mean(p.B)
		p.A, p.B = []float64{a}, []float64{b}
		out[i] = p
	}
	return out
}

// fixed replaces the intervals whose evidence grows with repeats by Student's intervals
// over clusters, because for a fixed agent all variance is between tasks.
func (r *Ruling) fixed(clean []Pair, rule Rule) {
	r.Comparison = comparePairs(clean, r.Level, rule.Even)
	r.New = Interval{Lo: r.Lo, Hi: r.Hi}
	month := comparePairs(clean, 1-2*rule.Alpha, rule.Even)
	r.Month = Interval{Lo: month.Lo, Hi: month.Hi}
	r.NewLower, r.Limit = month.Lo, month.Lo
	r.Nights, r.Night = 0, 0 // a fixed agent does not differ between nights
}

// The method few reports whether there are fewer independent tasks than a claim about new
// ones needs.
func (r *Ruling) few() bool { return r.Independent < float64(r.Least)-1e-9 }

func (r *Ruling) claim(rule Rule) Claim {
	here := r.LogE >= r.Threshold
	if rule.Fixed {
		here = r.Difference > flat
	}
	switch {
	case !here:
		return NoClaim
	case r.NewLower > 0:
		return NewTasks
	}
	return TheseTasks
}

func (r *Ruling) state(rule Rule) State {
	switch {
	case r.Pairs == 0:
		return Open
	case rule.Fixed && r.Claim == NoClaim, !rule.Fixed && r.LogHarm >= -math.Log(harmAlpha):
		return Harmful
	case r.vetoed():
		return Vetoed
	case r.Claim == NewTasks && slices.ContainsFunc(r.Guards, Guard.Broken):
		return Trade
	case r.Claim == NewTasks:
		return Proven
	case r.Claim == TheseTasks && (rule.Fixed || r.few() || r.Limit <= 0 && r.Blocks >= enoughBlocks):
		return HereOnly
	case rule.spent(r.Pairs):
		return Parked
	}
	return Open
}

// vetoed reports whether a domain is proven to be worse.
func (r *Ruling) vetoed() bool {
	return slices.ContainsFunc(r.Parts, func(p DomainRuling) bool { return p.Verdict == DomainVeto })
}
