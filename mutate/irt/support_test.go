package irt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// night draws a night's items. Their abilities rise along one dimension, or fall along it
// if falling is true.
func night(rng *rand.Rand, n int, falling bool) []Item {
	var list []Item
	for range n {
		it := Item{Point: anyPoint(rng)}
		f := 4*float64(it.Point[0])/Grid - 2
		if falling {
			f = -f
		}
		for task := range 6 {
			score := 0.0
			if rng.Float64() < Sigmoid(f) {
				score = 1
			}
			it.Cells = AddScore(it.Cells, task, score, 1)
		}
		list = append(list, it)
	}
	return list
}

// TestSupportTellsWhetherANightHolds checks that including an earlier night makes
// tonight's results likelier if that night has the same effects, and less likely if it
// has other effects.
func TestSupportTellsWhetherANightHolds(t *testing.T) {
	for seed := range uint64(5) {
		for _, falling := range []bool{false, true} {
			rng := rand.New(rand.NewPCG(seed, 5))
			m := New(dims(), 6)
			all := append(night(rng, 12, false), night(rng, 60, falling)...)
			m.Fit(all, 6, 12)
			if got := m.Support(all[:12], all[12:]); !falling && got < 1 || falling && got > -3 {
				t.Errorf("seed %d, falling %v: %.1f", seed, falling, got)
			}
		}
	}
}

// TestSupportIsTheFormula checks that the support is the log likelihood of both nights
// together, minus the log likelihoods of each night alone.
func TestSupportIsTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	m := New(dims(), 6)
	now, then := night(rng, 9, false), night(rng, 14, false)
	whole := func(list []Item) float64 {
		z, noise := make([]float64, len(list)), make([]float64, len(list))
		m.linearise(list, z, noise)
		var points []Point
		for _, it := range list {
			points = append(points, it.Point)
		}
		return likelihood(m.kernel, points, z, noise)
	}
	want := whole(append(now[:9:9], then...)) - whole(now) - whole(then)
	if got := m.Support(now, then); math.Abs(got-want) > 1e-8 {
		t.Errorf("support %v, want %v", got, want)
	}
}

func TestSupportOfNothing(t *testing.T) {
	m := New(dims(), 6)
	some := night(rand.New(rand.NewPCG(1, 1)), 3, false)
	if a, b := m.Support(nil, some), m.Support(some, nil); a != 0 || b != 0 {
		t.Errorf("support %v and %v", a, b)
	}
	if _, ok := density(mat.NewVecDense(1, []float64{1}), mat.NewSymDense(1, []float64{-1})); ok {
		t.Error("a log density by a covariance that is not positive definite")
	}
}
