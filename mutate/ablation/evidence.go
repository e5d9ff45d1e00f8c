package ablation

import (
	"iter"
	"math"

	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// spot identifies an evaluation of a config: the index of the task, and the repeat.
type spot struct{ task, repeat int }

// evidence holds scores by config and spot; NaN stands for an evaluation without a score. A
// long search may have a million evaluations that are known at the start. Of these,
// evidence stores only those of the few configs that were looked up.
type evidence struct {
	tasks []mutate.Task
	index map[string]int
	by    map[agent.ConfigID]map[spot]float64
	// known yields, before any others, the evaluations that were known at the start;
	// count is their number. unread holds the configs whose known evaluations have not
	// been added to the map by.
	known  iter.Seq[mutate.Observation]
	count  int
	unread map[agent.ConfigID]bool
}

func newEvidence(tasks []mutate.Task, known iter.Seq[mutate.Observation]) *evidence {
	e := &evidence{
		tasks: tasks, index: make(map[string]int, len(tasks)), by: map[agent.ConfigID]map[spot]float64{},
		known: known, unread: map[agent.ConfigID]bool{},
	}
	for i, t := range tasks {
		e.index[t.ID] = i
	}
	for o := range known {
		e.count++
		e.unread[o.Trial.Variant] = true
	}
	return e
}

// start yields the valid evaluations that were known at the start, with their spots and
// scores.
func (e *evidence) start(yield func(id agent.ConfigID, at spot, score float64)) {
	n := 0
	for o := range e.known {
		if n++; n > e.count {
			return // added since
		}
		if at, score, ok := e.read(o); ok {
			yield(o.Trial.Variant, at, score)
		}
	}
}

// read returns the spot and the score of an observation, or false if it has no spot.
func (e *evidence) read(o mutate.Observation) (spot, float64, bool) {
	task, ok := e.index[o.Trial.Task]
	if !ok || o.Trial.Repeat < 0 {
		return spot{}, 0, false
	}
	score := math.NaN()
	if o.Scored && o.Score >= 0 && o.Score <= 1 {
		score = o.Score
	}
	return spot{task, o.Trial.Repeat}, score, true
}

// of returns a config's scores, keyed by spot, or nil if the config has none. It reads
// the config's known evaluations when it is first called for the config.
func (e *evidence) of(id agent.ConfigID) map[spot]float64 {
	if e.unread[id] {
		delete(e.unread, id)
		e.start(func(of agent.ConfigID, at spot, score float64) {
			if of == id {
				e.put(id, at, score)
			}
		})
	}
	return e.by[id]
}

// put stores a score unless the spot already has one.
func (e *evidence) put(id agent.ConfigID, at spot, score float64) {
	scores := e.by[id]
	if scores == nil {
		scores = map[spot]float64{}
		e.by[id] = scores
	}
	if _, twice := scores[at]; !twice {
		scores[at] = score
	}
}

// add adds a result. Only the first result for a spot is stored.
func (e *evidence) add(o mutate.Observation) {
	if at, score, ok := e.read(o); ok {
		e.of(o.Trial.Variant)
		e.put(o.Trial.Variant, at, score)
	}
}

// ease returns, for each task, the mean score of the evaluations that were known at the
// start and are at one of the given spots. The spots must all have different tasks.
func (e *evidence) ease(spots []spot) []float64 {
	at := map[spot]bool{}
	for _, s := range spots {
		at[s] = true
	}
	sum, count := make([]float64, len(e.tasks)), make([]float64, len(e.tasks))
	seen := map[agent.ConfigID][]bool{} // by task
	e.start(func(id agent.ConfigID, s spot, score float64) {
		if !at[s] {
			return
		}
		if seen[id] == nil {
			seen[id] = make([]bool, len(e.tasks))
		}
		if !seen[id][s.task] && !math.IsNaN(score) {
			// The scores are summed as integers, in thousandths, because such sums do not
			// depend on the order of summation.
			sum[s.task] += math.Round(1000 * score)
			count[s.task]++
		}
		seen[id][s.task] = true
	})
	for j := range sum {
		sum[j] /= max(1, count[j])
	}
	return sum
}

// has reports whether a config was evaluated at a spot.
func (e *evidence) has(id agent.ConfigID, at spot) bool {
	_, ok := e.of(id)[at]
	return ok
}

// pairs returns the scores of configs a and b at the spots where both have a score.
func (e *evidence) pairs(a, b agent.ConfigID, spots []spot) []stats.Pair {
	byTask := map[int]int{}
	var out []stats.Pair
	for _, at := range spots {
		reference, there := e.score(a, at)
		score, here := e.score(b, at)
		if !there || !here {
			continue
		}
		k, ok := byTask[at.task]
		if !ok {
			t := e.tasks[at.task]
			k = len(out)
			byTask[at.task] = k
			out = append(out, stats.Pair{Task: t.ID, Domain: t.Domain, Cluster: t.Cluster, Weight: t.Weight})
		}
		out[k].A, out[k].B = append(out[k].A, reference), append(out[k].B, score)
	}
	return out
}

// score returns the score of a config at a spot, or false if there is none.
func (e *evidence) score(id agent.ConfigID, at spot) (float64, bool) {
	v, ok := e.of(id)[at]
	return v, ok && !math.IsNaN(v)
}

// weight returns the weight of a spot's task, or 1 if that weight is not a positive finite
// number.
func (e *evidence) weight(at spot) float64 {
	if w := e.tasks[at.task].Weight; w > 0 && !math.IsInf(w, 0) {
		return w
	}
	return 1
}

// scored returns the number of evaluations of a config that have a score.
func (e *evidence) scored(id agent.ConfigID) int {
	n := 0
	for _, score := range e.of(id) {
		if !math.IsNaN(score) {
			n++
		}
	}
	return n
}
