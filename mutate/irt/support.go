package irt

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// mostSupported is the maximum number of tonight's items in a test of an earlier night.
const mostSupported = 40

// Support returns how much the results of an earlier night increase the likelihood of
// tonight's results, as a difference of log likelihoods. It returns 0 if either night has
// no items, or if a covariance is not positive definite. The items must have abilities
// near which scores are linear, as after [Model.Fit].
func (m *Model) Support(tonight, earlier []Item) float64 {
	if len(tonight) == 0 || len(earlier) == 0 {
		return 0
	}
	if len(tonight) > mostSupported {
		tonight = slices.Clone(tonight)
		slices.SortStableFunc(tonight, func(a, b Item) int { return cmp.Compare(evaluations(b), evaluations(a)) })
		tonight = tonight[:mostSupported]
	}
	n, q := len(earlier), len(tonight)
	all := slices.Concat(earlier, tonight)
	points := make([]Point, n+q)
	for i := range all {
		points[i] = all[i].Point
	}
	targets, noise := make([]float64, n+q), make([]float64, n+q)
	m.linearise(all, targets, noise)
	past, both, present := mat.NewSymDense(n, nil), mat.NewDense(n, q, nil), mat.NewSymDense(q, nil)
	columns, p, row := byColumn(points, len(m.kernel.dims)), newParts(n+q), make([]float64, n+q)
	for i := range n + q {
		m.kernel.row(points[i], columns, p, row[:i+1])
		row[i] += nugget + noise[i]
		for j, v := range row[:i+1] {
			switch {
			case i < n:
				past.SetSym(j, i, v)
			case j < n:
				both.Set(j, i-n, v)
			default:
				present.SetSym(j-n, i-n, v)
			}
		}
	}
	var chol mat.Cholesky
	var weights, mean mat.VecDense
	var solved, explained mat.Dense
	if !chol.Factorize(past) || chol.SolveVecTo(&weights, mat.NewVecDense(n, targets[:n])) != nil || chol.SolveTo(&solved, both) != nil {
		return 0
	}
	mean.MulVec(both.T(), &weights)
	explained.Mul(both.T(), &solved)
	z := mat.NewVecDense(q, targets[n:])
	alone, ok := density(z, present)
	if !ok {
		return 0
	}
	for i := range q {
		z.SetVec(i, z.AtVec(i)-mean.AtVec(i))
		for j := i; j < q; j++ {
			present.SetSym(i, j, present.At(i, j)-explained.At(i, j))
		}
	}
	given, ok := density(z, present)
	if !ok {
		return 0
	}
	return given - alone
}

// density returns the log density, up to a constant, of a normal vector with mean 0. It
// returns false if the covariance is not positive definite.
func density(x *mat.VecDense, covariance *mat.SymDense) (float64, bool) {
	var chol mat.Cholesky
	var solved mat.VecDense
	if !chol.Factorize(covariance) || chol.SolveVecTo(&solved, x) != nil {
		return 0, false
	}
	return -0.5*mat.Dot(x, &solved) - 0.5*chol.LogDet(), true
}

// evaluations returns the number of evaluations of an item.
func evaluations(it Item) float64 {
	n := 0.0
	for _, c := range it.Cells {
		n += c.N
	}
	return n
}
