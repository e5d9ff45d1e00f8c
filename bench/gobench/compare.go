package gobench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Bounds on a comparison: beyond them the exact tests would take minutes.
const (
	mostRuns     = 200
	mostCompared = 2000
)

// Measured are the runs of a comparison. With Again there is an A/A check.
type Measured struct {
	Base, Again, Candidate []Run
}

// Result is the judgement of a candidate.
type Result struct {
	// Verdict is Better only when the metric is better on at least one benchmark and
	// nothing that was compared is worse, all at the rule's level together.
	Verdict Verdict `json:"verdict"`
	// Reasons says why, in words, the most important first.
	Reasons []string `json:"reasons"`
	// Comparisons by benchmark and unit; empty when the runs do not match.
	Comparisons []Comparison `json:"comparisons,omitempty"`
	// Check compares the base with itself; empty without an A/A check.
	Check []Comparison `json:"check,omitempty"`
	// Needed is the number of runs per side from which one difference among these
	// comparisons can be significant at all.
	Needed int `json:"needed"`
}

// session is one comparison under way.
type session struct {
	rule   Rule
	keys   []Key
	family int // number of comparisons that are looked at together
	// criticals remembers what the test's distribution said.
	criticals map[size]int
}

// Compare judges a candidate by a rule. It is deterministic, and draws no conclusion
// that was not earned: sides that ran unequally often, runs that do not report the same
// benchmarks equally often, too few runs for any difference to be significant, and a
// base that differs from itself are void. The number of runs is settled before the first:
// going on until a difference shows would find one anywhere.
//
// Equally often, because only then is the distribution of U symmetric when values are
// equal, which benchmath's exact test takes for granted: of 1, 1 against 0, 1, 0, 1, 1 it
// says p = .095, where all ways to deal the values out give .95.
func Compare(m Measured, rule Rule) Result {
	s := &session{rule: rule.withDefaults(), criticals: map[size]int{}}
	if !(s.rule.Alpha > 0 && s.rule.Alpha < 1) {
		return void(fmt.Sprintf("%v is no level of significance", s.rule.Alpha))
	}
	if s.rule.direction(s.rule.Metric) == 0 {
		return void(fmt.Sprintf("nobody has said whether more or less %s is better", s.rule.Metric))
	}
	if s.keys = s.shared(m.Base); len(s.keys) == 0 {
		return void(fmt.Sprintf("the base has no benchmark with results in %s in every run", s.rule.Metric))
	}
	s.family = len(s.keys)
	if wrong := s.unfit(m); len(wrong) > 0 {
		return void(wrong...)
	}
	r := Result{Needed: Needed(s.rule.Alpha, s.family)}
	if n := len(m.Base); n < r.Needed {
		r.Verdict = Void
		r.Reasons = []string{fmt.Sprintf("with %s a side no difference among %s could be significant: at least %d are needed",
			plural(n, "run"), plural(s.family, "comparison"), r.Needed)}
		return r
	}
	r.Comparisons = s.compareAll(m.Base, m.Candidate)
	if len(m.Again) > 0 {
		r.Check = s.compareAll(m.Base, m.Again)
	}
	s.judge(&r)
	return r
}

func void(reasons ...string) Result { return Result{Verdict: Void, Reasons: reasons} }

// shared lists the keys to be compared: those that any run of the base has. It is
// empty when none of them is of the metric.
func (s *session) shared(base []Run) []Key {
	seen := map[Key]bool{}
	metric := false
	for _, run := range base {
		for k := range run {
			if s.rule.compared(k.Unit) {
				seen[k] = true
				metric = metric || k.Unit == s.rule.Metric
			}
		}
	}
	if !metric {
		return nil
	}
	keys := make([]Key, 0, len(seen))
	for k := range seen {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(strings.Compare(a.Benchmark, b.Benchmark), strings.Compare(a.Unit, b.Unit))
	})
	return keys
}

