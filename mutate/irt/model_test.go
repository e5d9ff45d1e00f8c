package irt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// TestPosteriorAgreesWithTheFormula checks that the factorised results agree with the
// textbook formula, which uses an inverse.
func TestPosteriorAgreesWithTheFormula(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	items, _, _ := anyItems(rng, 30, 12, false)
	m := New(dims(), 12)
	m.Fit(items, 5, 4)
	n := len(items)
	a := mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			a.Set(i, j, m.kernel.between(items[i].Point, items[j].Point))
		}
		a.Set(i, i, a.At(i, i)+nugget+m.noise[i])
	}
	var inverse mat.Dense
	if err := inverse.Inverse(a); err != nil {
		t.Fatal(err)
	}
	cov := m.Covariance([]int{3, 0, 17})
	variances := m.Variances()
	for a, i := range []int{3, 0, 17} {
		for b, j := range []int{3, 0, 17} {
			want := -m.noise[i] * inverse.At(i, j) * m.noise[j]
			if i == j {
				want += m.noise[i]
				if math.Abs(variances[i]-want) > 1e-8 {
					t.Errorf("variance of item %d is %v, formula %v", i, variances[i], want)
				}
			}
			if math.Abs(cov.At(a, b)-want) > 1e-8 {
				t.Errorf("covariance of items %d and %d is %v, formula %v", i, j, cov.At(a, b), want)
			}
		}
	}
	for range 10 {
		x := anyPoint(rng)
		mean, sd := m.Predict([]Point{x})
		wantMean, wantVar := 0.0, m.kernel.own+nugget
		for i := range n {
			ki := m.kernel.between(x, items[i].Point)
			wantMean += ki * m.alpha[i]
			for j := range n {
				wantVar -= ki * inverse.At(i, j) * m.kernel.between(x, items[j].Point)
			}
		}
		if math.Abs(mean[0]-wantMean) > 1e-8 || math.Abs(sd[0]*sd[0]-wantVar) > 1e-8 {
			t.Errorf("prediction %v ± %v, formula %v ± %v", mean[0], sd[0], wantMean, math.Sqrt(wantVar))
		}
	}
}

// TestFitIsStationary checks that a converged fit is stationary: scores minus expectations
// balance the priors, for abilities and for task effects.
func TestFitIsStationary(t *testing.T) {
	items, _, _ := anyItems(rand.New(rand.NewPCG(2, 2)), 25, 10, false)
	m := New(dims(), 10)
	m.Fit(items, 60, 0)
	slope := make([]float64, 10)
	for i, it := range items {
		own := 0.0
		for _, c := range it.Cells {
			p := Sigmoid(it.Ability + m.Effects[c.Task])
			own += c.Sum - c.N*p
			slope[c.Task] += c.Sum - c.N*p
		}
		if math.Abs(own-m.alpha[i]) > 1e-4 {
			t.Errorf("item %d: scores pull by %v, the prior by %v", i, own, m.alpha[i])
		}
	}
	for j, b := range m.Effects {
		if math.Abs(slope[j]-b/taskVariance) > 1e-4 {
			t.Errorf("task %d: scores pull by %v, the prior by %v", j, slope[j], b/taskVariance)
		}
	}
}

// TestModelFindsTheWorld checks that the model recovers abilities and task effects, up to a
// constant, from part of the scores of every config.
func TestModelFindsTheWorld(t *testing.T) {
	for _, graded := range []bool{false, true} {
		items, abilities, effects := anyItems(rand.New(rand.NewPCG(3, 3)), 120, 40, graded)
		m := New(dims(), 40)
		m.Fit(items, 6, 12)
		got := make([]float64, len(items))
		for i := range items {
			got[i] = items[i].Ability
		}
		if r := correlation(got, abilities); r < 0.93 {
			t.Errorf("graded %v: abilities correlate by %.3f with the truth", graded, r)
		}
		if r := correlation(m.Effects, effects); r < 0.93 {
			t.Errorf("graded %v: task effects correlate by %.3f with the truth", graded, r)
		}
		if graded != (m.Dispersion < 0.2) || !graded && m.Dispersion != 1 {
			t.Errorf("graded %v: dispersion %.3f", graded, m.Dispersion)
		}
	}
}

