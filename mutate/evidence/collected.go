package evidence

import (
	"evolve/archive"
	"evolve/bench"
	"evolve/bench/metrics"
	"evolve/bench/stats"
)

// Collected is the evidence about a candidate: its pairs with the champion, keyed by
// task, from complete blocks only.
type Collected struct {
	order []archive.GroundTask
	by    map[string]*stats.Pair
	// blocks counts the complete blocks, and tonight counts the blocks of the current
	// run.
	blocks, tonight int
	// night is the index of the run whose pairs are being added.
	night int
	// guards are the bounds that the ruling checks.
	guards []stats.Bound
	// metric is the metric that the scores measure; nil if there is none.
	metric *metrics.Kind
}

// newFor returns a Collected without pairs, for a ruling on the given grounds.
func newFor(g archive.Grounds) *Collected {
	e := New(g.Tasks, g.Bounds)
	e.metric = g.Metric
	return e
}

// New returns a Collected without pairs. guards are the bounds that a ruling on it checks.
func New(tasks []archive.GroundTask, guards []stats.Bound) *Collected {
	e := &Collected{order: tasks, by: make(map[string]*stats.Pair, len(tasks)), guards: guards}
	for _, t := range tasks {
		e.by[t.ID] = &stats.Pair{Task: t.ID, Domain: t.Domain, Cluster: t.Cluster, Weight: t.Weight}
	}
	return e
}

// Tasks returns the fields of tasks that a ruling uses, in the order of the tasks.
func Tasks(list []*bench.Task) []archive.GroundTask {
	out := make([]archive.GroundTask, len(list))
	for i, t := range list {
		out[i] = archive.GroundTask{ID: t.ID, Domain: t.Domain, Cluster: t.Unit(), Weight: t.Importance()}
	}
	return out
}

// Add adds one pair of evaluations of the same task and repeat, the champion's evaluation
// first. If only one side has a score, that score is stored separately.
func (e *Collected) Add(a, b bench.Evaluation) {
	pair, ok := e.by[a.Task]
	switch {
	case !ok || !a.Scored && !b.Scored:
		return
	case !b.Scored:
		pair.AloneA = append(pair.AloneA, a.Score)
		return
	case !a.Scored:
		pair.AloneB = append(pair.AloneB, b.Score)
		return
	}
	pair.A, pair.B, pair.Nights = append(pair.A, a.Score), append(pair.B, b.Score), append(pair.Nights, e.night)
	pair.FailedA, pair.FailedB = append(pair.FailedA, !a.Outcome.Gradable()), append(pair.FailedB, !b.Outcome.Gradable())
	pair.CostA, pair.CostB = append(pair.CostA, a.Usage.CostUSD), append(pair.CostB, b.Usage.CostUSD)
	pair.LatencyA, pair.LatencyB = append(pair.LatencyA, a.AnswerSeconds()), append(pair.LatencyB, b.AnswerSeconds())
	e.consumed(pair, a, b)
	if e.metric != nil {
		pair.Values.A, pair.Values.B = append(pair.Values.A, e.metric.Find(a.Answer)), append(pair.Values.B, e.metric.Find(b.Answer))
		pair.Further = stats.AddFurther(pair.Further, e.metric.FindFurther(a.Answer), e.metric.FindFurther(b.Answer))
	}
}

// consumed adds the two values of each guarded metric that has no field of its own in
// [stats.Pair].
func (e *Collected) consumed(pair *stats.Pair, a, b bench.Evaluation) {
	for _, g := range e.guards {
		m, ok := bench.MetricOf(g.Name)
		if !ok || m.Name == bench.MetricCost || m.Name == bench.MetricLatency {
			continue
		}
		if pair.Other == nil {
			pair.Other = map[string]stats.Measured{}
		}
		was := pair.Other[m.Name]
		pair.Other[m.Name] = stats.Measured{A: append(was.A, m.Of(&a)), B: append(was.B, m.Of(&b))}
	}
}

// Pairs returns the pairs of each task that has at least one score, in task order.
func (e *Collected) Pairs() []stats.Pair {
	var out []stats.Pair
	for _, t := range e.order {
		if pair := e.by[t.ID]; len(pair.A)+len(pair.AloneA)+len(pair.AloneB) > 0 {
			out = append(out, *pair)
		}
	}
	return out
}

// Differences summarises the differences in score, candidate minus champion, over all
// pairs; variance is the variance of a single difference.
func (e *Collected) Differences(variance float64) stats.Differences {
	d := stats.Differences{Variance: variance}
	for _, t := range e.order {
		pair := e.by[t.ID]
		for i := range pair.A {
			d.N++
			d.Sum += pair.B[i] - pair.A[i]
		}
	}
	return d
}

// Judge returns the ruling on the evidence, using the agent's guards.
func (e *Collected) Judge(variant string, rule stats.Rule) stats.Ruling {
	rule.Guards = e.guards
	return stats.Judge(variant, e.Pairs(), rule)
}

// Blocks returns the number of complete blocks, and the number of blocks from the current
// run.
func (e *Collected) Blocks() (all, tonight int) { return e.blocks, e.tonight }
