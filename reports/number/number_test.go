package number

import "testing"

func TestNumbers(t *testing.T) {
	for _, c := range [][2]string{
		{Score(.6124), ".612"},
		{Score(1), "1.000"},
		{Score(0), ".000"},
		{Score(-.25), "−.250"},
		{Points(.0821), "+8.2"},
		{Points(-.004), "−0.4"},
		{Points(0), "0.0"},
		{Points(-.0001), "0.0"},
		{Size(-.031), "3.1"},
		{Interval(-1.018, -.721), "[−100.0, −72.1]"},
		{Interval(.9, 1.2), "[+90.0, +100.0]"},
		{PValue(.0031), ".0031"},
		{PValue(.16), ".16"},
		{PValue(.05), ".05"},
		{PValue(.4), ".4"},
		{PValue(.00001), "<.0001"},
		{PValue(1), "1"},
		{PValue(.025), ".025"},
		{Count(0), "0"},
		{Count(1234567), "1,234,567"},
		{Count(-1234), "-1,234"},
		{Plural(1, "task"), "1 task"},
		{Plural(1200, "task"), "1,200 tasks"},
		{Short(.75), ".75"},
		{Short(-.5), "−.5"},
		{Short(12), "12"},
		{Short(1e-6), "1e−06"},
		{Dollars(0), "$0.00"},
		{Dollars(.5), "$0.50"},
		{Dollars(.0041), "$0.0041"},
		{Dollars(12), "$12.00"},
		{Dollars(.1 + .2), "$0.30"},
		{Dollars(.035), "$0.035"},
		{Dollars(.0309312), "$0.03093"},
		{Dollars(.035 - .0309312), "$0.004069"},
		{Dollars(1.2345), "$1.23"},
		{Dollars(1234.567), "$1234.57"},
		{Duration(.0000005), "0 µs"},
		{Duration(.84), "840 ms"},
		{Duration(1.94), "1.9 s"},
		{Duration(200), "3 m 20 s"},
		{Duration(25500), "7 h 5 m"},
	} {
		if c[0] != c[1] {
			t.Errorf("%q, want %q", c[0], c[1])
		}
	}
}
