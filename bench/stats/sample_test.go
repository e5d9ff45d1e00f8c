package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// genDifference draws differences such as those in benchmarks: of passes and fails, of
// grades, and anything in between.
func genDifference() *rapid.Generator[float64] {
	return rapid.OneOf(rapid.SampledFrom([]float64{-1, 0, 1, 1, .5, -.25, .1}), rapid.Float64Range(-1, 1))
}

// plain computes the evidence directly from its definition.
func plain(d []float64, margin float64) float64 {
	var sum float64
	for j := range 9 {
		product, l := 1.0, .05*math.Pow(2, float64(j)/2)
		for _, v := range d {
			product *= 1 + l*((v+1)/(margin+1)-1)
		}
		sum += product / 9
	}
	return math.Log(sum)
}

func TestSampleAgainstTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(genDifference(), 0, 40).Draw(t, "d")
		margin := rapid.SampledFrom([]float64{0, 0, .05, -.1, .6, -.9}).Draw(t, "margin")
		s := NewSample(d...)
		if got, want := s.LogSuperior(margin), plain(d, margin); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("log E(%v, %g) is %g, want %g", d, margin, got, want)
		}
		mirrored := make([]float64, len(d))
		var mean, square float64
		for i, v := range d {
			mirrored[i] = -v
			mean += v / float64(len(d))
			square += v * v / float64(len(d))
		}
		if got, want := s.LogInferior(margin), plain(mirrored, -margin); math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Fatalf("evidence for less than %g of %v is %g, want %g", margin, d, got, want)
		}
		if s.N() != len(d) || math.Abs(s.Mean()-mean) > 1e-12 || math.Abs(s.Variance()-(square-mean*mean)) > 1e-12 {
			t.Fatalf("%d, mean %g, variance %g of %v", s.N(), s.Mean(), s.Variance(), d)
		}
	})
}

func TestSampleProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SliceOfN(genDifference(), 0, 60).Draw(t, "d")
		s := NewSample(d...)
		shuffled, mirrored := new(Sample), new(Sample)
		for _, i := range rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1)).Perm(len(d)) {
			shuffled.Add(d[i], 1)
			mirrored.Add(-d[i], 1)
		}
		alpha := rapid.SampledFrom([]float64{.5, .1, .025, 1. / 240}).Draw(t, "alpha")
		lower, upper := s.Lower(alpha), s.Upper(alpha)
		if lower != shuffled.Lower(alpha) || s.LogSuperior(0) != shuffled.LogSuperior(0) {
			t.Fatal("order matters")
		}
		if math.Abs(lower+mirrored.Upper(alpha)) > 1e-9 || math.Abs(s.LogSuperior(.1)-mirrored.LogInferior(-.1)) > 1e-9 {
			t.Fatalf("mirrored: %g and %g", lower, mirrored.Upper(alpha))
		}
		if !(-1 <= lower && lower <= s.Mean()+1e-12 && s.Mean() <= upper+1e-12 && upper <= 1) {
			t.Fatalf("[%g, %g] around %g", lower, upper, s.Mean())
		}
		// At a bound, the evidence is exactly what alpha requires, and it falls as the
		// margin rises.
		want := -math.Log(alpha)
		if lower > -1 && (s.LogSuperior(lower) < want-1e-6 || s.LogSuperior(lower+1e-7) > want) {
			t.Fatalf("evidence %g and %g beside the bound %g", s.LogSuperior(lower), s.LogSuperior(lower+1e-7), lower)
		}
		if lower == -1 && len(d) > 0 && s.LogSuperior(-1+edge) > want {
			t.Fatalf("no bound, though the evidence would give one")
		}
		a, b := rapid.Float64Range(-.95, .95).Draw(t, "a"), rapid.Float64Range(-.95, .95).Draw(t, "b")
		if s.LogSuperior(math.Min(a, b)) < s.LogSuperior(math.Max(a, b))-1e-9 {
			t.Fatalf("evidence rises from margin %g to %g", a, b)
		}
		narrow, wide := s.Interval(.8), s.Interval(.95)
		if wide.Lo > narrow.Lo || wide.Hi < narrow.Hi {
			t.Fatalf("%v is not within %v", narrow, wide)
		}
		// Further gains never weaken the evidence, and further losses never strengthen it.
		before, gain := s.LogSuperior(0), rapid.Float64Range(0, 1).Draw(t, "gain")
		s.Add(gain, rapid.IntRange(1, 50).Draw(t, "n"))
		if after := s.LogSuperior(0); after < before-1e-9 || (gain > .01 && after <= before) {
			t.Fatalf("%g falls to %g", before, after)
		}
		before = s.LogSuperior(0)
		s.Add(-gain, 3)
		if after := s.LogSuperior(0); after > before+1e-9 {
			t.Fatalf("%g rises to %g", before, after)
		}
	})
}

