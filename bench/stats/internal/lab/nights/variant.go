package nights

import (
	"math"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// variant is one config proposed by the search.
type variant struct {
	id              agent.ConfigID
	gain            float64 // the true gain, over all possible tasks
	search, holdout []float64
	// searchAnswers and holdoutAnswers are the points of the variant's answers on the
	// search tasks and on the holdout tasks, if the world is fixed.
	searchAnswers, holdoutAnswers []int
	// runs is the number of runs on search tasks, next is the index of the next task, and
	// sum is the sum, over the runs, of the score minus the champion's mean on the task.
	runs, next      int
	sum             float64
	holdoutEvidence *holdoutEvidence // nil before it enters the confirmation
	ended           bool
}

func (l *simulation) propose(better bool) *variant {
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

// here returns the true gain on the holdout tasks themselves.
func (v *variant) here(l *simulation) float64 {
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

// posterior returns the posterior of the variant's gain from search and confirmation;
// variance is the variance of one run.
func (v *variant) posterior(variance float64) (mean, sd float64) {
	var confirm stats.Differences
	if t := v.holdoutEvidence; t != nil {
		confirm = stats.Differences{N: float64(t.sample.N()), Sum: t.sample.Mean() * float64(t.sample.N()), Variance: 2 * variance}
	}
	return stats.Posterior(stats.Differences{N: float64(v.runs), Sum: v.sum, Variance: variance}, confirm)
}

// holdoutEvidence is a variant's evidence from the holdout: how often each difference in
// points occurred, by task and night.
type holdoutEvidence struct {
	items  int
	counts [][]int // indexed by task, then by night, then by difference + items
	nights []int   // nights with blocks
	sample stats.Sample
	blocks int
	// costs contains the costs of the champion's and of the variant's runs of each task,
	// and prices contains the mean cost of each task; both are nil if costs are not
	// simulated.
	costs  [][2][]float64
	prices []float64
	// tonight is the number of blocks of the last night that had any.
	night, tonight int
}

func newHoldoutEvidence(tasks, items int) *holdoutEvidence {
	return &holdoutEvidence{items: items, counts: make([][]int, tasks)}
}

// at returns the index at which a night's counts start in each task's counts. It adds the
// night if it is new.
func (t *holdoutEvidence) at(night int) int {
	wide := 2*t.items + 1
	if len(t.nights) == 0 || t.nights[len(t.nights)-1] != night {
		t.nights = append(t.nights, night)
		for i := range t.counts {
			t.counts[i] = append(t.counts[i], make([]int, wide)...)
		}
	}
	return wide * (len(t.nights) - 1)
}

// block runs one fresh pair on every holdout task in the given night.
func (l *simulation) block(v *variant, night int) {
	t := v.holdoutEvidence
	at := t.at(night) + l.Items
	total := make([]int, 2*l.Items+1)
	for i := range v.holdout {
		var d int
		if l.Fixed {
			d = v.holdoutAnswers[i] - l.holdoutAnswers[i]
		} else {
			d = l.points(v.holdout[i]) - l.points(l.holdout.chances[i])
		}
		t.counts[i][at+d]++
		total[d+l.Items]++
	}
	l.pay(t)
	for k, n := range total {
		t.sample.Add(float64(k-l.Items)/float64(l.Items), n)
	}
	t.blocks++
}

// dear is the standard deviation of the log cost between tasks, and also between runs of a
// task.
const dear = .5

// pay adds the costs of a block's runs.
func (l *simulation) pay(t *holdoutEvidence) {
	if l.Price == 0 {
		return
	}
	if t.costs == nil {
		t.costs, t.prices = make([][2][]float64, l.Tasks), make([]float64, l.Tasks)
		for i := range t.prices {
			t.prices[i] = math.Exp(dear * l.rng.NormFloat64())
		}
	}
	for i := range t.costs {
		for side, ratio := range []float64{1, l.Price} {
			t.costs[i][side] = append(t.costs[i][side], ratio*t.prices[i]*math.Exp(dear*l.rng.NormFloat64()))
		}
	}
}

// due reports whether the ruling could be anything but "open": there is evidence in
// either direction, there was a proof earlier, or the cap is exceeded. This check only
// avoids needless rulings.
func (t *holdoutEvidence) due(rule stats.Rule) bool {
	return rule.Fixed || rule.Proof != nil || t.sample.LogSuperior(0) >= -math.Log(rule.Alpha) || t.sample.LogInferior(0) >= -math.Log(.05) ||
		rule.Cap > 0 && float64(t.sample.N()) > 2*rule.Cap
}

// judge rules on a variant's evidence from the holdout.
func (l *simulation) judge(t *holdoutEvidence, rule stats.Rule) stats.Ruling {
	if l.Price > 0 {
		rule.Guards = []stats.Bound{{Name: stats.Cost, Of: stats.Mean, AtMost: stats.AtMost}}
	}
	return stats.Judge("", l.pairs(t), rule)
}

// pairs returns the evidence in the form that the judge expects.
func (l *simulation) pairs(t *holdoutEvidence) []stats.Pair {
	out := make([]stats.Pair, len(t.counts))
	scores, wide := make([]float64, 2*len(t.counts)*t.blocks), 2*t.items+1
	nights := make([]int, len(t.counts)*t.blocks)
	for i, counts := range t.counts {
		p := &out[i]
		p.Task, p.Cluster = name("t", i), name("c", i/l.Cluster)
		if d := l.domain(i); d >= 0 {
			p.Domain = name("d", d)
		}
		if t.costs != nil {
			p.CostA, p.CostB = t.costs[i][0], t.costs[i][1]
		}
		p.A, p.B, scores = scores[:t.blocks:t.blocks], scores[t.blocks:2*t.blocks:2*t.blocks], scores[2*t.blocks:]
		p.Nights, nights = nights[:t.blocks:t.blocks], nights[t.blocks:]
		r := 0
		for k, n := range counts {
			for range n {
				// Only the difference counts as evidence, so the lower score of each pair
				// is set to 0.
				d := float64(k%wide-t.items) / float64(t.items)
				p.A[r], p.B[r], p.Nights[r] = max(0, -d), max(0, d), k/wide
				r++
			}
		}
	}
	return out
}

// name returns a letter followed by four digits.
func name(letter string, i int) string {
	return letter + string([]byte{byte('0' + i/1000%10), byte('0' + i/100%10), byte('0' + i/10%10), byte('0' + i%10)})
}
