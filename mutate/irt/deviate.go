package irt

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// The deviation of a config from the Gaussian process, which no other config shares, has
// the prior of a spike and a slab (Mitchell & Beauchamp 1988): its variance is nugget, and
// for one config in many larger by slabVariance. A single good combination among poor
// neighbours is such a config.
const (
	nugget       = 0.03
	slabVariance = 2.0
	slabShare    = 0.03
)

// deviate sets the prior variance of each item's own deviation for the next fit: nugget
// plus slabVariance times the posterior probability of the slab. It compares the densities
// of the leave-one-out residual, α/A⁻¹ᵢᵢ with the variance 1/A⁻¹ᵢᵢ (Rasmussen & Williams
// 2006, 5.12), under both.
func (m *Model) deviate(items []Item) {
	for i, inverse := range m.inverse {
		residual := m.alpha[i] / inverse
		variance := 1/inverse - (items[i].Own - nugget) // as of the spike
		larger := variance + slabVariance
		odds := slabShare / (1 - slabShare) * math.Sqrt(variance/larger) * math.Exp(residual*residual/2*(1/variance-1/larger))
		items[i].Own = nugget + slabVariance/(1+1/odds)
	}
}

// invert computes the diagonal of the inverse of the covariance of the targets.
func (m *Model) invert() {
	n := m.items
	inverse := blas64.Triangular{N: n, Stride: n, Uplo: blas.Upper, Diag: blas.NonUnit, Data: make([]float64, n*n)}
	for i := range n {
		copy(inverse.Data[i*n+i:(i+1)*n], m.factor.Data[i*m.factor.Stride+i:i*m.factor.Stride+n])
	}
	lapack64.Trtri(inverse)
	m.inverse = make([]float64, n)
	for i := range n {
		// (A⁻¹)ᵢᵢ is the squared norm of a row of U⁻¹.
		for _, v := range inverse.Data[i*n+i : (i+1)*n] {
			m.inverse[i] += v * v
		}
	}
}
