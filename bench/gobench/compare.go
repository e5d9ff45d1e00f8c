package gobench

import (
	"fmt"
	"math"
	"slices"

	"evolve/runtime/text"
)

// The limits of a comparison, above which the exact tests would take minutes.
const (
	mostRuns     = 200
	mostCompared = 2000
)

// Measured holds the runs to compare. If Again has runs, they are compared with those of
// Base as an A/A check.
type Measured struct {
	Base, Again, Candidate []Run
}

// Result is the result of comparing a candidate with the base.
type Result struct {
	// Verdict is Better only when the metric is better on at least one benchmark and none
	// of the compared values is worse. The rule's significance level applies to all
	// comparisons together.
	Verdict Verdict `json:"verdict"`
	// Reasons explains the verdict in words, the most important reason first.
	Reasons []string `json:"reasons"`
	// Comparisons lists the comparisons by benchmark and unit; it is empty if the runs do
	// not match.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Check compares the base with itself; it is empty if there is no A/A check. Even if
	// nothing differs, the check voids a share alpha of the results by chance.
	Check []Comparison `json:"check,omitempty"`
	// Blind names the comparisons that could hide a loss larger than the rule's Loss, the
	// largest possible loss first. If there are any, the result does not show that nothing
	// is worse.
	Blind []string `json:"blind,omitempty"`
	// Needed is the minimum number of runs per side for a difference in a single comparison
	// to be significant after the correction for all comparisons.
	Needed int `json:"needed"`
}

// session is the state of one comparison.
type session struct {
	rule   Rule
	keys   []Key
	family int // number of simultaneous comparisons
	// criticals caches the results of critical.
	criticals map[size]int
}

// Compare judges a candidate by a rule. It is deterministic. The result is void if the
// sides have unequal numbers of runs, if the runs of the base report different benchmarks,
// if there are too few runs for any difference to be significant, or if the base differs
// from itself. A candidate that does not report the same benchmarks as the base is refused.
// The number of runs must be fixed in advance: adding runs until a difference shows would
// find a difference in anything.
//
// Both sides must have the same number of runs because only then is the distribution of U
// symmetric for tied values, as benchmath's exact test assumes. For 1, 1 against 0, 1, 0,
// 1, 1 that test returns p = .095, whereas enumerating all permutations gives .95.
func Compare(m Measured, rule Rule) Result {
	s := &session{rule: rule.withDefaults(), criticals: map[size]int{}}
	if !(s.rule.Alpha > 0 && s.rule.Alpha < 1) {
		return void(fmt.Sprintf("the significance level %v is not between 0 and 1", s.rule.Alpha))
	}
	if s.rule.direction(s.rule.Metric) == 0 {
		return void(fmt.Sprintf("no setting specifies whether higher or lower values of %s are better", s.rule.Metric))
	}
	s.keys = s.rule.keys(m.Base)
	if !slices.ContainsFunc(s.keys, func(k Key) bool { return k.Unit == s.rule.Metric }) {
		return void(fmt.Sprintf("the base has no benchmark with results in %s", s.rule.Metric))
	}
	s.family = len(s.keys)
	if wrong := s.unfit(m); len(wrong) > 0 {
		return void(wrong...)
	}
	if wrong := s.unlike(m, Candidate, m.Candidate); len(wrong) > 0 {
		return Result{Verdict: Refused, Reasons: few(wrong)}
	}
	r := Result{Needed: needed(s.rule.Alpha, s.family)}
	if n := len(m.Base); n < r.Needed {
		r.Verdict = Void
		r.Reasons = []string{fmt.Sprintf("with %s on each side, no difference among %s could be significant: at least %d runs are needed",
			text.Count(n, "run"), text.Count(s.family, "comparison"), r.Needed)}
		return r
	}
	r.Comparisons = s.compareAll(m.Base, m.Candidate)
	if len(m.Again) > 0 {
		r.Check = s.compareAll(m.Base, m.Again)
	}
	s.judge(&r)
	return r
}

func void(reasons ...string) Result { return Result{Verdict: Void, Reasons: few(reasons)} }

