package mutate

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// process is a Gaussian process over configs with the covariance
//
//	s·(c + S + e₂·(S² − Σ vᵢ²)/2 + e₃·exp(−Σ aᵢdᵢ²)),  S = Σ vᵢ,  vᵢ = aᵢkᵢ,
//
// where kᵢ is a Gaussian of the distance on a numeric scale and 0 for different
// values of a category, dᵢ² = 4Δ² or 1: single parameters, pairs, and all of them
// together. Everything but the scale s is fixed; s is the most likely one of a
// ladder of powers of two.
type process struct {
	weights []float64 // aᵢ
	gauss   [grid + 2]float64
	square  [grid + 2]float64
	scale   float64
	scaled  int // points when the scale was last sought

	x     []point
	noise []float64
	chol  *mat.Cholesky
	upper blas64.Triangular
	alpha mat.VecDense
	buf   []float64
}

const (
	constantPart = 4.0
	pairPart     = 0.3
	productPart  = 0.4
	nugget       = 0.03
	lengthScale  = 0.35
	totalPart    = 2.0
)

func newProcess(e encoder) *process {
	g := &process{scale: 0.03}
	total := 0.0
	for _, d := range e {
		total += d.weight
	}
	for _, d := range e {
		g.weights = append(g.weights, totalPart*d.weight/total)
	}
	for i := range grid + 1 {
		d := float64(i) / grid
		g.gauss[i] = math.Exp(-d * d / (2 * lengthScale * lengthScale))
		g.square[i] = 4 * d * d
	}
	g.square[grid+1] = 1
	return g
}

// apart is the distance of two places as an index of the tables.
func apart(a, b int16) int {
	switch {
	case a == b:
		return 0
	case a < 0 || b < 0:
		return grid + 1
	case a > b:
		return int(a - b)
	}
	return int(b - a)
}

// covariance without the scale and the nugget.
func (g *process) covariance(x, y point) float64 {
	var sum, squares, distance float64
	for i, a := range g.weights {
		q := apart(x[i], y[i])
		v := a * g.gauss[q]
		sum += v
		squares += v * v
		distance += a * g.square[q]
	}
	return constantPart + sum + pairPart*(sum*sum-squares)/2 + productPart*math.Exp(-distance)
}

func (g *process) train(x []point, y, noise []float64) (mean, variance []float64) {
	n := len(x)
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, g.covariance(x[i], x[j]))
		}
	}
	target := mat.NewVecDense(n, y)
	var alpha mat.VecDense
	attempt := func(scale float64) (*mat.Cholesky, float64) {
		a := mat.NewSymDense(n, nil)
		a.ScaleSym(scale, gram)
		for i := range n {
			a.SetSym(i, i, scale*(gram.At(i, i)+nugget)+noise[i])
		}
		var c mat.Cholesky
		if !c.Factorize(a) || c.SolveVecTo(&alpha, target) != nil {
			return nil, math.Inf(-1)
		}
		return &c, -0.5*mat.Dot(target, &alpha) - 0.5*c.LogDet()
	}
	if n > g.scaled+g.scaled/8 {
		g.scaled = n
		g.seekScale(func(s float64) float64 { _, l := attempt(s); return l })
	}
	chol, _ := attempt(g.scale)
	if chol == nil {
		return nil, nil
	}
	g.x, g.noise, g.chol, g.buf = x, noise, chol, make([]float64, n)
	g.upper = chol.RawU().(*mat.TriDense).RawTriangular()
	var inverse mat.SymDense
	if chol.InverseTo(&inverse) != nil {
		return nil, nil
	}
	for i := range n {
		variance = append(variance, math.Max(noise[i]-noise[i]*noise[i]*inverse.At(i, i), 1e-9))
	}
	return g.retrain(y), variance
}

func (g *process) retrain(y []float64) (mean []float64) {
	// An ill-conditioned answer is an answer: the diagonal bounds its error.
	g.alpha.Reset()
	_ = g.chol.SolveVecTo(&g.alpha, mat.NewVecDense(len(y), y))
	for i := range y {
		mean = append(mean, y[i]-g.noise[i]*g.alpha.AtVec(i))
	}
	return mean
}

// seekScale climbs to the most likely scale; a weak prior keeps it near .03.
func (g *process) seekScale(likelihood func(float64) float64) {
	worth := func(s float64) float64 {
		d := math.Log(s / 0.03)
		return likelihood(s) - d*d/2
	}
	top := worth(g.scale)
	for _, factor := range []float64{2, 0.5} {
		for g.scale*factor > 1e-4 && g.scale*factor < 1 {
			w := worth(g.scale * factor)
			if !(w > top) {
				break
			}
			g.scale, top = g.scale*factor, w
		}
	}
}

func (g *process) predict(x point) (mean, variance float64) {
	k := g.buf
	for i, p := range g.x {
		k[i] = g.scale * g.covariance(x, p)
		mean += k[i] * g.alpha.AtVec(i)
	}
	variance = g.scale * (g.covariance(x, x) + nugget)
	v := blas64.Vector{N: len(k), Data: k, Inc: 1}
	blas64.Trsv(blas.Trans, g.upper, v)
	variance -= blas64.Dot(v, v)
	return mean, math.Max(variance, 1e-9)
}
