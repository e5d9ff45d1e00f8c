package stats

import (
	"math"
	"slices"
)

const (
	// shown is the level of intervals where a rule names none.
	shown = 0.95
	// harmAlpha is the error at which a candidate is proven worse. To let go of one
	// costs little, so that it is not divided by the entries of a window.
	harmAlpha = 0.05
	// enoughBlocks is the number of complete blocks from which on the variance between
	// tasks is known well enough to give up the claim about new ones.
	enoughBlocks = 8
	// looks divides the level of the claim about new tasks: τ̂ and Student's t hold at one
	// look, and after every block there is another. At the full level the simulation of package
	// nights had .07 false adoptions a month with interactions and 10 or 40 tasks, where .05 are
	// stated; at half of it .03 and .02.
	looks = 2
	// surplus times the pairs that were projected, and a candidate is parked.
	surplus = 2
)

// Judge rules on a candidate (B of the pairs) against its champion (A) after complete blocks; it must not be
// asked in the middle of one. It does nothing but look at the evidence: the same pairs in another order
// give the same ruling, and asking after every block of every night is what the evidence is valid for.
//
// Better on these tasks: log E ≥ ln(1/α) ([Sample]). Better on new tasks like these: that, at
// least [LeastTasks] independent tasks, and the lower bound for new tasks at α/2 above 0. The first of these that fits is the state:
//
//   - harmful: the evidence for "worse" reaches ln 20;
//   - vetoed: a domain is proven worse;
//   - trade: better on new tasks, and a guard is broken ([Guard.Broken]);
//   - proven: better on new tasks, and no guard is broken; what is open is stated, and more blocks
//     may settle it ([Ruling.Pending]);
//   - here only: better on these tasks, and more blocks cannot show it of new ones: too few tasks, or
//     eight blocks done and the limit of [NewTaskLower] not above 0;
//   - parked: more than twice the projected pairs;
//   - open.
//
// For a fixed agent see [Rule]: on these tasks the difference is known after a block; the claim about new
// tasks is Student's bound over clusters at α ([Compare]), on as many of them.
//
// A claim about new tasks that an earlier look made stands ([Rule].Proof, [Proof]).
//
// Missing data: the ruling is the one that claims less of that on the pairs that were scored and that
// in which what only one side lacks is scored as well, 0 as a rule ([Pair.AloneA]).
func Judge(variant string, pairs []Pair, rule Rule) Ruling {
	r := rule.judge(variant, gather(pairs))
	if all := counted(pairs); all != nil {
		whole := rule.judge(variant, gather(all))
		whole.MissingCounted = true
		r = weaker(r, whole)
	}
	r.MissingA, r.MissingB = missing(pairs)
	r.carry(rule)
	r.Reason = r.reason(rule)
	return r
}

// judge rules on gathered pairs; it leaves the reason to [Judge].
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
	r.Month = Interval{Lo: s.Lower(rule.Alpha), Hi: s.Upper(rule.Alpha)}
	all := newReach(clean)
	r.Nights, r.Night = all.drift.nights, math.Sqrt(all.drift.variance)
	r.Between, r.Within, r.Independent, r.Least = all.Between, all.Within, all.Effective, LeastTasks(rule.Alpha)
	r.NewLower, r.Limit = all.lower(rule.Alpha / looks)
	r.New = all.interval(level)
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
	return r
}

// guards that the rule asks for, over the pairs of all tasks, for a gain on new tasks of at least lower.
func guards(clean []Pair, rule Rule, lower float64, blocks int) []Guard {
	var out []Guard
	alpha := guardAlpha
	if rule.Proof != nil && blocks > rule.Proof.Blocks {
		alpha /= guardLooks
	}
	for _, b := range rule.Guards {
		// Where nothing was measured there is nothing to guard.
		if g := newGuard(b.For(lower), clean, alpha); g.Champion > 0 || g.Candidate > 0 || g.Verdict == GuardFailed {
			out = append(out, g)
		}
	}
	return out
}

// onePerTask averages the pairs of each task, so that repeats which say nothing new are
// not counted as evidence.
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

// fixed puts Student's intervals over clusters in the place of those whose evidence
// grows with repeats. All spread is between tasks.
func (r *Ruling) fixed(clean []Pair, rule Rule) {
	r.Comparison = Compare(clean, r.Level)
	r.New = Interval{Lo: r.Lo, Hi: r.Hi}
	month := Compare(clean, 1-2*rule.Alpha)
	r.Month = Interval{Lo: month.Lo, Hi: month.Hi}
	r.NewLower, r.Limit = month.Lo, month.Lo
	r.Nights, r.Night = 0, 0 // it says the same on every night
}

// few reports whether there are fewer independent tasks than a claim about new ones needs.
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