// unfit returns the reasons why the runs cannot be compared.
func (s *session) unfit(m Measured) []string {
	if s.family > mostCompared {
		return []string{fmt.Sprintf("there are %d comparisons; the limit is %d", s.family, mostCompared)}
	}
	var wrong []string
	for _, unit := range s.rule.Guards {
		if !slices.ContainsFunc(s.keys, func(k Key) bool { return k.Unit == unit }) {
			wrong = append(wrong, fmt.Sprintf("the base has no results in %s, for which the settings define a guard", unit))
		}
	}
	if len(m.Candidate) == 0 {
		return []string{"the candidate has no runs"}
	}
	for _, side := range []struct {
		name Side
		runs []Run
	}{{Base, m.Base}, {Again, m.Again}, {Candidate, m.Candidate}} {
		if n := len(side.runs); n != len(m.Base) && (n > 0 || side.name != Again) {
			wrong = append(wrong, fmt.Sprintf("%s has %s, but the base has %s", side.name.name(), text.Count(n, "run"), text.Count(len(m.Base), "run")))
		}
		if len(side.runs) > mostRuns {
			return []string{fmt.Sprintf("one side has %d runs; the limit is %d", len(side.runs), mostRuns)}
		}
		if side.name != Candidate && len(wrong) == 0 {
			wrong = s.unlike(m, side.name, side.runs)
		}
	}
	return wrong
}

// unlike describes each compared key that a run of the given side omits, or reports more
// or fewer times than the base's first run does.
func (s *session) unlike(m Measured, side Side, runs []Run) []string {
	var wrong []string
	for _, k := range s.keys {
		want := len(m.Base[0][k])
		for i, run := range runs {
			if got := len(run[k]); got != want || got == 0 {
				wrong = append(wrong, fmt.Sprintf("run %d of %s reports %s in %s %s; the base's first run reports it %s",
					i+1, side.name(), k.Benchmark, k.Unit, times(got), times(want)))
				break
			}
		}
	}
	return wrong
}

// compareAll compares every key and corrects the verdicts for the number of comparisons.
func (s *session) compareAll(base, other []Run) []Comparison {
	list := make([]Comparison, len(s.keys))
	p := make([]float64, len(s.keys))
	for i, k := range s.keys {
		list[i] = s.compare(k, column(base, k), column(other, k))
		p[i] = list[i].P
	}
	for i, adjusted := range holm(p) {
		c := &list[i]
		c.Adjusted, c.Verdict = adjusted, NotShown
		if adjusted <= s.rule.Alpha && math.Abs(c.Change) >= s.rule.Least {
			c.Verdict = Worse
			if c.Change > 0 == (s.rule.direction(c.Unit) == Higher) {
				c.Verdict = Better
			}
		}
	}
	return list
}

// column returns the median value of a key in each run.
func column(runs []Run, k Key) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = r.value(k)
	}
	return out
}

// judge derives the verdict from the comparisons.
func (s *session) judge(r *Result) {
	var better, worse []string
	for _, c := range r.Check {
		if c.Verdict != NotShown {
			r.Verdict = Void
			r.Reasons = append(r.Reasons, "a second measurement of the base differs from the first: "+c.sentence())
		}
	}
	if r.Verdict == Void {
		r.Reasons = few(r.Reasons)
		return
	}
	for _, c := range r.Comparisons {
		switch {
		case c.Verdict == Worse:
			worse = append(worse, c.sentence())
		case c.Verdict == Better && c.Unit == s.rule.Metric:
			better = append(better, c.sentence())
		}
	}
	switch {
	case len(worse) > 0:
		r.Verdict, r.Reasons = Worse, append(few(worse), few(better)...)
	case len(better) > 0:
		r.Verdict, r.Reasons = Better, append(few(better), s.blindSpot(r.Comparisons))
	default:
		r.Verdict, r.Reasons = NotShown, []string{s.unshown(r.Comparisons), s.blindSpot(r.Comparisons)}
	}
	if r.Verdict != Worse {
		r.Blind = few(s.blind(r.Comparisons))
	}
	if len(r.Check) == 0 {
		r.Reasons = append(r.Reasons, "the base was not measured a second time, so it was not compared with itself")
	}
}
