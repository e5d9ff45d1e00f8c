package irt

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Predict returns the posterior mean and standard deviation of the abilities at points that
// are not items.
func (m *Model) Predict(points []Point) (mean, sd []float64) {
	n, q := m.items, len(points)
	mean, sd = make([]float64, q), make([]float64, q)
	if q == 0 {
		return mean, sd
	}
	// Each point has a row, because BLAS works along rows and there are often fewer points
	// than items.
	p := newParts(n)
	k := blas64.General{Rows: q, Cols: n, Stride: max(1, n), Data: make([]float64, q*n)}
	for c, x := range points {
		row := k.Data[c*n : (c+1)*n]
		m.near(x, p)
		m.kernel.values(p, row)
		for i, v := range row {
			mean[c] += v * m.alpha[i]
		}
	}
	if n > 0 {
		blas64.Trsm(blas.Right, blas.NoTrans, 1, m.factor, k)
	}
	for c := range points {
		sd[c] = m.kernel.own + nugget
		for _, v := range k.Data[c*n : (c+1)*n] {
			sd[c] -= v * v
		}
	}
	for c, v := range sd {
		sd[c] = math.Sqrt(math.Max(1e-6, v))
	}
	return mean, sd
}

// Covariance returns the joint posterior covariance of the abilities of some items, which
// are given by index.
func (m *Model) Covariance(of []int) *mat.SymDense {
	n, q := m.items, len(of)
	e := blas64.General{Rows: n, Cols: q, Stride: q, Data: make([]float64, n*q)}
	for c, i := range of {
		e.Data[i*q+c] = 1
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, m.factor, e)
	out := mat.NewSymDense(q, nil)
	raw := blas64.Symmetric{N: q, Stride: q, Data: out.RawSymmetric().Data, Uplo: blas.Upper}
	blas64.Syrk(blas.Trans, 1, e, 0, raw)
	for a := range q {
		for b := a; b < q; b++ {
			// This is the posterior covariance N − N·A⁻¹·N of noisy points.
			v := -m.noise[of[a]] * out.At(a, b) * m.noise[of[b]]
			if a == b {
				v = math.Max(1e-6, v+m.noise[of[a]])
			}
			out.SetSym(a, b, v)
		}
	}
	return out
}

// Variances returns the posterior variances of the abilities of all items.
func (m *Model) Variances() []float64 {
	n := m.items
	inverse := blas64.Triangular{N: n, Stride: n, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, n*n)}
	for i := range n {
		copy(inverse.Data[i*n+i:(i+1)*n], m.factor.Data[i*m.factor.Stride+i:i*m.factor.Stride+n])
	}
	lapack64.Trtri(inverse)
	out := make([]float64, n)
	for i := range n {
		// (A⁻¹)ᵢᵢ is the squared norm of a row of U⁻¹.
		row := inverse.Data[i*n+i : (i+1)*n]
		norm := 0.0
		for _, v := range row {
			norm += v * v
		}
		out[i] = math.Max(1e-6, m.noise[i]-m.noise[i]*norm*m.noise[i])
	}
	return out
}

// Prior returns the covariance of the abilities at points before any evaluation, without
// the nugget.
func (m *Model) Prior(points []Point) *mat.SymDense {
	cov := mat.NewSymDense(len(points), nil)
	for a := range points {
		for b := a; b < len(points); b++ {
			cov.SetSym(a, b, m.kernel.between(points[a], points[b]))
		}
	}
	return cov
}

// Correlation returns the prior correlation between the abilities at two points, without
// the part that is common to all configs.
func (m *Model) Correlation(x, y Point) float64 {
	return (m.kernel.between(x, y) - constant) / (m.kernel.own - constant)
}

// Relevance returns, for each dimension, the prior variance that it contributes on its own.
func (m *Model) Relevance() []float64 {
	out := make([]float64, len(m.kernel.dims))
	for i := range out {
		out[i] = m.kernel.tables[i][0].v
	}
	return out
}

// byAbility returns the indices of the items by descending ability. Ties stay in their
// original order.
func byAbility(items []Item) []int {
	order := make([]int, len(items))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(items[b].Ability, items[a].Ability) })
	return order
}

// Joint returns the joint posterior of the abilities at points. It does not include the
// nugget, which is specific to a config and independent of its parameters. The points need
// not be items.
func (m *Model) Joint(points []Point) (mean []float64, cov *mat.SymDense) {
	n, q := m.items, len(points)
	mean = make([]float64, q)
	p, row := newParts(n), make([]float64, n)
	k := blas64.General{Rows: n, Cols: q, Stride: max(1, q), Data: make([]float64, n*q)}
	for c, x := range points {
		m.kernel.row(x, m.columns, p, row)
		for i, v := range row {
			mean[c] += v * m.alpha[i]
			k.Data[i*q+c] = v
		}
	}
	if n > 0 && q > 0 {
		blas64.Trsm(blas.Left, blas.Trans, 1, m.factor, k)
	}
	if q > 0 {
		cov = m.Prior(points)
	}
	for i := range n {
		line := k.Data[i*q : (i+1)*q]
		for a, v := range line {
			for b := a; b < q; b++ {
				cov.SetSym(a, b, cov.At(a, b)-v*line[b])
			}
		}
	}
	return mean, cov
}
