package text

import (
	"math"
	"testing"
)

func TestFigures(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{
		{Decimal(.456, 2), ".46"},
		{Decimal(-.001, 2), ".00"},
		{Decimal(.4, 0), "0"},
		{Decimal(math.NaN(), 2), "–"},
		{Score(1), "1.000"},
		{Points(-.004), "−0.4"},
		{Points(-.0001), "0.0"},
		{Size(-.031), "3.1"},
		{Short(-.5), "−.5"},
		{Percent(.164), "16.4 %"},
		{Percent(.995833), "99.6 %"},
		{Percent(.99999), "99.99 %"},
		{Percent(1), "100 %"},
		{Percent(0), "0 %"},
		{Percent(.0004), ".04 %"},
		{Dollars(.0309312), "$0.03093"},
		{Change(1.84), "+84 %"},
		{Change(.95), "−5 %"},
		{Change(1.001), "0 %"},
		{Change(MostRatio), "more than +99,900 %"},
		{ChangeInterval(.95, 1.84), "[−5, +84]"},
		{ChangeInterval(0, MostRatio), "[−100, more than +99,900]"},
		{Whole(4307), "4,307"},
		{Duration(.84), "840 ms"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
