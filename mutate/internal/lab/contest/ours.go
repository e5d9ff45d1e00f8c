package contest

import (
	"container/heap"

	"evolve/mutate"
)

// ours runs the project's searcher. Every evaluation in flight takes as many seconds as the
// problem states, and the search receives the results in the order in which the evaluations
// end. If the budget is an amount of money, the number of evaluations is forecast again
// from time to time, as in a night.
func ours(d *Desk, inFlight int, selection string, history earlier) (Outcome, error) {
	p := d.Problem
	o := mutate.Options{Space: p.Space, Champion: p.Default(), Budget: d.Budget, Seed: d.Seed, Selection: selection}
	if p.Fixed || p.Measured != nil { // scores have no randomness
		o.MaxRepeats = 1
	}
	index := map[string]int{}
	for j, t := range p.Tasks {
		index[t.ID] = j
		o.Tasks = append(o.Tasks, mutate.Task{ID: t.ID, Domain: t.Domain, Weight: t.Weight})
	}
	o.History = history(d)
	s, err := mutate.New(o)
	if err != nil {
		return Outcome{}, err
	}
	var flying flights
	now := 0.0
	replan := max(inFlight, d.Budget/20)
	for {
		if len(flying) < inFlight {
			if trial, status := s.Ask(); status == mutate.Ready {
				r, ok := d.buy(trial.Config, index[trial.Task], trial.Repeat)
				if !ok { // a priced problem can be more expensive than forecast
					s.Resize(d.bought)
					continue
				}
				if d.unit > 0 && d.bought >= replan {
					s.Resize(d.forecast())
					replan = d.bought + max(inFlight, (d.forecast()-d.bought)/20)
				}
				heap.Push(&flying, flight{now + r.Seconds, trial.N, mutate.Observation{
					Trial: trial, Scored: true, Score: r.Score, CostUSD: r.CostUSD, Seconds: r.Seconds,
				}})
				continue
			}
		}
		if len(flying) == 0 {
			return recommended(s.Recommend()), nil
		}
		f := heap.Pop(&flying).(flight)
		now = f.ends
		s.Tell(f.result)
	}
}

func recommended(r mutate.Recommendation) Outcome {
	out := Outcome{Config: r.Best.Config, Claimed: r.Best.Score}
	for _, f := range r.Finalists {
		out.Finalists = append(out.Finalists, f.Config)
	}
	if r.Random.Evaluations > 0 {
		out.Baseline = r.Random.Config
	}
	return out
}

// flight is an evaluation in progress.
type flight struct {
	ends   float64
	n      int64
	result mutate.Observation
}

// flights is a heap ordered by end time, earliest first.
type flights []flight

func (f flights) Len() int { return len(f) }
func (f flights) Less(a, b int) bool {
	return f[a].ends < f[b].ends || f[a].ends == f[b].ends && f[a].n < f[b].n
}
func (f flights) Swap(a, b int) { f[a], f[b] = f[b], f[a] }
func (f *flights) Push(x any)   { *f = append(*f, x.(flight)) }
func (f *flights) Pop() any {
	old := *f
	last := old[len(old)-1]
	*f = old[:len(old)-1]
	return last
}
