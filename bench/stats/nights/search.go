package nights

import "slices"

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
	// Points of the champion and its runs, by search task.
	points, runs []int
}

func newArchive(tasks int) *archive {
	return &archive{points: make([]int, tasks), runs: make([]int, tasks)}
}

// searchNight spends up to budget evaluations on search tasks, with the plain allocation of
// spec 9.2, and returns how many it spent.
func (l *land) searchNight(a *archive, budget int) int {
	spent := l.refresh(a, budget)
	tonight := make([]*variant, l.Variants)
	for i := range tonight {
		tonight[i] = l.propose(l.Gain > 0 && i == 0)
	}
	a.variants = append(a.variants, tonight...)
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
	list := make([]*variant, 0, n+1)
	uppers := make([]float64, 0, n+1)
	for _, v := range a.variants {
		if v.ended {
			continue
		}
		mean, sd := v.posterior(variance)
		upper := mean + sd
		if len(list) == n && upper <= uppers[n-1] {
			continue
		}
		at, _ := slices.BinarySearchFunc(uppers, upper, func(u, upper float64) int {
			if u >= upper {
				return -1
			}
			return 1
		})
		list, uppers = slices.Insert(list, at, v), slices.Insert(uppers, at, upper)
		list, uppers = list[:min(n, len(list))], uppers[:min(n, len(uppers))]
	}
	return list
}

// void forgets all evidence on variants.
func (a *archive) void() { a.variants = nil }
