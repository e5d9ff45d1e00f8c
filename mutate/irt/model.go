package irt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Item is a config with its evaluations.
type Item struct {
	Point Point
	Cells []Cell
	// Ability is the current estimate. Fit starts from it and replaces it.
	Ability float64
	// Pending is the number of pending evaluations. They add information without changing
	// the mean.
	Pending float64
}

const (
	// nugget is the prior variance of the part of an ability that is independent between
	// configs, even at the same point.
	nugget = 0.03
	// taskVariance is the prior variance of task effects.
	taskVariance = 4.0
	// learnable is the maximum number of points from which hyperparameters are learnt.
	learnable = 160
)

// Model is the posterior of the model. It is created by New.
type Model struct {
	kernel *kernel
	// Effects holds the easiness of each task, in logits.
	Effects []float64
	// Dispersion is the ratio of the variance of a score to p(1 − p); it is 1 for scores
	// that are 0 or 1.
	Dispersion float64

	items   int
	columns [][]int16
	points  []Point
	gram    *mat.SymDense // prior covariances of points
	anchors []anchor
	noise   []float64 // working variance by item
	factor  blas64.Triangular
	alpha   []float64
}

// New returns a model without data, for points with the given dimensions and the given
// number of tasks.
func New(dims []Dimension, tasks int) *Model {
	return &Model{kernel: newKernel(dims), Effects: make([]float64, tasks), Dispersion: 1}
}

// Sigmoid returns the probability of a logit.
func Sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// Fit fits abilities and task effects to the items with the given number of Newton steps.
// If learn is positive, it also fits the hyperparameters, with learn steps.
func (m *Model) Fit(items []Item, iterations, learn int) {
	points := make([]Point, len(items))
	for i := range items {
		points[i] = items[i].Point
	}
	targets, noise := make([]float64, len(items)), make([]float64, len(items))
	var gram *mat.SymDense
	for it := range iterations {
		m.disperse(items)
		m.linearise(items, targets, noise)
		if learn > 0 && it == iterations-1 {
			m.learn(items, points, targets, noise, learn)
			m.gram, gram = nil, nil
		}
		if gram == nil {
			gram = m.covariances(points)
		}
		m.solve(gram, targets, noise)
		for i := range items {
			// This is the posterior mean of the item's own ability, including the nugget.
			items[i].Ability = targets[i] - m.alpha[i]*noise[i]
		}
		m.adjust(items)
	}
}

// disperse estimates the dispersion with Pearson's statistic.
func (m *Model) disperse(items []Item) {
	const guess = 5 // weight of the prior guess of 1, in evaluations
	chi, count, cells := 0.0, 0.0, 0
	binary := true
	for i := range items {
		for _, c := range items[i].Cells {
			p := Sigmoid(items[i].Ability + m.Effects[c.Task])
			chi += (float64(c.Squares) - 2*p*c.Sum + c.N*p*p) / math.Max(0.02, p*(1-p))
			count += c.N
			cells++
			binary = binary && math.Abs(float64(c.Squares)-c.Sum) < 1e-6*math.Max(1, c.Sum)
		}
	}
	m.Dispersion = 1
	if !binary && cells > 0 {
		free := math.Max(0.3*count, count-0.5*float64(len(items))-0.7*float64(len(m.Effects)))
		m.Dispersion = math.Min(1, math.Max(0.03, (chi+guess)/(free+guess)))
	}
}

// linearise sets the working targets and their variances around the current abilities. The
// length of the Newton step is limited, because one success in one trial has no finite
// target.
func (m *Model) linearise(items []Item, targets, noise []float64) {
	const least, longest = 0.05, 4
	for i := range items {
		slope, info := 0.0, 0.0
		for _, c := range items[i].Cells {
			p := Sigmoid(items[i].Ability + m.Effects[c.Task])
			slope += c.Sum - c.N*p
			info += c.N * math.Max(0.01, p*(1-p))
		}
		known := math.Max(info, least)
		step := math.Max(-longest, math.Min(longest, slope/known))
		all := known + items[i].Pending*m.informative(items[i].Ability)
		// Pending evaluations are imputed with their expectation.
		targets[i] = items[i].Ability + step*known/all
		noise[i] = m.Dispersion / all
	}
}

