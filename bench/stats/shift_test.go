package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestExchangeIsExact compares the generating function with the mean over all exchanges.
func TestExchangeIsExact(t *testing.T) {
	for _, c := range []struct{ before, after []float64 }{
		{[]float64{1, 0, 1, 1}, []float64{0, 1}},
		{[]float64{1, 0}, []float64{0, 1, 0}},
		{[]float64{.2, .9, 1, .5}, []float64{0, .3, .7}},
		{[]float64{.25}, []float64{.5, 1}},
		{[]float64{.25, .25}, []float64{.25}},
	} {
		e := newExchange(c.before, c.after, 1)
		all := append(append([]float64{}, c.before...), c.after...)
		for _, l := range []float64{-3, -.5, .7, 4} {
			var sum, count float64
			for set := range 1 << len(all) {
				var a, b, n float64
				for i, x := range all {
					if set>>i&1 == 1 {
						b, n = b+x, n+1
					} else {
						a += x
					}
				}
				if int(n) == len(c.after) {
					sum += math.Exp(l * (b/n - a/(float64(len(all))-n)))
					count++
				}
			}
			if got, want := e.logMGF(l), math.Log(sum/count); math.Abs(got-want) > 1e-9 {
				t.Errorf("before %v, after %v: at %v it is %v, want %v", c.before, c.after, l, got, want)
			}
		}
	}
}

func TestCompareNights(t *testing.T) {
	before := []NightScores{{"a": {1, 1}, "b": {1, 0}, "gone": {0}}, {"a": {1, 1}, "b": {1, 1}}}
	after := []NightScores{{"a": {0, 0}, "b": {0, 1}, "new": {1}}}
	s, ok := CompareNights(before, after, Nature{}, .95)
	if !ok || s.Tasks != 2 || s.BeforeRuns != 8 || s.AfterRuns != 4 || s.BeforeNights != 2 || s.AfterNights != 1 {
		t.Fatalf("the comparison is %+v, %t", s, ok)
	}
	if want := -.625; math.Abs(s.Difference-want) > 1e-12 || s.Lo > want || s.Hi < want || s.Night < AssumedNight {
		t.Errorf("the comparison is %+v", s)
	}
	exact, _ := CompareNights(before, after, Nature{Deterministic: true, Fixed: true}, .95)
	if exact.Lo != s.Difference || exact.Hi != s.Difference || !exact.Fell() {
		t.Errorf("the exact comparison is %+v", exact)
	}
	if _, ok := CompareNights(before, []NightScores{{"new": {1}}}, Nature{}, .95); ok {
		t.Error("nights without a common task are compared")
	}
	if _, ok := CompareNights(nil, nil, Nature{}, .95); ok {
		t.Error("no nights are compared")
	}
	// The order of the nights on a side does not matter.
	turned, _ := CompareNights([]NightScores{before[1], before[0]}, after, Nature{}, .95)
	if math.Abs(turned.Hi-s.Hi) > 1e-9 {
		t.Errorf("another order of the nights gives %v instead of %v", turned.Hi, s.Hi)
	}
}

// TestEqualScoresDoNotFall tests that an exact agent does not count as having fallen if
// means of equal scores differ only in their last digits, because the numbers of repeats
// differ.
func TestEqualScoresDoNotFall(t *testing.T) {
	before, after := []NightScores{{}}, []NightScores{{}}
	for i, score := range []float64{.1, .7, .3, .19583333333333333, .9, .6} {
		task := string(rune('a' + i))
		before[0][task] = slices.Repeat([]float64{score}, 3)
		after[0][task] = slices.Repeat([]float64{score}, 10)
	}
	s, _ := CompareNights(before, after, Nature{Deterministic: true, Fixed: true}, .95)
	if s.Fell() || s.Difference != 0 || s.Before != s.After {
		t.Errorf("equal scores fell: %+v", s)
	}
}

// TestShiftBoundHolds checks that with graded scores, a single comparison excludes 0 by
// chance no more often than it states.
func TestShiftBoundHolds(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 9))
	const trials = 400
	wrong := 0
	for range trials {
		var nights []NightScores
		for range 6 {
			shared := AssumedNight * rng.NormFloat64()
			scores := NightScores{}
			for _, task := range []string{"a", "b", "c", "d", "e"} {
				scores[task] = []float64{math.Max(0, math.Min(1, .6+shared+.3*rng.NormFloat64()))}
			}
			nights = append(nights, scores)
		}
		if s, _ := CompareNights(nights[:4], nights[4:], Nature{}, .95); s.Fell() {
			wrong++
		}
	}
	if share := float64(wrong) / trials; share > .05 {
		t.Errorf("%.3f of the comparisons show a fall that did not happen", share)
	}
}

func TestFallEnds(t *testing.T) {
	night := func(x float64) NightScores {
		n := NightScores{}
		for _, task := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
			n[task] = []float64{x, x}
		}
		return n
	}
	nights := []NightScores{night(1), night(1), night(1), night(0), night(0)}
	f, ok := FindFall(nights, nil, Nature{})
	if !ok || f.First != 3 || f.Difference != -1 {
		t.Fatalf("a fall in the fourth night is %+v, %t", f, ok)
	}
	if f, ok := FindFall(append(nights, night(1), night(1)), nil, Nature{}); ok {
		t.Errorf("after two good nights it is still %+v", f)
	}
	if _, ok := FindFall(nights[:1], nil, Nature{}); ok {
		t.Error("one night shows a fall")
	}
	for _, of := range []Nature{{}, {Deterministic: true}, {Deterministic: true, Fixed: true}} {
		if f, ok := FindFall([]NightScores{night(.5), night(.5), night(1), night(1)}, nil, of); ok {
			t.Errorf("a rise is %+v", f)
		}
	}
}
