package ablation

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"evolve/mutate"
)

// Most changes in a search have no effect: a winner consists of lucky moves as well as good
// ones, and a prior under which every change has a small effect attributes the luck to all
// of them. The likelihood of the units' effects is therefore extracted from the posterior
// of the search's model, as a Gaussian, and combined with a spike-and-slab prior (George
// and McCulloch 1993): an effect is either exactly 0 or normally distributed. The share and
// the size of nonzero effects are learnt as well. If the evaluations cannot distinguish two
// effects, each draw attributes the effect to one of them.
const (
	draws, burnIn = 500, 100
	// The share of nonzero effects has the prior Beta(someEffects, otherEffects).
	someEffects, otherEffects = 2., 6.
	// The variance of a nonzero effect has an inverse-gamma prior around slab², where slab
	// is in logits. The prior weighs as much as slabWorth effects.
	slab, slabWorth = .35, 8.
)

// likelihood is the likelihood of the effects of units: exp(−½ e′Qe + h′e).
type likelihood struct {
	q *mat.SymDense
	h []float64
}

// evidenceOf returns the likelihood that remains when the prior is divided out of a
// posterior.
func evidenceOf(c mutate.Contrast) likelihood {
	k := len(c.Mean)
	posterior, ok := inverse(c.Posterior)
	prior, also := inverse(c.Prior)
	l := newLikelihood(k)
	if !ok || !also {
		return l
	}
	for i := range k {
		for j := range k {
			l.h[i] += posterior.At(i, j) * c.Mean[j]
			if j >= i {
				l.q.SetSym(i, j, posterior.At(i, j)-prior.At(i, j))
			}
		}
	}
	return l
}

func newLikelihood(k int) likelihood { return likelihood{mat.NewSymDense(k, nil), make([]float64, k)} }

// additive returns the likelihood of the effects of single options, if a joint effect is
// the sum of the options' effects. Each row gives the options whose effects add up to one
// difference.
func (l likelihood) additive(rows [][]float64) likelihood {
	k := len(rows[0])
	out := newLikelihood(k)
	for i, x := range rows {
		for a, v := range x {
			if v == 0 {
				continue
			}
			out.h[a] += l.h[i]
			for j, y := range rows {
				q := l.q.At(i, j)
				for b, w := range y {
					if w != 0 && b >= a {
						out.q.SetSym(a, b, out.q.At(a, b)+q)
					}
				}
			}
		}
	}
	return out
}

// ridge is added to the diagonal of a covariance matrix, so that the matrices of nearly
// equal configs are not singular.
const ridge = 1e-7

func inverse(cov *mat.SymDense) (*mat.SymDense, bool) {
	k := cov.SymmetricDim()
	a := mat.NewSymDense(k, nil)
	a.CopySym(cov)
	for i := range k {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	var chol mat.Cholesky
	out := mat.NewSymDense(k, nil)
	if !chol.Factorize(a) || chol.InverseTo(out) != nil {
		return nil, false
	}
	return out, true
}

// draw draws effects from their posterior by Gibbs sampling. It returns one row per draw,
// with the effects whose index is below slack. These effects form one family, and all
// other effects form another. Each family has its own share of nonzero effects and its
// own variance. The result is deterministic.
func (l likelihood) draw(slack int) [][]float64 {
	k := len(l.h)
	q := make([][]float64, k)
	for i := range q {
		q[i] = mat.Row(nil, i, l.q)
	}
	rng := rand.New(rand.NewPCG(uint64(k), 0x5ba25e))
	effects, there := make([]float64, k), make([]bool, k)
	families := []family{newFamily(0, slack), newFamily(slack, k)}
	var out [][]float64
	for n := range burnIn + draws {
		for i := range k {
			f := families[0]
			if i >= slack {
				f = families[1]
			}
			r, own := l.h[i], math.Max(0, q[i][i])
			for j, e := range effects {
				if e != 0 && j != i {
					r -= q[i][j] * e
				}
			}
			precision := own + 1/f.variance
			odds := math.Log(f.share/(1-f.share)) - .5*math.Log(f.variance*precision) + .5*r*r/precision
			there[i], effects[i] = rng.Float64() < 1/(1+math.Exp(-odds)), 0
			if there[i] {
				effects[i] = r/precision + rng.NormFloat64()/math.Sqrt(precision)
			}
		}
		for i := range families {
			families[i].learn(rng, effects, there)
		}
		if n >= burnIn {
			out = append(out, slices.Clone(effects[:slack]))
		}
	}
	return out
}

// family is the range of effects that share a prior, from index first up to but not
// including end.
type family struct {
	first, end      int
	share, variance float64
}

func newFamily(first, end int) family {
	return family{first, end, someEffects / (someEffects + otherEffects), slab * slab}
}

// learn draws the family's share of nonzero effects and their variance, given the effects.
func (f *family) learn(rng *rand.Rand, effects []float64, there []bool) {
	active, squares := 0., 0.
	for i := f.first; i < f.end; i++ {
		if there[i] {
			active++
			squares += effects[i] * effects[i]
		}
	}
	x, y := gamma(rng, someEffects+active), gamma(rng, otherEffects+float64(f.end-f.first)-active)
	f.share = math.Max(1e-6, math.Min(1-1e-6, x/(x+y)))
	f.variance = (slabWorth*slab*slab + squares) / 2 / gamma(rng, (slabWorth+active)/2)
}

// gamma draws from a gamma distribution with scale 1 and a shape of 1 or more (Marsaglia
// and Tsang 2000).
func gamma(rng *rand.Rand, shape float64) float64 {
	d := shape - 1./3
	for {
		x := rng.NormFloat64()
		v := 1 + x/math.Sqrt(9*d)
		if v <= 0 {
			continue
		}
		v *= v * v
		if math.Log(1-rng.Float64()) < .5*x*x+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}