// unfit says why the runs cannot be compared; empty when they can.
func (s *session) unfit(m Measured) []string {
	if s.family > mostCompared {
		return []string{fmt.Sprintf("%d comparisons are more than the %d that are made", s.family, mostCompared)}
	}
	var wrong []string
	for _, unit := range s.rule.Guards {
		if !slices.ContainsFunc(s.keys, func(k Key) bool { return k.Unit == unit }) {
			wrong = append(wrong, fmt.Sprintf("the base has no results in %s, which is to be guarded", unit))
		}
	}
	if len(m.Candidate) == 0 {
		return []string{"the candidate has no run"}
	}
	for _, side := range []struct {
		name Side
		runs []Run
	}{{Base, m.Base}, {Again, m.Again}, {Candidate, m.Candidate}} {
		if n := len(side.runs); n != len(m.Base) && (n > 0 || side.name != Again) {
			wrong = append(wrong, fmt.Sprintf("%s ran %s, the base %s", side.name, times(n), times(len(m.Base))))
		}
		if len(side.runs) > mostRuns {
			return []string{fmt.Sprintf("%d runs of one side are more than the %d that are compared", len(side.runs), mostRuns)}
		}
		for _, k := range s.keys {
			want := len(m.Base[0][k])
			for i, run := range side.runs {
				if got := len(run[k]); got != want || got == 0 {
					wrong = append(wrong, fmt.Sprintf("%s reports %s in %s %s in its run %d, the base's first run %s",
						side.name, k.Benchmark, k.Unit, times(got), i+1, times(want)))
					break
				}
			}
		}
	}
	return wrong
}

// compareAll compares every key and judges each with all others in mind.
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

// column is one value per run.
func column(runs []Run, k Key) []float64 {
	out := make([]float64, len(runs))
	for i, r := range runs {
		out[i] = r.value(k)
	}
	return out
}

// judge draws the verdict from the comparisons.
func (s *session) judge(r *Result) {
	var better, worse []string
	for _, c := range r.Check {
		if c.Verdict != NotShown {
			r.Verdict = Void
			r.Reasons = append(r.Reasons, "the base differs from itself: "+c.sentence())
		}
	}
	if r.Verdict == Void {
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
		r.Verdict, r.Reasons = Worse, slices.Concat(worse, better)
	case len(better) > 0:
		r.Verdict, r.Reasons = Better, append(better, blindSpot(r.Comparisons))
	default:
		r.Verdict, r.Reasons = NotShown, []string{s.unshown(r.Comparisons)}
	}
	if len(r.Check) == 0 {
		r.Reasons = append(r.Reasons, "the base was not compared with itself")
	}
}

// unshown says what could have been seen.
func (s *session) unshown(list []Comparison) string {
	text := fmt.Sprintf("no change of %s %% or more in %s was shown", percent(s.rule.Least), s.rule.Metric)
	least := math.Inf(1)
	for _, c := range list {
		if c.Unit == s.rule.Metric && c.Detectable >= 0 {
			least = math.Min(least, c.Detectable)
		}
	}
	if math.IsInf(least, 1) {
		return text
	}
	return text + fmt.Sprintf("; the smallest that could have been found is about %s %% (80 %% power)", percent(math.Max(least, s.rule.Least)))
}

// blindSpot says what harm could have gone unseen: that none was shown is no proof that
// there is none.
func blindSpot(list []Comparison) string {
	widest := list[0]
	for _, c := range list {
		if c.Detectable < 0 || widest.Detectable >= 0 && c.Detectable > widest.Detectable {
			widest = c
		}
	}
	if widest.Detectable < 0 {
		return fmt.Sprintf("any loss of %s in %s could have gone unseen", widest.Benchmark, widest.Unit)
	}
	return fmt.Sprintf("nothing is shown to be worse; a loss of %s %% could have gone unseen (%s, %s, 80 %% power)", percent(widest.Detectable), widest.Benchmark, widest.Unit)
}

func (c Comparison) sentence() string {
	text := fmt.Sprintf("%s: %s %s by %s %%", c.Benchmark, c.Unit, c.Verdict, percent(math.Abs(c.Change)))
	if c.Interval != nil {
		text += fmt.Sprintf(" (change %s to %s %%)", percent(c.Interval.Lo), percent(c.Interval.Hi))
	}
	return text + fmt.Sprintf(", p = %.2g, corrected %.2g", c.P, c.Adjusted)
}

func percent(share float64) string { return fmt.Sprintf("%.3g", 100*share) }

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}
