// Package number formats the figures of a report: scores, differences, counts, money and
// times. Score units are shares of the scale, a point is .01.
package number

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"evolve/runtime/text"
)

const (
	// Minus is the sign of negative numbers.
	Minus = text.Minus
	// Unknown stands for a figure that there is none of.
	Unknown = text.Unknown
)

// Score formats a mean score with three decimals and no leading zero: .612, 1.000.
func Score(x float64) string { return text.Score(x) }

// Points formats a difference of scores in points, hundredths of the scale, with its
// sign: +8.2, −0.4, 0.0.
func Points(d float64) string { return text.Points(d) }

// Size formats a difference in points without a sign.
func Size(d float64) string { return text.Size(d) }

// Interval formats the bounds of a difference in points.
func Interval(lo, hi float64) string {
	return "[" + Points(lo) + ", " + Points(hi) + "]"
}

// Change formats a ratio as a change: +10 %, −5 %, 0 %.
func Change(ratio float64) string { return Signed(100*(ratio-1), 0) + " %" }

// ChangeInterval formats the bounds of a ratio as changes in per cent.
func ChangeInterval(lo, hi float64) string {
	return "[" + Signed(100*(lo-1), 0) + ", " + Signed(100*(hi-1), 0) + "]"
}

// Signed formats a number with its sign; 0 has none.
func Signed(x float64, decimals int) string { return text.Signed(x, decimals) }

// PValue formats a probability with two significant digits: .0031, <.0001.
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
	return strings.TrimPrefix(strconv.FormatFloat(p, 'f', min(decimals, 4), 64), "0")
}

// Count formats a whole number with thousands separators.
func Count(n int) string { return humanize.Comma(int64(n)) }

// Plural formats a count with its noun. The plural adds an s unless it is given.
func Plural(n int, noun string, plural ...string) string {
	if n != 1 {
		noun = cmp.Or(append(plural, noun+"s")...)
	}
	return Count(n) + " " + noun
}

// Times formats how often something was done: once, twice, 12 times.
func Times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return Count(n) + " times"
}

// Short formats a parameter's value: .75, 12, 1e−06.
func Short(x float64) string { return text.Short(x) }

// Percent formats a share or level with at most one decimal, unless it would round to 0 or 100 %.
func Percent(x float64) string { return text.Percent(x) }

// Share formats a part of a whole in per cent, rounded down: only a whole is 100 %.
func Share(x float64) string { return strconv.Itoa(int(100*x)) + " %" }

// Money formats an amount in cents or dollars: .41¢, $12.30.
func Money(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < .01:
		return Short(math.Round(usd*100*1000)/1000) + "¢"
	case usd < 1:
		return strconv.FormatFloat(usd*100, 'f', 1, 64) + "¢"
	}
	return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
}

// Dollars formats an amount of a budget, such as its bound, what is spent and what is left. It has
// two decimals from a dollar on and in whole cents, and else four significant digits, so that
// the amounts of a small budget add up: $12.35, $0.50, $0.035, $0.004069.
func Dollars(usd float64) string { return text.Dollars(usd) }

// Duration formats a time span with two significant units: 840 ms, 1.9 s, 3 m 20 s, 7 h 5
// m.
func Duration(seconds float64) string {
	fixed := func(x float64, decimals int, unit string) string {
		return strconv.FormatFloat(x, 'f', decimals, 64) + " " + unit
	}
	units := func(d, large, small time.Duration, first, second string) string {
		d = d.Round(small)
		return strconv.Itoa(int(d/large)) + " " + first + " " + strconv.Itoa(int(d%large/small)) + " " + second
	}
	switch d := time.Duration(seconds * float64(time.Second)); {
	case d <= 0:
		return "0 s"
	case d < time.Millisecond:
		return fixed(seconds*1e6, 0, "µs")
	case d < time.Second:
		return fixed(seconds*1e3, 0, "ms")
	case d < 10*time.Second:
		return fixed(seconds, 1, "s")
	case d < time.Minute:
		return fixed(seconds, 0, "s")
	case d < time.Hour:
		return units(d, time.Minute, time.Second, "m", "s")
	default:
		return units(d, time.Hour, time.Minute, "h", "m")
	}
}

// Date formats the day of a time in UTC, so that the same records read the same
// everywhere.
func Date(t time.Time) string { return t.UTC().Format("2 Jan 2006") }

// Time formats a time in UTC, to the second.
func Time(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }

// Signs replaces the hyphens of negative numbers in a sentence by minus signs.
func Signs(sentence string) string { return negative.ReplaceAllString(sentence, "${1}"+Minus+"${2}") }

var negative = regexp.MustCompile(`(^|[ (\[])-([.0-9])`)
