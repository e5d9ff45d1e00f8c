package reports

import (
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	minus   = "−"
	unknown = "–"
)

// score formats a mean score with three decimals and no leading zero: .612, 1.000.
func score(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return unknown
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', 3, 64)
	s = strings.TrimPrefix(s, "0")
	if x < 0 && s != ".000" {
		return minus + s
	}
	return s
}

// points formats a difference of scores in points, hundredths of the scale, with its
// sign: +8.2, −0.4, 0.0.
func points(d float64) string {
	return signed(100*d, 1)
}

// size formats a difference in points without a sign.
func size(d float64) string {
	return strings.TrimLeft(points(d), "+"+minus)
}

// interval formats the bounds of a difference in points.
func interval(lo, hi float64) string {
	return "[" + points(lo) + ", " + points(hi) + "]"
}

// percents formats a ratio as a change: +10 %, −5 %, 0 %.
func percents(ratio float64) string { return signed(100*(ratio-1), 0) + " %" }

// ratioInterval formats the bounds of a ratio as changes in per cent.
func ratioInterval(lo, hi float64) string {
	return "[" + signed(100*(lo-1), 0) + ", " + signed(100*(hi-1), 0) + "]"
}

func signed(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return unknown
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	switch {
	case strings.Trim(s, "0.") == "":
		return s
	case x < 0:
		return minus + s
	}
	return "+" + s
}

// pvalue formats a probability with two significant digits: .0031, <.0001.
func pvalue(p float64) string {
	switch {
	case math.IsNaN(p):
		return unknown
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

// count formats a whole number with thousands separators.
func count(n int) string {
	s := strconv.Itoa(n)
	digits := strings.TrimPrefix(s, "-")
	sign := s[:len(s)-len(digits)]
	var parts []string
	for len(digits) > 3 {
		parts = append([]string{digits[len(digits)-3:]}, parts...)
		digits = digits[:len(digits)-3]
	}
	return sign + strings.Join(append([]string{digits}, parts...), ",")
}

// some formats a count with its noun. The plural adds an s unless it is given.
func some(n int, noun string, plural ...string) string {
	switch {
	case n == 1:
		return "1 " + noun
	case len(plural) > 0:
		return count(n) + " " + plural[0]
	}
	return count(n) + " " + noun + "s"
}

// number formats a parameter's value in short form: .75, 12, 1e−06.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'g', 6, 64)
	s = strings.ReplaceAll(s, "-", minus)
	if strings.HasPrefix(s, "0.") {
		return s[1:]
	}
	if strings.HasPrefix(s, minus+"0.") {
		return minus + s[len(minus)+1:]
	}
	return s
}

// money formats an amount in cents or dollars: .41¢, $12.30.
func money(usd float64) string {
	switch {
	case usd == 0:
		return "$0"
	case usd < .01:
		return number(math.Round(usd*100*1000)/1000) + "¢"
	case usd < 1:
		return strconv.FormatFloat(usd*100, 'f', 1, 64) + "¢"
	}
	return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
}

// duration formats a time span with two significant units: 840 ms, 1.9 s, 3 m 20 s, 7 h 5
// m.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d <= 0:
		return "0 s"
	case d < time.Millisecond:
		return strconv.FormatFloat(seconds*1e6, 'f', 0, 64) + " µs"
	case d < time.Second:
		return strconv.FormatFloat(seconds*1e3, 'f', 0, 64) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(seconds, 'f', 1, 64) + " s"
	case d < time.Minute:
		return strconv.FormatFloat(seconds, 'f', 0, 64) + " s"
	case d < time.Hour:
		d = d.Round(time.Second)
		return strconv.Itoa(int(d/time.Minute)) + " m " + strconv.Itoa(int(d%time.Minute/time.Second)) + " s"
	}
	d = d.Round(time.Minute)
	return strconv.Itoa(int(d/time.Hour)) + " h " + strconv.Itoa(int(d%time.Hour/time.Minute)) + " m"
}

// day and moment format a time in UTC, so that the same records read the same everywhere.
func day(t time.Time) string    { return t.UTC().Format("2 Jan 2006") }
func moment(t time.Time) string { return t.UTC().Format("2 Jan 2006 15:04:05 UTC") }
