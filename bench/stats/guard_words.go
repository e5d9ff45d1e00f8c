package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Sentence returns the guard in words: both figures, the ratio with its interval, and the
// bound.
func (g Guard) Sentence() string {
	name := strings.ReplaceAll(g.Name, "_", " ")
	if g.Of != "" {
		name = g.Of + " " + name
	}
	bound := "at most " + times(g.Most)
	if g.PerPoint > 0 {
		bound += " for this gain"
	}
	return fmt.Sprintf("%s %s → %s (%s [%s, %s], %s)",
		name, Quantity(g.Name, g.Champion), Quantity(g.Name, g.Candidate), times(g.Ratio), times(g.Lo), times(g.Hi), bound)
}

// String returns the bound in words.
func (b Bound) String() string {
	name := strings.ReplaceAll(b.Name, "_", " ")
	s := fmt.Sprintf("%s %s at most %s", b.Of, name, times(b.AtMost))
	if b.PerPoint > 0 {
		s += fmt.Sprintf(" and %g %% more a point", 100*b.PerPoint)
	}
	if b.Floor > 0 {
		s += ", from " + Quantity(b.Name, b.Floor)
	}
	return s
}

// times formats a ratio.
func times(ratio float64) string {
	switch {
	case ratio >= RatioMost:
		return "more than ×1000"
	case ratio >= 10:
		return fmt.Sprintf("×%.0f", ratio)
	}
	return fmt.Sprintf("×%.2f", ratio)
}

// Quantity formats an amount of a metric with its unit.
func Quantity(metric string, amount float64) string {
	switch metric {
	case Cost:
		return "$" + figures(amount)
	case Latency:
		switch {
		case amount >= 1:
			return figures(amount) + " s"
		case amount >= 1e-3:
			return figures(1e3*amount) + " ms"
		}
		return figures(1e6*amount) + " µs"
	}
	return figures(amount)
}

// figures formats an amount to three significant digits without an exponent.
func figures(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return strconv.FormatFloat(x, 'g', 3, 64)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(math.Abs(x)))))
	s := strconv.FormatFloat(x, 'f', digits, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}
