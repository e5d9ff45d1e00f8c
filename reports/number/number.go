// Package number formats the figures in a report: scores, differences, counts, amounts of
// money, and times. Score units are fractions of the whole scale; a point is .01.
package number

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/text"
)

const (
	// Minus is the sign that precedes negative numbers.
	Minus = text.Minus
	// Unknown is shown instead of a figure that is unknown or does not exist.
	Unknown = text.Unknown
)

// Score formats a mean score with three decimals and no leading zero: .612, 1.000.
func Score(x float64) string { return text.Score(x) }

// Points formats a difference between scores in points, which are hundredths of the scale,
// with its sign: +8.2, −0.4, 0.0.
func Points(d float64) string { return text.Points(d) }

// Size formats a difference in points without a sign.
func Size(d float64) string { return text.Size(d) }

// Interval formats the bounds of a difference in points, limited to the possible range:
// scores lie between 0 and 1, but an estimated bound may imply a score outside this range.
func Interval(lo, hi float64) string {
	return "[" + Points(max(-1, lo)) + ", " + Points(min(1, hi)) + "]"
}

// Change formats a ratio as a change: +10 %, −5 %, 0 %.
func Change(ratio float64) string { return text.Change(ratio) }

// ChangeInterval formats the bounds of a ratio as changes in per cent.
func ChangeInterval(lo, hi float64) string { return text.ChangeInterval(lo, hi) }

// Signed formats a number with its sign and the given number of decimals; 0 has no sign.
func Signed(x float64, decimals int) string { return text.Signed(x, decimals) }

// PValue formats a probability with at most two significant digits: .0031, .05, <.0001.
func PValue(p float64) string {
	switch {
	case math.IsNaN(p):
		return Unknown
	case p < .0001:
		return "<.0001"
	case p >= .9995:
		return "1"
	}
	decimals := 2
	for q := p; q < .1; q *= 10 {
		decimals++
	}
	return strings.Trim(strconv.FormatFloat(p, 'f', min(decimals, 4), 64), "0")
}

// Count formats a whole number with thousands separators.
func Count(n int) string { return text.Whole(n) }

// Plural formats a count with its noun. The plural of the noun is formed by adding an s
// unless it is given.
func Plural(n int, noun string, plural ...string) string { return text.Count(n, noun, plural...) }

// Times formats how often something was done: once, twice, 12 times.
func Times(n int) string { return text.Times(n) }

// Short formats a parameter's value: .75, 12, 1e−06.
func Short(x float64) string { return text.Short(x) }

// Percent formats a share or level with at most one decimal, or with more if it would
// otherwise round to 0 or 100 %.
func Percent(x float64) string { return text.Percent(x) }

// Share formats a part of a whole in per cent, rounded down, so that only a complete whole
// is shown as 100 %.
func Share(x float64) string { return strconv.Itoa(int(100*x)) + " %" }

// Dollars formats an amount of money, such as a mean cost, the limit of a budget or the
// remainder of a budget. Amounts of a dollar or more, and whole cents, have two decimals.
// Other amounts have four significant digits, so that the amounts of a small budget add up:
// $12.35, $0.50, $0.035, $0.004069.
func Dollars(usd float64) string { return text.Dollars(usd) }

// Duration formats a time span with one or two units: 840 ms, 1.9 s, 3 m 20 s, 7 h 5 m.
func Duration(seconds float64) string { return text.Duration(seconds) }

// Date formats the day of a time in UTC, so that the same records look the same in every
// time zone.
func Date(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// Time formats a time in UTC, to the second.
func Time(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }

// Signs replaces the hyphens of negative numbers in a sentence with minus signs.
func Signs(sentence string) string { return negative.ReplaceAllString(sentence, "${1}"+Minus+"${2}") }

var negative = regexp.MustCompile(`(^|[ (\[])-([.0-9])`)