// informative returns the information p(1 − p) that one evaluation gives about an ability,
// as a mean over all tasks.
func (m *Model) informative(ability float64) float64 {
	sum := 0.0
	stride := 1 + len(m.Effects)/64
	n := 0.0
	for j := 0; j < len(m.Effects); j += stride {
		p := Sigmoid(ability + m.Effects[j])
		sum += p * (1 - p)
		n++
	}
	return sum / n
}

// learn fits the hyperparameters to the items. If there are more items than learnable, it
// uses a selection of that size: half of it are the ablest items, and the rest are spread
// evenly over the others.
func (m *Model) learn(items []Item, points []Point, targets, noise []float64, steps int) {
	if len(items) > learnable {
		order := byAbility(items)
		rest := order[learnable/2:]
		use := order[: learnable/2 : learnable/2]
		for i := range learnable / 2 {
			use = append(use, rest[i*len(rest)/(learnable/2)])
		}
		all := points
		y, v := targets, noise
		points, targets, noise = nil, nil, nil
		for _, i := range use {
			points, targets, noise = append(points, all[i]), append(targets, y[i]), append(noise, v[i])
		}
	}
	m.kernel.learn(points, targets, noise, steps)
}

// covariances returns the prior covariances of points. It reuses the covariances of the
// leading points that are the same as in the last call. The stored covariances are cleared
// when hyperparameters are learnt.
func (m *Model) covariances(points []Point) *mat.SymDense {
	n, kept := len(points), 0
	m.anchors = m.anchors[:0]
	if m.gram != nil {
		for kept < min(n, len(m.points)) && slices.Equal(points[kept], m.points[kept]) {
			kept++
		}
	}
	m.columns, m.items = byColumn(points, len(m.kernel.dims)), n
	g := mat.NewSymDense(n, nil)
	for i := range kept {
		for j := i; j < kept; j++ {
			g.SetSym(i, j, m.gram.At(i, j))
		}
	}
	p, row := newParts(n), make([]float64, n)
	for i := kept; i < n; i++ {
		m.kernel.row(points[i], m.columns, p, row[:i+1])
		for j := range i + 1 {
			g.SetSym(j, i, row[j])
		}
	}
	m.gram, m.points = g, append(m.points[:0], points...)
	return g
}

// solve computes the posterior of the Gaussian process.
func (m *Model) solve(gram *mat.SymDense, targets, noise []float64) {
	n := len(targets)
	a := mat.NewSymDense(n, nil)
	for jitter, ok := 0.0, false; !ok; jitter = 10*jitter + 1e-6 {
		a.CopySym(gram)
		for i := range n {
			a.SetSym(i, i, gram.At(i, i)+nugget+noise[i]+jitter)
		}
		m.factor, ok = lapack64.Potrf(a.RawSymmetric())
	}
	m.noise = append(m.noise[:0], noise...)
	m.alpha = append(m.alpha[:0], targets...)
	v := blas64.Vector{N: n, Data: m.alpha, Inc: 1}
	blas64.Trsv(blas.Trans, m.factor, v)
	blas64.Trsv(blas.NoTrans, m.factor, v)
}

// adjust makes one Newton step for each task effect.
func (m *Model) adjust(items []Item) {
	const longest = 1.5
	slope, info := make([]float64, len(m.Effects)), make([]float64, len(m.Effects))
	for i := range items {
		for _, c := range items[i].Cells {
			p := Sigmoid(items[i].Ability + m.Effects[c.Task])
			slope[c.Task] += (c.Sum - c.N*p) / m.Dispersion
			info[c.Task] += c.N * p * (1 - p) / m.Dispersion
		}
	}
	for j := range m.Effects {
		step := (slope[j] - m.Effects[j]/taskVariance) / (info[j] + 1/taskVariance)
		m.Effects[j] += math.Max(-longest, math.Min(longest, step))
	}
}
