package nights

import (
	"fmt"
	"math"

	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

const (
	// screening is the share of the search's evaluations that is divided equally among
	// tonight's variants; the rest is used for the successive halving of the best variants
	// in the whole archive.
	screening = 0.4
	kept      = 16
	rounds    = 4
)

// archive holds the evaluations of a world's search.
type archive struct {
	variants []*variant
	byID     map[agent.ConfigID]*variant
	// points and runs are the champion's points and number of runs, by search task.
	points, runs []int
}

func newArchive(tasks int) *archive {
	return &archive{byID: map[agent.ConfigID]*variant{}, points: make([]int, tasks), runs: make([]int, tasks)}
}

// searchNight spends up to budget evaluations on search tasks, by screening and
// successive halving, and returns the number spent.
func (l *simulation) searchNight(a *archive, budget int) int {
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

// refresh runs the champion once on every search task; a fixed champion is run only on the
// first night.
func (l *simulation) refresh(a *archive, budget int) int {
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

// run makes n runs of a variant on its next search tasks.
func (l *simulation) run(a *archive, v *variant, n int) int {
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

// champion returns the champion's mean score on a search task, shrunk towards ½.
func (a *archive) champion(task, items int) float64 {
	return (float64(a.points[task])/float64(items) + .5) / (float64(a.runs[task]) + 1)
}

// best returns the n variants with the highest mean + sd, in descending order; of equal
// ones, the one proposed earlier comes first.
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

// add adds variants and sets their ids.
func (a *archive) add(list ...*variant) {
	for _, v := range list {
		v.id = agent.ConfigID(fmt.Sprintf("variant %d", len(a.byID)+1))
		a.byID[v.id] = v
	}
	a.variants = append(a.variants, list...)
}

func (a *archive) variant(id agent.ConfigID) *variant { return a.byID[id] }

// score returns the champion's score, the mean over all search tasks.
func (a *archive) score(items int) float64 {
	var sum float64
	for i := range a.points {
		sum += a.champion(i, items)
	}
	return sum / float64(len(a.points))
}

// finalists returns the n variants with the highest posterior means, in descending order,
// as a search recommends them. The means are computed only from the variants' runs on
// search tasks.
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
		if fixed { // only the tasks not yet run are uncertain
			f.SD *= math.Sqrt(1 - runs/float64(len(a.points)))
		}
		kept.add(f, mean)
	}
	return kept.items
}

// void drops all evidence about variants.
func (a *archive) void() { a.variants = nil }