func correlation(a, b []float64) float64 {
	var ma, mb, ab, aa, bb float64
	for i := range a {
		ma += a[i] / float64(len(a))
		mb += b[i] / float64(len(b))
	}
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}

// TestPendingMovesNothing checks that pending evaluations reduce an item's variance and do
// not change its ability.
func TestPendingMovesNothing(t *testing.T) {
	base, _, _ := anyItems(rand.New(rand.NewPCG(4, 4)), 20, 10, false)
	m := New(dims(), 10)
	m.Fit(base, 60, 0)
	before := m.Variances()[0]
	ability := base[0].Ability
	base[0].Pending = 20
	m.Fit(base, 60, 0)
	if math.Abs(base[0].Ability-ability) > 0.15 {
		t.Errorf("ability %v became %v", ability, base[0].Ability)
	}
	if after := m.Variances()[0]; after > 0.6*before {
		t.Errorf("variance %v became %v", before, after)
	}
}

// TestWeightsAreEvaluations checks that half the weight equals half as many evaluations.
func TestWeightsAreEvaluations(t *testing.T) {
	var whole, halves Cell
	whole.Add(1, 1)
	whole.Add(0, 1)
	for range 2 {
		halves.Add(1, 0.5)
		halves.Add(0, 0.5)
	}
	if whole != halves {
		t.Errorf("%+v and %+v", whole, halves)
	}
}

func TestMergeAddsUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(label string) (list []Cell) {
			for j := range 6 {
				if rapid.Bool().Draw(t, label) {
					n := float64(rapid.IntRange(1, 4).Draw(t, "n"))
					list = append(list, Cell{int32(j), float32(n / 4), n, n / 2})
				}
			}
			return list
		}
		a, b := draw("a"), draw("b")
		want := map[int32]Cell{}
		for _, c := range append(append([]Cell(nil), a...), b...) {
			w := want[c.Task]
			want[c.Task] = Cell{c.Task, w.Squares + c.Squares, w.N + c.N, w.Sum + c.Sum}
		}
		last := int32(-1)
		got := Merge(a, b)
		for _, c := range got {
			if c.Task <= last || c != want[c.Task] {
				t.Fatalf("%v and %v give %v", a, b, got)
			}
			last = c.Task
		}
		if len(got) != len(want) {
			t.Fatalf("%v and %v give %v", a, b, got)
		}
	})
}

// TestModelStaysFinite checks that for any data, abilities and predictions are finite with
// deviations above 0.
func TestModelStaysFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		tasks := rapid.IntRange(1, 4).Draw(t, "tasks")
		var items []Item
		for range rapid.IntRange(1, 25).Draw(t, "items") {
			it := Item{Point: anyPoint(rng), Pending: float64(rng.IntN(3))}
			if len(items) > 0 && rng.IntN(3) == 0 {
				it.Point = items[0].Point // many equal points
			}
			for j := range tasks {
				c := Cell{Task: int32(j)}
				c.Add(rapid.SampledFrom([]float64{0, 1, 0.3}).Draw(t, "score"), rapid.SampledFrom([]float64{1e-6, 1, 60_000}).Draw(t, "weight"))
				it.Cells = append(it.Cells, c)
			}
			items = append(items, it)
		}
		m := New(dims(), tasks)
		m.Fit(items, 4, 3)
		m.Fit(items, 2, 0)
		for i, v := range m.Variances() {
			if math.IsNaN(items[i].Ability) || math.Abs(items[i].Ability) > 1e3 || !(v > 0) {
				t.Fatalf("item %d: %v ± %v", i, items[i].Ability, v)
			}
		}
		mean, sd := m.Predict([]Point{anyPoint(rng), items[0].Point})
		for i := range mean {
			if math.IsNaN(mean[i]) || math.Abs(mean[i]) > 1e3 || !(sd[i] > 0) {
				t.Fatalf("prediction %v ± %v", mean[i], sd[i])
			}
		}
	})
}
