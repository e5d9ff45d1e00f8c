package stats

import "math"

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
// Better on these tasks: log E ≥ ln(1/α) ([Sample]). Better on new tasks like these: that, and
// [NewTaskLower] at α/2 above 0. The first of these that fits is the state:
//
//   - harmful: the evidence for "worse" reaches ln 20;
//   - vetoed: a guard has failed, or a domain is proven worse;
//   - proven: better on new tasks, and all guards passed;
//   - here only: better on these tasks, eight blocks done, and the limit of [NewTaskLower] not above 0;
//   - parked: more than twice the projected pairs;
//   - open.
//
// For a fixed agent see [Rule]: on these tasks the difference is known after a block; the claim about new
// tasks is Student's bound over clusters at α ([Compare]), on at least ⌈log2(1/α)⌉ of
// them, so that a sign test could reach α as well.
func Judge(variant string, pairs []Pair, rule Rule) Ruling {
	clean := gather(pairs)
	if rule.Fixed {
		clean = onePerTask(clean)
	}
	level := rule.Level
	if level == 0 {
		level = shown
	}
	c, s := compareSequential(clean, level)
	r := Ruling{Variant: variant, Comparison: c, Threshold: -math.Log(rule.Alpha), Fixed: rule.Fixed, Pairs: s.N()}
	for _, p := range clean {
		r.Blocks = max(r.Blocks, len(p.A))
	}
	r.LogE, r.LogHarm = s.LogSuperior(0), s.LogInferior(0)
	r.Month = Interval{Lo: s.Lower(rule.Alpha), Hi: s.Upper(rule.Alpha)}
	spread := pairComponents(clean)
	r.Between, r.Within = spread.Between, spread.Within
	r.NewLower, r.Limit = NewTaskLower(s, spread, rule.Alpha/looks)
	r.New = NewTaskInterval(s, spread, level)
	r.Shrunken = Headline(r.Difference, math.Max(spread.SENew*spread.SENew, leastVariance/float64(max(1, s.N()))))
	r.Guards, r.Parts = guards(clean, rule), parts(clean, rule.Fixed)
	if rule.Fixed {
		r.fixed(clean, rule)
	}
	r.Claim = r.claim(rule)
	r.State = r.state(rule)
	r.Reason = r.reason(rule)
	return r
}

// guards that the rule asks for, over the pairs of all tasks.
func guards(clean []Pair, rule Rule) []Guard {
	var costA, costB, latencyA, latencyB []float64
	for _, p := range clean {
		costA, costB = append(costA, p.CostA...), append(costB, p.CostB...)
		latencyA, latencyB = append(latencyA, p.LatencyA...), append(latencyB, p.LatencyB...)
	}
	var out []Guard
	if rule.Cost {
		out = append(out, NewGuard("cost", costA, costB))
	}
	if rule.Latency {
		out = append(out, NewGuard("latency", latencyA, latencyB))
	}
	if rule.Fixed {
		for i := range out {
			out[i] = out[i].known()
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
	if r.Clusters < leastClusters(rule.Alpha) {
		r.NewLower, r.Limit = -1, -1
	}
}

// leastClusters is the fewest on which a sign test could reach alpha, ⌈log2(1/α)⌉.
func leastClusters(alpha float64) int { return int(math.Ceil(-math.Log2(alpha))) }

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
	passed := true
	for _, g := range r.Guards {
		passed = passed && g.Verdict == GuardPassed
	}
	switch {
	case r.Pairs == 0:
		return Open
	case rule.Fixed && r.Claim == NoClaim, !rule.Fixed && r.LogHarm >= -math.Log(harmAlpha):
		return Harmful
	case r.vetoed():
		return Vetoed
	case r.Claim == NewTasks && passed:
		return Proven
	case r.Claim == TheseTasks && (rule.Fixed || r.Limit <= 0 && r.Blocks >= enoughBlocks):
		return HereOnly
	case rule.Cap > 0 && float64(r.Pairs) > surplus*rule.Cap:
		return Parked
	}
	return Open
}

// vetoed reports whether a guard or a domain is proven to be worse than it may be.
func (r *Ruling) vetoed() bool {
	for _, g := range r.Guards {
		if g.Verdict == GuardFailed {
			return true
		}
	}
	for _, p := range r.Parts {
		if p.Verdict == DomainVeto {
			return true
		}
	}
	return false
}
