package text

import (
	"math"
	"strconv"
	"strings"
)

const (
	// Minus is the sign of negative numbers.
	Minus = "−"
	// Unknown stands for a figure that there is none of.
	Unknown = "–"
)

// Decimal formats a number with so many decimals and no leading zero: .61, −.25, 1.000.
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

// Points formats a difference of scores in points, hundredths of the scale, with its
// sign: +8.2, −0.4, 0.0.
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

// Percent formats a share or level with at most one decimal. One that would round to 100 % has two,
// rounded down, and one that would round to 0 % has one significant digit.
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

// Dollars formats an amount. It has two decimals from a dollar on and in whole cents, and else four
// significant digits, so that small amounts add up: $12.35, $0.50, $0.035, $0.004069.
func Dollars(usd float64) string {
	decimals := 2
	if cents := usd * 100; math.Abs(usd) < 1 && math.Abs(cents-math.Round(cents)) > 1e-6 {
		decimals = max(2, 3-int(math.Floor(math.Log10(math.Abs(usd)))))
	}
	whole, part, _ := strings.Cut(strconv.FormatFloat(usd, 'f', decimals, 64), ".")
	part = strings.TrimRight(part, "0")
	return "$" + whole + "." + part + strings.Repeat("0", max(0, 2-len(part)))
}
