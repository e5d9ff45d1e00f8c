package nights

import (
	"math"

	"evolve/bench/stats"
)

// argmax adopts, every night, the variant with the best score if that score beats the
// champion's.
type argmax struct {
	// ever requires that the score beat the best score of all champions so far.
	ever bool
	// tested requires a paired t-test against the champion on the same search tasks at
	// .05, one-sided.
	tested bool
}

// tested is the one-sided error of each single test in the policies that are compared
// with this project's policy.
const tested = 0.05

func (p argmax) live(l *simulation) Outcome {
	var out Outcome
	best := math.Inf(-1)
	for out.Nights < l.Nights && out.Adopted == 0 {
		out.Nights++
		each := max(1, l.Budget/(l.Variants+1))
		out.Evaluations += each * (l.Variants + 1)
		champion := l.nightly(l.search.chances, l.searchAnswers, each)
		best = math.Max(best, champion.mean)
		var winner *variant
		var top scored
		for i := range l.Variants {
			v := l.propose(l.Gain > 0 && i == 0)
			if s := l.nightly(v.search, v.searchAnswers, each); winner == nil || s.mean > top.mean {
				winner, top = v, s
			}
		}
		switch {
		case top.mean <= champion.mean || p.ever && top.mean <= best:
			continue
		case p.tested && stats.Compare(paired(champion, top), 1-2*tested).Lo <= 0:
			continue
		}
		best = math.Max(best, top.mean)
		if winner.here(l) <= 0 {
			out.FalseHere++
		}
		out.adopt(out.Nights, winner.gain, top.mean-champion.mean)
	}
	return out
}

// scored is a night's mean score of one config, together with its parts by task.
type scored struct {
	mean  float64
	tasks []float64
	runs  []int
}

// nightly runs a config the given number of times, spread over the search tasks, starting
// with the first.
func (l *simulation) nightly(chances []float64, answers []int, runs int) scored {
	s := scored{tasks: make([]float64, l.Tasks), runs: make([]int, l.Tasks)}
	for r := range runs {
		i := r % l.Tasks
		points := 0
		if l.Fixed {
			points = answers[i]
		} else {
			points = l.points(chances[i])
		}
		s.tasks[i] += float64(points) / float64(l.Items)
		s.runs[i]++
		s.mean += float64(points) / float64(l.Items) / float64(runs)
	}
	return s
}

func paired(a, b scored) []stats.Pair {
	out := make([]stats.Pair, 0, len(a.tasks))
	for i := range a.tasks {
		if a.runs[i] > 0 {
			n := float64(a.runs[i])
			out = append(out, stats.Pair{Task: name("t", i), A: []float64{a.tasks[i] / n}, B: []float64{b.tasks[i] / n}})
		}
	}
	return out
}

// holdout confirms the search's best variants every night on the holdout, with as many
// fresh pairs as the night allows, and adopts a variant that is better by a t-test over
// tasks (clusters).
type holdout struct {
	// finalists is the number of finalists that share the night and the error
	// (Bonferroni, the first step of Holm), error is the one-sided error, share is the
	// share of the budget, and repeats is the limit on repeats; 0 means no limit.
	finalists int
	error     float64
	share     float64
	repeats   int
}

func (p holdout) live(l *simulation) Outcome {
	var out Outcome
	a, variance := newArchive(l.Tasks), l.variance(l.search.chances)
	for out.Nights < l.Nights && out.Adopted == 0 {
		out.Nights++
		spent := l.searchNight(a, int((1-p.share)*float64(l.Budget)))
		out.Evaluations += spent
		var finalists []*variant
		for _, v := range a.best(p.finalists, variance) {
			if mean, _ := v.posterior(variance); mean > 0 {
				finalists = append(finalists, v)
			}
		}
		if len(finalists) == 0 {
			continue
		}
		block := (1 + len(finalists)) * l.Tasks
		blocks := (l.Budget - spent) / block
		if p.repeats > 0 {
			blocks = min(blocks, p.repeats)
		}
		if l.Fixed {
			blocks = min(1, blocks)
		}
		out.Evaluations += blocks * block
		winner, won := -1, stats.Comparison{}
		for i, v := range finalists {
			v.holdoutEvidence = newHoldoutEvidence(l.Tasks, l.Items)
			for range blocks {
				l.block(v, out.Nights)
			}
			c := stats.Compare(l.pairs(v.holdoutEvidence), 1-2*p.error/float64(len(finalists)))
			v.holdoutEvidence = nil
			if c.Clusters > 1 && c.Lo > 0 && (winner < 0 || c.Lo > won.Lo) {
				winner, won = i, c
			}
		}
		if winner < 0 {
			continue
		}
		v := finalists[winner]
		if v.here(l) <= 0 {
			out.FalseHere++
		}
		out.adopt(out.Nights, v.gain, won.Difference)
		v.ended = true
	}
	return out
}
