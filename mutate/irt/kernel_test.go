package irt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestCovarianceIsTheFormula checks that the covariance of two points follows the formula
// in the kernel's documentation.
func TestCovarianceIsTheFormula(t *testing.T) {
	k := newKernel(dims())
	x, y := Point{0, 128, -4, -2, -3}, Point{64, 128, -5, -2, -2}
	a := []float64{1, 1, 1, 0.5, 0.5} // 4, shared out by weight
	near := math.Exp(-0.25 * 0.25 / (2 * 0.35 * 0.35))
	v := []float64{a[0] * near, a[1], 0, a[3], 0}
	sum, squares := 0.0, 0.0
	for _, v := range v {
		sum += v
		squares += v * v
	}
	exponent := a[0]*4*0.25*0.25 + a[2] + a[4]
	want := 4 + sum + 1.0*(sum*sum-squares)/2 + 0.4*math.Exp(-exponent)
	if got := k.between(x, y); math.Abs(got-want) > 1e-12 {
		t.Errorf("covariance %v, want %v", got, want)
	}
	if k.between(x, y) != k.between(y, x) {
		t.Error("not symmetric")
	}
	if got := k.between(x, x); math.Abs(got-k.own) > 1e-12 {
		t.Errorf("of a point with itself %v, tabulated %v", got, k.own)
	}
}

func TestRowsAgreeWithPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, k := range []*kernel{newKernel(dims()), newKernel(textDims())} {
		var points []Point
		for range 40 {
			points = append(points, anyPoint(rng))
		}
		columns := byColumn(points, len(k.dims))
		row := make([]float64, len(points))
		for _, x := range points {
			k.row(x, columns, newParts(len(points)), row)
			for j, y := range points {
				if math.Abs(row[j]-k.between(x, y)) > 1e-12 || math.Abs(row[j]-k.between(y, x)) > 1e-12 {
					t.Fatalf("row has %v, pair %v", row[j], k.between(x, y))
				}
			}
		}
	}
}

// TestTextsHaveDistances checks that two texts covary by their distance, and that a text
// without a distance covaries only with itself.
func TestTextsHaveDistances(t *testing.T) {
	k := newKernel(textDims())
	text := func(n int16) Point { return Point{0, 0, FirstText - n, -2, -2} }
	same, near, other := k.between(text(0), text(0)), k.between(text(0), text(1)), k.between(text(0), text(2))
	if !(same > near && near > other) || k.between(text(2), text(2)) != same {
		t.Errorf("covariances %v, %v, %v", same, near, other)
	}
	d := 102.0 / Grid // the place of .4
	if got, want := k.tables[2][102].v, math.Exp(k.theta[2])*math.Exp(-d*d/(2*0.35*0.35)); math.Abs(got-want) > 1e-12 {
		t.Errorf("a part of %v, want %v", got, want)
	}
}

// likelihood returns the log marginal likelihood of targets, computed by the textbook
// formula.
func likelihood(k *kernel, points []Point, z, noise []float64) float64 {
	n := len(points)
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, k.between(points[i], points[j]))
		}
		a.SetSym(i, i, a.At(i, i)+nugget+noise[i])
	}
	var chol mat.Cholesky
	chol.Factorize(a)
	var alpha mat.VecDense
	_ = chol.SolveVecTo(&alpha, mat.NewVecDense(n, z))
	return -0.5*mat.Dot(mat.NewVecDense(n, z), &alpha) - 0.5*chol.LogDet()
}

// TestGradientAgreesWithDifferences checks that the gradient agrees with finite differences
// of the likelihood.
func TestGradientAgreesWithDifferences(t *testing.T) {
	for _, k := range []*kernel{newKernel(dims()), newKernel(textDims())} {
		checkGradient(t, k)
	}
}

func checkGradient(t *testing.T, k *kernel) {
	t.Helper()
	rng := rand.New(rand.NewPCG(2, 2))
	const n = 20
	var points []Point
	z, noise := make([]float64, n), make([]float64, n)
	a := mat.NewSymDense(n, nil)
	for i := range n {
		points = append(points, anyPoint(rng))
		z[i], noise[i] = rng.NormFloat64(), 0.2+rng.Float64()
	}
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, k.between(points[i], points[j]))
		}
		a.SetSym(i, i, a.At(i, i)+nugget+noise[i])
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	var alpha mat.VecDense
	if !chol.Factorize(a) || chol.InverseTo(&inverse) != nil || chol.SolveVecTo(&alpha, mat.NewVecDense(n, z)) != nil {
		t.Fatal("not positive definite")
	}
	pairs, columns := newParts(n*(n+1)/2), byColumn(points, len(k.dims))
	for i, x := range points {
		k.gather(x, columns, pairs.of(i))
	}
	got := k.gradient(points, columns, pairs, alpha.RawVector().Data, &inverse)
	const h = 1e-5
	for i := range k.theta {
		at := k.theta[i]
		k.theta[i] = at + h
		k.tabulate()
		up := likelihood(k, points, z, noise)
		k.theta[i] = at - h
		k.tabulate()
		down := likelihood(k, points, z, noise)
		k.theta[i] = at
		if want := (up - down) / (2 * h); math.Abs(got[i]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("hyperparameter %d: gradient %v, differences %v", i, got[i], want)
		}
	}
}

// TestLearningFindsWhatMatters checks that learning increases the likelihood, and that
// irrelevant dimensions get less weight.
func TestLearningFindsWhatMatters(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	k := newKernel(dims())
	const n = 120
	var points []Point
	z, noise := make([]float64, n), make([]float64, n)
	for i := range n {
		points = append(points, anyPoint(rng))
		z[i], noise[i] = 4*math.Sin(5*float64(points[i][0])/Grid)+0.2*rng.NormFloat64(), 0.04
	}
	before := likelihood(k, points, z, noise)
	k.learn(points, z, noise, 12)
	if after := likelihood(k, points, z, noise); !(after > before+5) {
		t.Errorf("log likelihood %v before, %v after", before, after)
	}
	if a, b := k.theta[0], k.theta[2]; !(a > b+1) {
		t.Errorf("log variance %v of what matters, %v of what does not", a, b)
	}
}
