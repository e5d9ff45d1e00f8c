package nights

import (
	"math"
	"math/rand/v2"

	"github.com/sourcegraph/conc/pool"

	"evolve/bench/stats"
)

// Promise compares the power that is stated before a night with the frequency at which
// the statement holds.
type Promise struct {
	Pairs float64
	// Stated is the smallest improvement that, according to the statement, is shown with
	// 80 % power, or +Inf if there is none.
	Stated float64
	// Kept counts the simulations in which a candidate whose improvement is Stated was
	// proven. It has no cases if there is no such improvement, or if the improvement is
	// too large for these tasks.
	Kept Share
}

// Promises checks the statement about the power of a night, and of a month, in worlds
// like w; w's gain is ignored.
func Promises(w World, repetitions int, seed uint64) []Promise {
	tonight := w.tonight()
	return []Promise{promise(w, tonight, repetitions, seed), promise(w, days*tonight, repetitions, seed)}
}

// tonight returns the number of pairs that a night's budget allows.
func (w World) tonight() float64 { return share * float64(w.Budget) / 2 }

// promise checks the gain that is stated for a number of pairs, given the true variances
// at that gain.
func promise(w World, pairs float64, repetitions int, seed uint64) Promise {
	d := stats.Design{Tasks: w.Tasks, Units: w.Tasks / w.Cluster, Tonight: w.tonight(), Alpha: stats.Monthly().Alpha(), Fixed: w.Fixed}
	p := Promise{Pairs: pairs, Stated: stats.Practical}
	// The variance between tasks depends on the gain, so the gain and the variances are
	// computed alternately, in a few rounds.
	for range 4 {
		w.Gain = math.Min(p.Stated, most)
		d.Within, d.Between = w.variances(seed)
		p.Stated = d.Detectable(pairs)
	}
	if w.Gain = p.Stated; w.Gain < most {
		p.Kept = w.keeps(pairs, d.Alpha, repetitions, seed)
	}
	return p
}

// most is the largest gain possible over a champion with a mean of .5.
const most = 0.4

// variances returns the variance of one pair within a task and the variance of the true
// difference between clusters, computed from very many tasks.
func (w World) variances(seed uint64) (within, between float64) {
	const many = 40_000
	w.Tasks = many / w.Cluster * w.Cluster
	l := w.draw(rand.New(rand.NewPCG(seed, 0)))
	v := l.propose(true)
	within = l.variance(v.holdout) + l.variance(l.holdout.chances)
	for i := 0; i < w.Tasks; i += w.Cluster {
		d := v.holdout[i] - l.holdout.chances[i] - w.Gain
		between += d * d / float64(w.Tasks/w.Cluster)
	}
	return within, between
}

// keeps returns the number of simulations in which the world's better variant is proven
// with the given number of pairs.
func (w World) keeps(pairs, alpha float64, repetitions int, seed uint64) Share {
	proven := make([]bool, repetitions)
	workers := pool.New().WithMaxGoroutines(processors())
	for i := range proven {
		workers.Go(func() {
			l := w.draw(rand.New(rand.NewPCG(seed, uint64(i))))
			proven[i] = l.proves(l.propose(true), pairs, alpha)
		})
	}
	workers.Wait()
	var s Share
	for _, hit := range proven {
		s.add(hit)
	}
	return s
}

// proves measures a variant block by block until there is a ruling on it or the pairs are
// used up.
func (l *simulation) proves(v *variant, pairs, alpha float64) bool {
	t := newHoldoutEvidence(l.Tasks, l.Items)
	rule := stats.Rule{Alpha: alpha, Fixed: l.Fixed}
	v.holdoutEvidence = t
	for float64(t.sample.N()+l.Tasks) <= pairs {
		l.block(v, int(float64(t.sample.N())/l.tonight()))
		if t.due(rule) {
			if r := l.judge(t, rule); r.State != stats.Open {
				return r.State == stats.Proven
			}
		}
		if l.Fixed {
			return false
		}
	}
	return false
}
