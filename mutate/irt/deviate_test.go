package irt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestOwnVarianceAgreesWithTheFormula compares the variances of deviations with those from
// residuals of predictions that leave each item out.
func TestOwnVarianceAgreesWithTheFormula(t *testing.T) {
	items, _, _ := anyItems(rand.New(rand.NewPCG(5, 5)), 20, 12, false)
	m := New(dims(), 12, items[3].Point)
	m.Fit(items, 5, 2)
	n := len(items)
	targets := make([]float64, n) // minus their prior means
	full := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range n {
			full.SetSym(i, j, m.kernel.between(items[i].Point, items[j].Point))
		}
		full.SetSym(i, i, full.At(i, i)+nugget+m.noise[i])
	}
	for i := range n {
		for j := range n {
			targets[i] += full.At(i, j) * m.alpha[j]
		}
	}
	for i := range n {
		// The prediction of target i from the others.
		rest := mat.NewDense(n-1, n-1, nil)
		cross, others := mat.NewVecDense(n-1, nil), mat.NewVecDense(n-1, nil)
		skip := func(k int) int {
			if k >= i {
				return k + 1
			}
			return k
		}
		for a := range n - 1 {
			cross.SetVec(a, full.At(i, skip(a)))
			others.SetVec(a, targets[skip(a)])
			for b := range n - 1 {
				rest.Set(a, b, full.At(skip(a), skip(b)))
			}
		}
		var w mat.VecDense
		if err := w.SolveVec(rest, cross); err != nil {
			t.Fatal(err)
		}
		residual := targets[i] - mat.Dot(&w, others)
		variance := full.At(i, i) - mat.Dot(&w, cross)
		density := func(v float64) float64 { return math.Exp(-residual*residual/(2*v)) / math.Sqrt(v) }
		slab := slabShare * density(variance+slabVariance)
		want := nugget + slabVariance*slab/(slab+(1-slabShare)*density(variance))
		if math.Abs(items[i].Own-want) > 1e-8 {
			t.Errorf("item %d: %v, formula %v", i, items[i].Own, want)
		}
	}
}

// TestOutlierDeviates checks that a good item among poor ones at nearly the same place keeps
// its ability, that the others have a small deviation, and that a second fit to the same data
// gives the same.
func TestOutlierDeviates(t *testing.T) {
	const tasks, odd = 20, 7
	rng := rand.New(rand.NewPCG(1, 2))
	var items []Item
	for i := range 30 {
		it := Item{Point: anyPoint(rng)}
		for j := range tasks {
			c := Cell{Task: int32(j)}
			if i == odd {
				c.Add(1, 1)
			} else {
				c.Add(float64((i+j)%3/2), 1) // a third
			}
			it.Cells = append(it.Cells, c)
		}
		items = append(items, it)
	}
	m := New(dims(), tasks, nil)
	m.Fit(items, 5, 12)
	for range 3 { // until the variances have settled
		m.Fit(items, 4, 0)
	}
	for i, it := range items {
		if deviates := it.Own > 1; deviates != (i == odd) {
			t.Errorf("item %d has the variance %.3f", i, it.Own)
		}
	}
	before := items[odd].Ability
	if before < 2 {
		t.Errorf("with %d of %d passed, the ability is %.2f", tasks, tasks, before)
	}
	m.Fit(items, 4, 0)
	if math.Abs(items[odd].Ability-before) > 0.05 {
		t.Errorf("the ability is %.3f after another fit, and was %.3f", items[odd].Ability, before)
	}
}

// TestIncumbentIsExpectedToBeGood checks the prior mean at the incumbent, and far from it.
func TestIncumbentIsExpectedToBeGood(t *testing.T) {
	at := Point{128, 128, -4, -2, -2}
	m := New(dims(), 5, at)
	mean := []float64{m.mean(at), m.mean(Point{0, -1, -5, -3, -3}), m.mean(Point{128, 128, -4, -2, -3})}
	if want := elevation * math.Sqrt(m.kernel.own-constant); math.Abs(mean[0]-want) > 1e-12 {
		t.Errorf("the incumbent's prior mean is %v, not %v", mean[0], want)
	}
	if mean[1] > 0.1*mean[0] || mean[2] < 0.5*mean[0] || mean[2] >= mean[0] {
		t.Errorf("prior means %v at the incumbent, far from it and beside it", mean)
	}
}
