package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"evolve/runtime/text"
)

// Sentence returns the guard in words: both figures, the ratio with its interval, and the
// bound.
func (g Guard) Sentence() string {
	if !g.Measured() {
		return fmt.Sprintf("%s: no pair was measured (%s)", g.Label(), g.Allowed())
	}
	return fmt.Sprintf("%s %s (%s %s, %s)",
		g.Label(), g.Values(), text.Change(g.Ratio), text.ChangeInterval(g.Lo, g.Hi), g.Allowed())
}

// Label names the quantity that the guard limits.
func (g Guard) Label() string {
	name := strings.ReplaceAll(g.Name, "_", " ")
	if g.Of != "" {
		name = g.Of + " " + name
	}
	return name
}

// Allowed returns the bound in words.
func (g Guard) Allowed() string {
	bound := "at most " + text.Change(g.Most)
	if g.PerPoint > 0 {
		bound += " for this gain"
	}
	return bound
}

// Values formats the consumption of both sides.
func (g Guard) Values() string {
	return Quantity(g.Name, g.Champion) + " → " + Quantity(g.Name, g.Candidate)
}

// String returns the bound in words.
func (b Bound) String() string {
	name := strings.ReplaceAll(b.Name, "_", " ")
	s := fmt.Sprintf("%s %s at most %s", b.Of, name, text.Change(b.AtMost))
	if b.PerPoint > 0 {
		s += fmt.Sprintf(" and %g %% more per point gained", 100*b.PerPoint)
	}
	if b.Floor > 0 {
		s += ", from " + Quantity(b.Name, b.Floor)
	}
	return s
}

// Quantity formats an amount of a metric, as every view shows it: money in dollars, and
// times with their unit. Any other amount below 1 has two significant digits; from 1 on,
// tokens are a whole number, and everything else has one decimal.
func Quantity(metric string, amount float64) string {
	tokens := strings.HasSuffix(metric, "tokens")
	switch {
	case metric == Cost:
		return text.Dollars(amount)
	case metric == Latency:
		return text.Duration(amount)
	case amount > 0 && amount < 1:
		return twoDigits(amount)
	case tokens:
		return text.Whole(int(math.Round(amount)))
	}
	return strconv.FormatFloat(amount, 'f', 1, 64)
}
