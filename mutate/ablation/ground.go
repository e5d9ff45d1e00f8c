package ablation

import (
	"cmp"
	"math"
	"slices"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// ground holds the spots at which smaller configs are compared with the winner.
type ground struct {
	// spots are the spots at which both winner and champion have scores. total is the sum
	// of their weights.
	spots []spot
	total float64
	// tasks are the spots at which a loss can show up, the most likely ones first. whole is
	// their number before the budget limited them.
	tasks []spot
	whole int
	// allowed is the maximum loss of all reversals together. gain is the winner's gain over
	// the champion. Both are in score units.
	allowed, gain float64
	winner        map[spot]float64
	e             *evidence
}

// newGround returns the ground with its tasks in order.
func (a *Ablation) newGround() ground {
	g := ground{winner: map[spot]float64{}, e: a.evidence}
	lead := map[spot]float64{}
	for _, at := range a.base {
		win, ok := a.evidence.score(a.winnerID, at)
		base, also := a.evidence.score(a.championID, at)
		if !ok || !also {
			continue
		}
		g.spots, g.winner[at] = append(g.spots, at), win
		g.total += g.e.weight(at)
		lead[at] = g.e.weight(at) * (win - base)
		if win > 0 {
			g.tasks = append(g.tasks, at)
		}
	}
	slices.SortStableFunc(g.tasks, func(x, y spot) int {
		return cmp.Or(cmp.Compare(max(0, lead[y]), max(0, lead[x])), cmp.Compare(a.ease[x.task], a.ease[y.task]))
	})
	for _, at := range g.spots {
		g.gain += lead[at] / g.total
	}
	g.allowed = math.Max(1/max(1, float64(len(g.spots))), slightMeasured*g.gain)
	g.whole = len(g.tasks)
	g.tasks = g.tasks[:min(len(g.tasks), max(leastWalk, int(tryShare*float64(a.budget))))]
	return g
}

// loss returns how far, in score units, the score of a config is below the winner's
// score. It also returns the spots at which the config still has to be evaluated, and the
// number of the config's evaluations. At a spot where the config has no evaluation but
// the config best lost the winner's whole score, the config counts as losing it too;
// gains count only if they were observed.
func (g ground) loss(id, best agent.ConfigID) (loss float64, lack []spot, seen int) {
	missing, scored := 0., 0.
	for _, at := range g.spots {
		weight := g.e.weight(at)
		switch score, ok := g.e.score(id, at); {
		case ok:
			loss += weight * (g.winner[at] - score)
			scored += weight
			seen++
		case g.e.has(id, at):
			missing += weight
			seen++
		case g.lost(best, at):
			loss += weight * g.winner[at]
		}
	}
	for _, at := range g.tasks {
		if !g.e.has(id, at) && !g.lost(best, at) {
			lack = append(lack, at)
		}
	}
	if missing > 0 { // evaluations without a score are assumed to lose as much as the others
		if scored == 0 {
			return missing / g.total, lack, seen
		}
		loss *= 1 + missing/scored
	}
	return loss / g.total, lack, seen
}

// lost reports whether a config was observed to lose the winner's whole score on a task.
func (g ground) lost(id agent.ConfigID, at spot) bool {
	score, ok := g.e.score(id, at)
	return ok && score <= 0 && g.winner[at] > 0
}

// difference returns how much higher one config scores than another. The two count as
// equal at spots where either has no evaluation.
func (a *Ablation) difference(id, than agent.ConfigID, spots []spot) Posterior {
	pairs := a.evidence.pairs(than, id, spots)
	for _, at := range spots {
		if !a.evidence.has(id, at) || !a.evidence.has(than, at) {
			t := a.tasks[at.task]
			pairs = append(pairs, stats.Pair{Task: t.ID, Domain: t.Domain, Cluster: t.Cluster, Weight: t.Weight, A: []float64{0}, B: []float64{0}})
		}
	}
	return posteriorOf(pairs)
}

// basis sets the spots at which the winner and the champion are compared: all spots or,
// if their evaluations would cost more than half of the budget, as many as half of the
// budget pays for, cheapest first. It also sets the mean score of the known configs on
// each task.
func (a *Ablation) basis() {
	spots := slices.Clone(a.spots)
	slices.SortStableFunc(spots, func(x, y spot) int {
		return cmp.Compare(a.evidence.cost(a.winnerID, a.championID, x), a.evidence.cost(a.winnerID, a.championID, y))
	})
	paid := 0
	for _, at := range spots {
		if paid += a.evidence.cost(a.winnerID, a.championID, at); paid > a.budget/2 {
			break
		}
		a.base = append(a.base, at)
	}
	a.ease = a.evidence.ease(a.base)
}

// ends returns the winner and the champion.
func (a *Ablation) ends() []side {
	return []side{{id: a.winnerID, config: a.winner}, {id: a.championID, config: a.champion, back: set{}.with(a.all()...)}}
}
