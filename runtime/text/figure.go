package text

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
)

const (
	// Minus is the sign of negative numbers.
	Minus = "−"
	// Unknown stands for a figure that does not exist.
	Unknown = "–"
)

// Decimal formats a number with the given number of decimals and no leading zero: .61,
// −.25, 1.000.
func Decimal(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Unknown
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimPrefix(s, "0")
	}
	if x < 0 && strings.ContainsAny(s, "123456789") {
		return Minus + s
	}
	return s
}

// Score formats a mean score with three decimals: .612, 1.000.
func Score(x float64) string { return Decimal(x, 3) }

// Signed formats a number with its sign; 0 has none.
func Signed(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Unknown
	}
	s := strconv.FormatFloat(math.Abs(x), 'f', decimals, 64)
	switch {
	case strings.Trim(s, "0.") == "":
		return s
	case x < 0:
		return Minus + s
	}
	return "+" + s
}

// Points formats a difference between scores in points, which are hundredths of the scale,
// with its sign: +8.2, −0.4, 0.0.
func Points(d float64) string { return Signed(100*d, 1) }

// Size formats a difference in points without a sign.
func Size(d float64) string { return strings.TrimLeft(Points(d), "+"+Minus) }

// Short formats a number with at most six significant digits: .75, 12, 1e−06.
func Short(x float64) string {
	s := strings.ReplaceAll(strconv.FormatFloat(x, 'g', 6, 64), "-", Minus)
	sign := ""
	if strings.HasPrefix(s, Minus) {
		sign = Minus
	}
	if rest, ok := strings.CutPrefix(s, sign+"0."); ok {
		return sign + "." + rest
	}
	return s
}

// Percent formats a share or level with at most one decimal. A value that would round to
// 100 % has two decimals and is rounded down; a value that would round to 0 % has one
// significant digit.
func Percent(share float64) string {
	percent := math.Round(1000*share) / 10
	switch {
	case percent == 100 && share < 1:
		percent = math.Floor(10000*share) / 100
	case percent == 0 && share > 0:
		percent, _ = strconv.ParseFloat(strconv.FormatFloat(100*share, 'g', 1, 64), 64)
	}
	return Short(percent) + " %"
}

// Whole formats a whole number with thousands separators.
func Whole(n int) string { return humanize.Comma(int64(n)) }

// MostRatio is the ratio at and above which changes are no longer distinguished.
const MostRatio = 1000

// Change formats a ratio as a change: +10 %, −5 %, 0 %. For a ratio of [MostRatio] or more,
// it returns "more than +99,900 %".
func Change(ratio float64) string { return percents(ratio) + " %" }

// ChangeInterval formats the bounds of an interval of ratios as percentage changes: [−5,
// +12].
func ChangeInterval(lo, hi float64) string { return "[" + percents(lo) + ", " + percents(hi) + "]" }

func percents(ratio float64) string {
	if ratio >= MostRatio {
		return "more than +" + Whole(100*(MostRatio-1))
	}
	return Signed(100*(ratio-1), 0)
}

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

// Dollars formats an amount of money. An amount of at least a dollar, or of whole cents,
// has two decimals; any other has up to four significant digits, so that small amounts add
// up: $12.35, $0.50, $0.035, $0.004069.
func Dollars(usd float64) string {
	decimals := 2
	if cents := usd * 100; math.Abs(usd) < 1 && math.Abs(cents-math.Round(cents)) > 1e-6 {
		decimals = max(2, 3-int(math.Floor(math.Log10(math.Abs(usd)))))
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(usd, 'f', decimals, 64), ".")
	part = strings.TrimRight(part, "0")
	return "$" + whole + "." + part + strings.Repeat("0", max(0, 2-len(part)))
}
