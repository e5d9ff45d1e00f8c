package ablation

import (
	"math"

	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// spot is a place of comparison: a task, by its index, with a repeat.
type spot struct{ task, repeat int }

// evidence holds every score by config and spot; NaN for an evaluation without a score.
type evidence struct {
	tasks []mutate.Task
	index map[string]int
	by    map[agent.ConfigID]map[spot]float64
}

func newEvidence(tasks []mutate.Task) *evidence {
	e := &evidence{tasks: tasks, index: make(map[string]int, len(tasks)), by: map[agent.ConfigID]map[spot]float64{}}
	for i, t := range tasks {
		e.index[t.ID] = i
	}
	return e
}

// add adds a result; the first one for a spot is kept.
func (e *evidence) add(o mutate.Observation) {
	task, ok := e.index[o.Trial.Task]
	if !ok || o.Trial.Repeat < 0 {
		return
	}
	score := math.NaN()
	if o.Scored && o.Score >= 0 && o.Score <= 1 {
		score = o.Score
	}
	scores := e.by[o.Trial.Variant]
	if scores == nil {
		scores = map[spot]float64{}
		e.by[o.Trial.Variant] = scores
	}
	at := spot{task, o.Trial.Repeat}
	if _, twice := scores[at]; !twice {
		scores[at] = score
	}
}

// has reports whether a config was evaluated at a spot.
func (e *evidence) has(id agent.ConfigID, at spot) bool {
	_, ok := e.by[id][at]
	return ok
}

// pairs returns the scores of configs a and b at the spots where both have one.
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

// score returns the score of a config at a spot; false if there is none.
func (e *evidence) score(id agent.ConfigID, at spot) (float64, bool) {
	v, ok := e.by[id][at]
	return v, ok && !math.IsNaN(v)
}

// weight returns the weight of a spot's task, 1 if it is not positive.
func (e *evidence) weight(at spot) float64 {
	if w := e.tasks[at.task].Weight; w > 0 && !math.IsInf(w, 0) {
		return w
	}
	return 1
}

// scored returns the number of scored evaluations of a config.
func (e *evidence) scored(id agent.ConfigID) int {
	n := 0
	for _, score := range e.by[id] {
		if !math.IsNaN(score) {
			n++
		}
	}
	return n
}
