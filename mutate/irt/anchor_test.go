package irt

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAnchorsChangeNoPrediction checks that predictions near anchors equal those without
// anchors, for points that equal an anchor, differ from it in one dimension, or differ in
// all.
func TestAnchorsChangeNoPrediction(t *testing.T) {
	for _, dims := range [][]Dimension{dims(), textDims()} {
		rng := rand.New(rand.NewPCG(3, 1))
		items, _, _ := anyItems(rng, 50, 12, false)
		m := New(dims, 12)
		m.Fit(items, 3, 4)
		var near, points []Point
		for _, it := range items[:8] {
			near = append(near, it.Point)
			for i := range it.Point {
				x := slices.Clone(it.Point)
				x[i] = anyPoint(rng)[i]
				points = append(points, x)
			}
			points = append(points, it.Point, anyPoint(rng))
		}
		mean, sd := m.Predict(points)
		m.Approach(near)
		moved := 0
		for _, x := range points {
			if m.anchorOf(x) != nil {
				moved++
			}
		}
		if moved < len(near) {
			t.Fatalf("only %d of %d points are near an anchor", moved, len(points))
		}
		nearMean, nearSD := m.Predict(points)
		for i := range points {
			if math.Abs(mean[i]-nearMean[i]) > 1e-9 || math.Abs(sd[i]-nearSD[i]) > 1e-9 {
				t.Fatalf("point %v: %v ± %v near an anchor, %v ± %v without", points[i], nearMean[i], nearSD[i], mean[i], sd[i])
			}
		}
	}
}

// TestKeptCovariancesAreThoseComputedAgain checks that a model that keeps covariances
// from earlier fits, which had only some of the items in common, predicts the same as a
// model that computes all covariances again.
func TestKeptCovariancesAreThoseComputedAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	items, _, _ := anyItems(rng, 40, 12, false)
	others, _, _ := anyItems(rng, 10, 12, false)
	points := []Point{anyPoint(rng), anyPoint(rng)}
	kept := New(dims(), 12)
	for _, list := range [][]Item{items[:30], append(slices.Clone(items[:20]), others...), items} {
		anew := New(dims(), 12)
		copy(anew.Effects, kept.Effects)
		list, again := slices.Clone(list), slices.Clone(list)
		kept.Fit(list, 2, 0)
		anew.Fit(again, 2, 0)
		a, _ := kept.Predict(points)
		b, _ := anew.Predict(points)
		if !slices.Equal(a, b) {
			t.Fatalf("%d items: %v with kept covariances, %v without", len(list), a, b)
		}
	}
}