func TestSampleEdges(t *testing.T) {
	empty := new(Sample)
	if empty.LogSuperior(0) != 0 || empty.Mean() != 0 || empty.Variance() != 0 || empty.Interval(.95) != (Interval{Lo: -1, Hi: 1}) {
		t.Errorf("an empty sample says %v", empty.Interval(.95))
	}
	s := NewSample(math.NaN(), 1+1e-12, -1.5)
	s.Add(.5, 0)
	s.Add(.5, -3)
	if s.N() != 2 || s.Mean() != 0 {
		t.Errorf("%d differences with mean %g", s.N(), s.Mean())
	}
	if i := NewSample(slices.Repeat([]float64{-1}, 500)...).Interval(.95); i.Lo != -1 || !(i.Hi < -.9) {
		t.Errorf("500 losses: %v", i)
	}
	// Computed in logarithms, a hundred million pairs neither overflow nor lose the sign.
	s = new(Sample)
	s.Add(1, 60_000_000)
	s.Add(-1, 40_000_000)
	if e := s.LogSuperior(0); math.IsInf(e, 0) || e < 1e6 {
		t.Errorf("evidence %g", e)
	}
	// The limit of the smallest bet is .05/2 below the mean.
	if lower := s.Lower(1e-9); !(lower > .17 && lower < .2) {
		t.Errorf("bound %g", lower)
	}
	// Many graded values exceed the range of a single product.
	var d []float64
	for i := range 4000 {
		d = append(d, .5+float64(i)/10000)
	}
	if e := NewSample(d...).LogSuperior(0); !(e > 800 && e < 4000*math.Ln2) {
		t.Errorf("evidence %g", e)
	}
}

// TestVille checks the evidence after every block of ten and counts the runs that ever
// prove a falsehood: at most α of them may, even for tasks that differ widely.
func TestVille(t *testing.T) {
	const runs, blocks, alpha = 600, 40, .05
	for _, world := range []struct {
		name  string
		truth float64 // the mean difference
		pair  func(rng *rand.Rand, task int) float64
	}{
		{"equal tasks", 0, func(rng *rand.Rand, _ int) float64 { return float64(rng.IntN(2) - rng.IntN(2)) }},
		{"tasks that always gain or always lose", 0, func(rng *rand.Rand, task int) float64 {
			return .6*float64(1-2*(task%2)) + .4*float64(1-2*rng.IntN(2))
		}},
		{"rare large losses", 0, func(rng *rand.Rand, _ int) float64 {
			if rng.IntN(11) == 0 {
				return -1
			}
			return .1
		}},
		{"rare large gains", .1, func(rng *rand.Rand, _ int) float64 { return float64(max(0, 1-rng.IntN(10))) }},
	} {
		t.Run(world.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 9))
			better, outside, worse := 0, 0, 0
			for range runs {
				var one, two, other bool
				s := new(Sample)
				for range blocks {
					for task := range 10 {
						s.Add(world.pair(rng, task), 1)
					}
					over, under := s.LogSuperior(world.truth), s.LogInferior(world.truth)
					one = one || over >= -math.Log(alpha)
					two = two || math.Max(over, under) >= -math.Log(alpha/2)
					other = other || s.LogInferior(world.truth+.2) >= -math.Log(alpha)
				}
				better, outside, worse = better+btoi(one), outside+btoi(two), worse+btoi(other)
			}
			// Allow three standard errors of the share.
			limit := runs*alpha + 3*math.Sqrt(runs*alpha*(1-alpha))
			if float64(better) > limit || float64(outside) > limit {
				t.Errorf("of %d runs %d ever prove more than the truth, and the interval of %d ever misses it", runs, better, outside)
			}
			if worse < runs*9/10 {
				t.Errorf("only %d of %d runs ever prove that it is less than 20 points more", worse, runs)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
