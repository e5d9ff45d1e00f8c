package ablation

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"evolve/runtime/agent"
)

// An agent with chance tells too little of one config at a time. So its units are
// screened together first: they are dealt into groups at random, several times over, and
// every group makes a config without it. As every unit is missing in some configs and there
// in others, all evaluations together tell of each, by the linear model
//
//	score = effect of the spot + sum of the effects of the units that are there + noise,
//
// with spots as fixed effects and, for each of k units that together are worth the gain g,
// the prior N(g/k, g²/2k). Effects that need each other show in all that they need. The
// model only chooses what is tried; the ruling rests on a comparison by itself.
const (
	screenShare = 0.3
	// deals of the units at most, into so many groups.
	deals      = 4
	dealGroups = 4
)

// screen asks for the configs of the screening.
func (a *Ablation) screen() {
	a.phase = screening
	k := len(a.units)
	if k < 2 {
		return
	}
	evaluations := int(screenShare*float64(a.budget)) - a.spent
	groups := min(dealGroups, k)
	times := min(deals, max(1, evaluations/(groups*leastSpots)))
	sides := a.sides()
	for range times {
		order := a.rng.Perm(k)
		for g := range groups {
			back := set{}
			for i := g; i < k; i += groups {
				back[order[i]] = true
			}
			config, ok := a.setBack(back)
			if !ok {
				continue
			}
			s := side{config.ID(), config}
			if !slices.ContainsFunc(sides, func(other side) bool { return other.id == s.id }) {
				sides = append(sides, s)
				a.screened = append(a.screened, screened{s.id, back})
			}
		}
	}
	a.queue = a.lacking(a.affordable(evaluations, sides), sides)
}

// choose lists the units that may go, those first that seem to matter least: each, and
// all together, are estimated to be worth at most what may be lost.
func (a *Ablation) choose() {
	a.phase = grouping
	gain := a.gain(a.spots)
	if gain <= 0 {
		return
	}
	effects := a.unitEffects(gain)
	order := make([]int, len(a.units))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(effects[i], effects[j]) })
	sum, n := 0.0, 0
	for _, i := range order {
		if sum += effects[i]; effects[i] > lost*gain || sum > lost*gain {
			break
		}
		n++
	}
	if n > 0 {
		a.groups = [][]int{order[:n]}
	}
}

// unitEffects is the posterior mean of the units' effects.
func (a *Ablation) unitEffects(gain float64) []float64 {
	k := len(a.units)
	rows := append([]screened{{a.winnerID, set{}}}, a.screened...)
	gram, target := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	x := make([]float64, k)
	squares, freedom := 0.0, 0.0
	for _, at := range a.spots {
		var seen []screened
		var scores []float64
		for _, r := range rows {
			if v, ok := a.evidence.score(r.id, at); ok {
				seen, scores = append(seen, r), append(scores, v)
			}
		}
		if len(seen) < 2 {
			continue
		}
		// What a spot has in common is taken out on both sides.
		there := make([]float64, k)
		mean := 0.0
		for j, r := range seen {
			mean += scores[j] / float64(len(seen))
			for i := range k {
				if !r.back[i] {
					there[i] += 1 / float64(len(seen))
				}
			}
		}
		for j, r := range seen {
			y := scores[j] - mean
			squares += y * y
			for i := range k {
				x[i] = -there[i]
				if !r.back[i] {
					x[i]++
				}
				y -= x[i] * gain / float64(k) // what the prior expects
			}
			gram.SymRankOne(gram, 1, mat.NewVecDense(k, x))
			target.AddScaledVec(target, y, mat.NewVecDense(k, x))
		}
		freedom += float64(len(seen) - 1)
	}
	noise := max(squares/max(1, freedom), leastNoise)
	for i := range k {
		gram.SetSym(i, i, gram.At(i, i)+noise*2*float64(k)/(gain*gain))
	}
	out := make([]float64, k)
	var chol mat.Cholesky
	var beta mat.VecDense
	// An ill-conditioned answer is an answer: the prior bounds its error.
	if chol.Factorize(gram) {
		_ = chol.SolveVecTo(&beta, target)
	}
	for i := range out {
		out[i] = gain / float64(k)
		if !beta.IsEmpty() && !math.IsNaN(beta.AtVec(i)) {
			out[i] += beta.AtVec(i)
		}
	}
	return out
}

// leastNoise is the least variance of a score around what is expected of it.
const leastNoise = 1e-3

// screened is a config of the screening with the units that it lacks.
type screened struct {
	id   agent.ConfigID
	back set
}
