package calibrate

import "testing"

func TestAt(t *testing.T) {
	thermometer := Curve{{0, -2}, {10, 8}, {20, 20}, {40, 38}}
	for _, c := range []struct {
		name      string
		curve     Curve
		raw, want float64
	}{
		{"no points", nil, 7, 7},
		{"one point", Curve{{10, 12}}, 7, 9},
		{"on a point", thermometer, 10, 8},
		{"on the first", thermometer, 0, -2},
		{"on the last", thermometer, 40, 38},
		{"between the first two", thermometer, 5, 3},
		{"between others", thermometer, 15, 14},
		{"in the last stretch", thermometer, 30, 29},
		{"below", thermometer, -10, -12},
		{"beyond", thermometer, 60, 56},
	} {
		if got := c.curve.At(c.raw); got != c.want {
			t.Errorf("%s: %v is taken as %v, want %v", c.name, c.raw, got, c.want)
		}
	}
}

func BenchmarkAt(b *testing.B) {
	var long Curve
	for i := range 1000 {
		long = append(long, Point{float64(i), float64(2 * i)})
	}
	for b.Loop() {
		long.At(900.5)
	}
}
