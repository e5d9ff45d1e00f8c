package nights

import (
	"fmt"
	"math"

	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

const (
	// screening is the share of the search's evaluations that all of tonight's variants
	// have in equal parts; halving of the best of the whole archive gets the rest.
	screening = 0.4
	kept      = 16
	rounds    = 4
)

// archive is what the search of a world has seen.
type archive struct {
	variants []*variant
	byID     map[agent.ConfigID]*variant
	// Points of the champion and its runs, by search task.
	points, runs []int
}

func newArchive(tasks int) *archive {
	return &archive{byID: map[agent.ConfigID]*variant{}, points: make([]int, tasks), runs: make([]int, tasks)}
}

// searchNight spends up to budget evaluations on search tasks, with the plain allocation of
// spec 9.2, and returns how many it spent.
func (l *land) searchNight(a *archive, budget int) int {
	spent := l.refresh(a, budget)
	tonight := make([]*variant, l.Variants)
	for i := range tonight {
		tonight[i] = l.propose(l.Gain > 0 && i == 0)
	}
	a.add(tonight...)
	each := max(1, int(screening*float64(budget-spent)/float64(l.Variants)))
	for _, v := range tonight {
		spent += l.run(a, v, min(each, budget-spent))
	}
	variance := l.variance(l.search.chances)
	room := (budget - spent) / rounds
	for keep := kept; keep > 1; keep /= 2 {
		best := a.best(keep, variance)
		for _, v := range best {
			spent += l.run(a, v, room/len(best))
		}
	}
	return spent
}

// refresh runs the champion once on every search task; a fixed one only on the first night.
func (l *land) refresh(a *archive, budget int) int {
	spent := 0
	for i, p := range l.search.chances {
		if spent == budget || l.Fixed && a.runs[i] > 0 {
			continue
		}
		if l.Fixed {
			a.points[i] += l.searchAnswers[i]
		} else {
			a.points[i] += l.points(p)
		}
		a.runs[i]++
		spent++
	}
	return spent
}

// run gives a variant n runs on the search tasks that are next.
func (l *land) run(a *archive, v *variant, n int) int {
	if l.Fixed {
		n = min(n, l.Tasks-v.runs)
	}
	for range n {
		i := v.next
		v.next = (i + 1) % l.Tasks
		var points int
		if l.Fixed {
			points = v.searchAnswers[i]
		} else {
			points = l.points(v.search[i])
		}
		v.sum += float64(points)/float64(l.Items) - a.champion(i, l.Items)
		v.runs++
	}
	return n
}

// champion is its mean score on a search task, drawn a little to the middle.
func (a *archive) champion(task, items int) float64 {
	return (float64(a.points[task])/float64(items) + .5) / (float64(a.runs[task]) + 1)
}

// best lists the n variants with the highest mean + sd, in that order; of equal ones
// those that were proposed first.
func (a *archive) best(n int, variance float64) []*variant {
	kept := highest[*variant]{most: n}
	for _, v := range a.variants {
		if v.ended {
			continue
		}
		mean, sd := v.posterior(variance)
		if upper := mean + sd; kept.takes(upper) {
			kept.add(v, upper)
		}
	}
	return kept.items
}

// add takes variants in and names them.
func (a *archive) add(list ...*variant) {
	for _, v := range list {
		v.id = agent.ConfigID(fmt.Sprintf("variant %d", len(a.byID)+1))
		a.byID[v.id] = v
	}
	a.variants = append(a.variants, list...)
}

func (a *archive) variant(id agent.ConfigID) *variant { return a.byID[id] }

// score is the champion's, the mean over all search tasks.
func (a *archive) score(items int) float64 {
	var sum float64
	for i := range a.points {
		sum += a.champion(i, items)
	}
	return sum / float64(len(a.points))
}

// finalists are the n variants with the highest posterior mean by their runs on search
// tasks alone, the best first, as a search recommends them.
func (a *archive) finalists(n int, variance float64, fixed bool) []confirm.Finalist {
	kept := highest[confirm.Finalist]{most: n}
	for _, v := range a.variants {
		if v.runs == 0 {
			continue
		}
		runs := float64(v.runs)
		mean, _ := stats.Posterior(stats.Differences{N: runs, Sum: v.sum, Variance: variance}, stats.Differences{})
		if !kept.takes(mean) {
			continue
		}
		f := confirm.Finalist{Variant: v.id, Gain: v.sum / runs, SD: math.Sqrt(variance / runs)}
		if fixed { // what is left to learn is the other tasks
			f.SD *= math.Sqrt(1 - runs/float64(len(a.points)))
		}
		kept.add(f, mean)
	}
	return kept.items
}

// void forgets all evidence on variants.
func (a *archive) void() { a.variants = nil }
