package gobench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// unshown returns the sentence that no change in the metric was shown, with the smallest
// change that could have been found.
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

// blindSpot describes the largest loss that could have gone undetected.
func (s *session) blindSpot(list []Comparison) string {
	widest := list[0]
	for _, c := range list {
		if c.Detectable < 0 || widest.Detectable >= 0 && c.Detectable > widest.Detectable {
			widest = c
		}
	}
	if widest.Detectable < 0 {
		return fmt.Sprintf("for %s, a loss of any size in %s could have gone undetected", widest.Benchmark, widest.Unit)
	}
	return fmt.Sprintf("nothing is shown to be worse; a loss of %s %% could have gone undetected (%s, %s, 80 %% power)", percent(math.Max(widest.Detectable, s.rule.Least)), widest.Benchmark, widest.Unit)
}

// blind lists the comparisons in which a loss larger than the rule's Loss could have gone
// undetected: such a loss would not have been found with the required power, and the
// interval of the change does not exclude it.
func (s *session) blind(list []Comparison) []string {
	var open []Comparison
	for _, c := range list {
		if c.Verdict == Better || c.Detectable >= 0 && c.Detectable <= s.rule.Loss || c.Interval != nil && s.lossAt(c) <= s.rule.Loss {
			continue
		}
		open = append(open, c)
	}
	slices.SortStableFunc(open, func(a, b Comparison) int {
		return cmp.Or(cmp.Compare(min(a.Detectable, 0), min(b.Detectable, 0)), cmp.Compare(b.Detectable, a.Detectable))
	})
	out := make([]string, 0, len(open))
	for _, c := range open {
		could := "any loss could have gone undetected"
		if c.Detectable >= 0 {
			could = fmt.Sprintf("a loss of %s %% could have gone undetected", percent(c.Detectable))
		}
		out = append(out, fmt.Sprintf("%s in %s: %s; the largest loss allowed is %s %%", c.Benchmark, c.Unit, could, percent(s.rule.Loss)))
	}
	return out
}

// lossAt returns the largest loss within the interval of a comparison, relative to the
// base.
func (s *session) lossAt(c Comparison) float64 {
	if s.rule.direction(c.Unit) == Higher {
		return -c.Interval.Lo
	}
	return c.Interval.Hi
}

func (c Comparison) sentence() string {
	text := fmt.Sprintf("%s: %s %s by %s %%", c.Benchmark, c.Unit, c.Verdict, percent(math.Abs(c.Change)))
	if c.Interval != nil {
		text += fmt.Sprintf(" (change %s to %s %%)", percent(c.Interval.Lo), percent(c.Interval.Hi))
	}
	return text + fmt.Sprintf(", p = %.2g, corrected %.2g", c.P, c.Adjusted)
}

func percent(share float64) string { return fmt.Sprintf("%.3g", 100*share) }

func times(n int) string {
	switch n {
	case 0:
		return "never"
	case 1:
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// few returns the first reasons, followed by the number of the others.
func few(reasons []string) []string {
	const most = 6
	if len(reasons) <= most {
		return reasons
	}
	return append(reasons[:most:most], fmt.Sprintf("and %d more of this kind", len(reasons)-most))
}
