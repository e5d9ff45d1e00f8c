package irt

import (
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// learn increases the log posterior of the hyperparameters by a few steps of resilient
// propagation (Riedmiller & Braun 1993), given the working targets z of the points and the
// noise variances.
func (k *kernel) learn(points []Point, z, noise []float64, steps int) {
	n, d := len(points), len(k.dims)
	columns := byColumn(points, d)
	pace := make([]float64, len(k.theta))
	last := make([]float64, len(k.theta))
	for i := range pace {
		pace[i] = firstPace
	}
	sym := mat.NewSymDense(n, nil)
	// pairs holds the parts for all pairs, row by row, because the gradient needs the parts
	// of the covariances.
	pairs, row := newParts(n*(n+1)/2), make([]float64, n)
	alpha := make([]float64, n)
	for range steps {
		for i, x := range points {
			k.row(x, columns, pairs.of(i), row[:i+1])
			for j := range i + 1 {
				sym.SetSym(i, j, row[j])
			}
			sym.SetSym(i, i, row[i]+nugget+noise[i])
		}
		// With this number of points and this noise, the system is never so ill-conditioned
		// that the sign of a gradient would be wrong. LAPACK is therefore called without
		// the estimate of the condition number that mat.Cholesky computes.
		factor, ok := lapack64.Potrf(sym.RawSymmetric())
		if !ok {
			return
		}
		copy(alpha, z)
		lapack64.Potrs(factor, blas64.General{Rows: n, Cols: 1, Stride: 1, Data: alpha})
		if _, ok := lapack64.Potri(factor); !ok {
			return
		}
		gradient := k.gradient(points, columns, pairs, alpha, sym) // now the inverse
		for i, g := range gradient {
			g -= (k.theta[i] - k.prior[i]) / (k.spread[i] * k.spread[i])
			switch {
			case g*last[i] > 0:
				pace[i] = math.Min(0.5, pace[i]*1.3)
			case g*last[i] < 0:
				pace[i] = math.Max(0.01, pace[i]*0.5)
			}
			if g != 0 {
				far := farthest * k.spread[i]
				k.theta[i] = math.Max(k.prior[i]-far, math.Min(k.prior[i]+far, k.theta[i]+math.Copysign(pace[i], g)))
			}
			last[i] = g
		}
		k.tabulate()
	}
}

const (
	// firstPace is the length of the first step of a log hyperparameter.
	firstPace = 0.15
	// farthest is the maximum distance of a log hyperparameter from its prior median, in
	// standard deviations of the prior. This limit keeps covariances finite for any data.
	farthest = 6
)

// gradient returns the gradient of the log marginal likelihood, ½ tr((αα' − A⁻¹) ∂A/∂θ), by
// hyperparameter. pairs holds the parts of the covariances for all pairs.
func (k *kernel) gradient(points []Point, columns [][]int16, pairs parts, alpha []float64, inverse *mat.SymDense) []float64 {
	n, d := len(points), len(k.dims)
	out := make([]float64, len(k.theta))
	weight, paired, product := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, x := range points {
		q := pairs.of(i)
		for j := range i + 1 {
			m := alpha[i]*alpha[j] - inverse.At(i, j)
			if i == j {
				m *= 0.5
			}
			weight[j] = m
			paired[j] = m * k.pairs
			product[j] = m * k.product * math.Exp(-q.exponent[j])
			out[2*d] += paired[j] * 0.5 * (q.sum[j]*q.sum[j] - q.squares[j])
			out[2*d+1] += product[j]
			out[2*d+2] -= product[j] * q.exponent[j]
		}
		for c, t := range k.tables {
			at, column := x[c], columns[c][:i+1]
			if !k.dims[c].distant() {
				out[c] += slopeEqual(at, column, t, q.sum, weight, paired, product)
				continue
			}
			l := math.Exp(k.theta[d+c])
			quarter := 1 / (4 * l * l)
			variance, stretch := 0.0, 0.0
			row := k.dims[c].Texts.row(at)
			for j, other := range column {
				a := 0
				if row != nil {
					a = along(row, other)
				} else {
					a = apart(at, other)
				}
				e := t[a]
				slope := e.v * (weight[j] + paired[j]*(q.sum[j]-e.v))
				variance += slope - product[j]*e.d
				stretch += slope * k.squares[a] * quarter
			}
			out[c] += variance
			out[d+c] += stretch
		}
	}
	return out
}

// slopeEqual returns a row's part of the gradient for the variance of a dimension without
// distances. At equal positions only S depends on that variance, at other positions only
// the product.
func slopeEqual(at int16, column []int16, t []kernelTerm, sum, weight, paired, product []float64) float64 {
	equal, other := t[0].v, t[mismatch].d
	variance := 0.0
	for j, q := range column {
		if q == at {
			variance += equal * (weight[j] + paired[j]*(sum[j]-equal))
		} else {
			variance -= product[j] * other
		}
	}
	return variance
}

// byColumn converts points to lists of positions, one list per dimension.
func byColumn(points []Point, dims int) [][]int16 {
	all := make([]int16, dims*len(points))
	columns := make([][]int16, dims)
	for c := range columns {
		columns[c] = all[c*len(points) : (c+1)*len(points) : (c+1)*len(points)]
		for j, x := range points {
			columns[c][j] = x[c]
		}
	}
	return columns
}
