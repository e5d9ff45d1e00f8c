package irt

import (
	"math"
)

// kernel is the prior covariance of abilities,
//
//	k = c + S + e₂·(S² − Σ vᵢ²)/2 + e₃·exp(−ρ Σ aᵢdᵢ²),  S = Σ vᵢ,  vᵢ = aᵢkᵢ,
//
// where kᵢ is a Gaussian of the distance on a numeric scale or between two texts, and 0 for
// different values of a category, and where dᵢ² is 4Δ² or 1. The terms stand for single
// parameters, for pairs of parameters (after Duvenaud et al. 2011), and for all parameters
// together.
type kernel struct {
	dims []Dimension
	// theta holds the logarithms of the hyperparameters: d variances aᵢ, d lengths, e₂, e₃,
	// ρ. prior holds their prior medians, and spread the standard deviations of the priors.
	theta, prior, spread []float64
	tables               [][]kernelTerm // indexed by dimension and distance
	squares              [Grid + 2]float64
	pairs, product       float64 // e₂, e₃
	own                  float64 // k of a point with itself
}

// kernelTerm holds a dimension's contribution to S and its contribution to the exponent of
// the product.
type kernelTerm struct{ v, d float64 }

// constant is the prior variance that is common to all configs.
const constant = 4.0

// The prior medians of the hyperparameters; the spreads of the priors are in newKernel.
const (
	additive     = 4.0 // divided among the dimensions in proportion to their weights
	length       = 0.35
	pairPart     = 1.0
	productPart  = 0.4
	productSteep = 1.0
)

func newKernel(dims []Dimension) *kernel {
	d := len(dims)
	k := &kernel{dims: dims, tables: make([][]kernelTerm, d)}
	total := 0.0
	for _, dim := range dims {
		total += dim.Weight
	}
	for i := range Grid + 1 {
		u := float64(i) / Grid
		k.squares[i] = 4 * u * u
	}
	k.squares[mismatch] = 1
	add := func(median, spread float64) {
		k.prior = append(k.prior, math.Log(median))
		k.spread = append(k.spread, spread)
	}
	for i, dim := range dims {
		add(additive*dim.Weight/total, 1.5)
		k.tables[i] = make([]kernelTerm, Grid+2)
	}
	for range dims {
		add(length, 0.7)
	}
	add(pairPart, 1.2)
	add(productPart, 0.8)
	add(productSteep, 0.5)
	k.theta = append([]float64(nil), k.prior...)
	k.tabulate()
	return k
}

// tabulate computes the tables for the current hyperparameters.
func (k *kernel) tabulate() {
	d := len(k.dims)
	steep := math.Exp(k.theta[2*d+2])
	k.pairs, k.product = math.Exp(k.theta[2*d]), math.Exp(k.theta[2*d+1])
	sum, squares := 0.0, 0.0
	for i, dim := range k.dims {
		a := math.Exp(k.theta[i])
		sum += a
		squares += a * a
		t := k.tables[i]
		t[0] = kernelTerm{a, 0}
		t[mismatch] = kernelTerm{0, steep * a}
		if !dim.distant() {
			continue
		}
		l := math.Exp(k.theta[d+i])
		for q := 1; q <= Grid; q++ {
			t[q] = kernelTerm{a * math.Exp(-k.squares[q]/(8*l*l)), steep * a * k.squares[q]}
		}
	}
	k.own = k.value(sum, squares, 0)
}

// value returns the covariance that results from its parts.
func (k *kernel) value(sum, squares, exponent float64) float64 {
	return constant + sum + k.pairs*0.5*(sum*sum-squares) + k.product*math.Exp(-exponent)
}

// between returns the covariance between two points.
func (k *kernel) between(x, y Point) float64 {
	var sum, squares, exponent float64
	for i, t := range k.tables {
		e := t[k.apart(i, x[i], y[i])]
		sum += e.v
		squares += e.v * e.v
		exponent += e.d
	}
	return k.value(sum, squares, exponent)
}

// apart returns the distance between two positions in a dimension, as an index into the
// kernel's tables.
func (k *kernel) apart(dim int, a, b int16) int {
	if row := k.dims[dim].Texts.row(a); row != nil {
		return along(row, b)
	}
	return apart(a, b)
}

// distant reports whether the positions in a dimension have distances.
func (d Dimension) distant() bool { return d.Numeric || d.Texts != nil }

// parts holds the sums for a row of covariances. The method value computes the
// covariances from these sums.
type parts struct{ sum, squares, exponent []float64 }

func newParts(n int) parts {
	all := make([]float64, 3*n)
	return parts{all[:n:n], all[n : 2*n : 2*n], all[2*n:]}
}

// of returns the parts of the covariances of item i with all items up to and including
// itself; p must hold the parts for all pairs.
func (p parts) of(i int) parts {
	from, to := i*(i+1)/2, (i+1)*(i+2)/2
	return parts{p.sum[from:to], p.squares[from:to], p.exponent[from:to]}
}

// gather sets p to the parts of the covariances between x and the first len(p.sum) points,
// which are given by column.
func (k *kernel) gather(x Point, columns [][]int16, p parts) {
	clear(p.sum)
	clear(p.squares)
	clear(p.exponent)
	for i, t := range k.tables {
		column := columns[i][:len(p.sum)]
		at := x[i]
		if row := k.dims[i].Texts.row(at); row != nil {
			for j, q := range column {
				e := t[along(row, q)]
				p.sum[j] += e.v
				p.squares[j] += e.v * e.v
				p.exponent[j] += e.d
			}
			continue
		}
		if at < 0 || !k.dims[i].Numeric {
			terms := [2]kernelTerm{t[0], t[mismatch]}
			for j, q := range column {
				n := 0 // avoid an unpredictable branch
				if q != at {
					n = 1
				}
				e := terms[n]
				p.sum[j] += e.v
				p.squares[j] += e.v * e.v
				p.exponent[j] += e.d
			}
			continue
		}
		for j, q := range column {
			n := int(at) - int(q)
			if n < 0 {
				n = -n
			}
			if q < 0 {
				n = mismatch
			}
			e := t[n]
			p.sum[j] += e.v
			p.squares[j] += e.v * e.v
			p.exponent[j] += e.d
		}
	}
}

// move turns the parts of the covariances of x into the parts of the covariances of y.
// The points x and y must differ in only a few dimensions.
func (k *kernel) move(x, y Point, columns [][]int16, p parts) {
	for i, t := range k.tables {
		if x[i] == y[i] {
			continue
		}
		for j, q := range columns[i][:len(p.sum)] {
			from, to := t[k.apart(i, x[i], q)], t[k.apart(i, y[i], q)]
			p.sum[j] += to.v - from.v
			p.squares[j] += to.v*to.v - from.v*from.v
			p.exponent[j] += to.d - from.d
		}
	}
}

// row writes to out the covariances between x and the first len(out) points.
func (k *kernel) row(x Point, columns [][]int16, p parts, out []float64) {
	p = parts{p.sum[:len(out)], p.squares[:len(out)], p.exponent[:len(out)]}
	k.gather(x, columns, p)
	k.values(p, out)
}

// values stores in out the covariances that result from the given parts.
func (k *kernel) values(p parts, out []float64) {
	for j := range out {
		out[j] = k.value(p.sum[j], p.squares[j], p.exponent[j])
	}
}
