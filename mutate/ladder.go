package mutate

// ladder gives variants evaluations step by step, without waiting for a
// generation: every variant gets the first rung's, and of every four that finished
// a rung the best that waits there goes on (after asynchronous successive halving,
// Li et al. 2020). One ladder serves the search, another the random baseline.
type ladder struct {
	// rungs are cumulative numbers of evaluations.
	rungs []int
	// reached counts the arms that finished a rung, lifted those that went on.
	reached, lifted []int
	// waiting are those that finished it and did not go on yet.
	waiting [][]*arm
	// queue holds arms that are to get more evaluations, in order.
	queue []*arm
}

// lift is the share of a rung that goes on: one in so many.
const lift = 4

// newLadder makes the rungs from the first up to most evaluations.
func newLadder(first, most int) *ladder {
	l := &ladder{}
	for n := first; ; n *= lift {
		l.rungs = append(l.rungs, min(n, most))
		if n >= most {
			break
		}
	}
	n := len(l.rungs)
	l.reached, l.lifted, l.waiting = make([]int, n), make([]int, n), make([][]*arm, n)
	return l
}

func (l *ladder) top() int { return l.rungs[len(l.rungs)-1] }

// enter puts a new arm on the first rung.
func (l *ladder) enter(a *arm) {
	a.target = max(a.target, l.rungs[0])
	l.queue = append(l.queue, a)
}

// finished notes when an arm has got as far as its rung asks. An evaluation
// without a score counts: an arm does not wait for data that will never come.
func (l *ladder) finished(a *arm) {
	if k := a.rung; a.told >= l.rungs[k] && a.waits != k+1 {
		a.waits = k + 1
		l.reached[k]++
		l.waiting[k] = append(l.waiting[k], a)
	}
}

// next is the arm at the head of the queue that still wants evaluations.
func (l *ladder) next(s *search) *arm {
	for len(l.queue) > 0 {
		a := l.queue[0]
		if a.asked < a.target && s.open(a) {
			return a
		}
		l.queue = l.queue[1:]
	}
	return nil
}

// promote lifts the best arm of the highest rung that has one to spare; nil when
// none has.
func (l *ladder) promote() *arm {
	for k := len(l.rungs) - 2; k >= 0; k-- {
		if l.reached[k]/lift <= l.lifted[k] || len(l.waiting[k]) == 0 {
			continue
		}
		list, best := l.waiting[k], 0
		for i, a := range list {
			if a.mean > list[best].mean || a.mean == list[best].mean && a.index < list[best].index {
				best = i
			}
		}
		a := list[best]
		list[best] = list[len(list)-1]
		l.waiting[k] = list[:len(list)-1]
		l.lifted[k]++
		a.rung = k + 1
		a.target = max(a.target, l.rungs[k+1])
		l.queue = append(l.queue, a)
		l.finished(a) // it may have had them already
		return a
	}
	return nil
}
