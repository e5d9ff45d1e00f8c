package nights

import (
	"math"

	"evolve/bench/stats"
)

// variant is one config that the search proposed.
type variant struct {
	gain            float64 // the true one, over all tasks there could be
	search, holdout []float64
	// What it answers on either side, in points, where the world is fixed.
	searchAnswers, holdoutAnswers []int
	// Runs on search tasks, the sum of their scores less the champion's means, and the task to go on with.
	runs, next int
	sum        float64
	trial      *trial // nil before it enters the confirmation
	ended      bool
}

func (l *land) propose(better bool) *variant {
	v := &variant{next: l.rng.IntN(l.Tasks)}
	by := l.level
	if better {
		v.gain, by = l.Gain, l.shift
	}
	v.search, v.holdout = l.shifted(l.search, by), l.shifted(l.holdout, by)
	if l.Fixed {
		v.searchAnswers, v.holdoutAnswers = l.answers(v.search), l.answers(v.holdout)
	}
	return v
}

// here is the true gain on the very tasks of the holdout.
func (v *variant) here(l *land) float64 {
	var sum float64
	for i := range v.holdout {
		if l.Fixed {
			sum += float64(v.holdoutAnswers[i]-l.holdoutAnswers[i]) / float64(l.Items)
		} else {
			sum += v.holdout[i] - l.holdout.chances[i]
		}
	}
	return sum / float64(len(v.holdout))
}

// posterior of the variant's gain; variance is that of one run.
func (v *variant) posterior(variance float64) (mean, sd float64) {
	var confirm stats.Differences
	if t := v.trial; t != nil {
		confirm = stats.Differences{N: float64(t.sample.N()), Sum: t.sample.Mean() * float64(t.sample.N()), Variance: 2 * variance}
	}
	return stats.Posterior(stats.Differences{N: float64(v.runs), Sum: v.sum, Variance: variance}, confirm)
}

// trial is a variant's evidence from the holdout: how often each difference in points was seen on
// each task.
type trial struct {
	items  int
	counts [][]int // by task, by difference + items
	sample stats.Sample
	blocks int
	alpha  float64 // the level of its entry
	cap    float64 // the pairs it was projected to need
	parked int     // the night on which it was parked
}

func newTrial(tasks, items int) *trial {
	t := &trial{items: items, counts: make([][]int, tasks)}
	backing := make([]int, tasks*(2*items+1))
	for i := range t.counts {
		t.counts[i] = backing[i*(2*items+1) : (i+1)*(2*items+1)]
	}
	return t
}

// block runs one fresh pair on every task of the holdout.
func (l *land) block(v *variant) {
	t := v.trial
	total := make([]int, 2*l.Items+1)
	for i := range v.holdout {
		var d int
		if l.Fixed {
			d = v.holdoutAnswers[i] - l.holdoutAnswers[i]
		} else {
			d = l.points(v.holdout[i]) - l.points(l.holdout.chances[i])
		}
		t.counts[i][d+l.Items]++
		total[d+l.Items]++
	}
	for k, n := range total {
		t.sample.Add(float64(k-l.Items)/float64(l.Items), n)
	}
	t.blocks++
}

// due reports whether the judge could say anything but "open": evidence either way is
// there, or the cap is passed. It saves the judge's time and changes nothing.
func (t *trial) due(fixed bool) bool {
	return fixed || t.sample.LogSuperior(0) >= -math.Log(t.alpha) || t.sample.LogInferior(0) >= -math.Log(.05) || float64(t.sample.N()) > 2*t.cap
}

// judge rules on a trial.
func (l *land) judge(t *trial) stats.Ruling {
	return stats.Judge("", l.pairs(t), stats.Rule{Alpha: t.alpha, Fixed: l.Fixed, Cap: t.cap})
}

// pairs is the evidence as the judge takes it.
func (l *land) pairs(t *trial) []stats.Pair {
	out := make([]stats.Pair, len(t.counts))
	scores := make([]float64, 2*len(t.counts)*t.blocks)
	for i, counts := range t.counts {
		p := &out[i]
		p.Task, p.Cluster = name("t", i), name("c", i/l.Cluster)
		p.A, p.B, scores = scores[:t.blocks:t.blocks], scores[t.blocks:2*t.blocks:2*t.blocks], scores[2*t.blocks:]
		r := 0
		for k, n := range counts {
			for range n {
				// Only the difference is evidence: one of the two is 0.
				d := float64(k-t.items) / float64(t.items)
				p.A[r], p.B[r] = max(0, -d), max(0, d)
				r++
			}
		}
	}
	return out
}

// name is a letter with a number of four digits.
func name(letter string, i int) string {
	return letter + string([]byte{byte('0' + i/1000%10), byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)})
}
