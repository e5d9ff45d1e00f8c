package night

import (
	"context"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate/evidence"
)

// reruns returns the number of evaluations that the reruns make on each task: two with the
// champion and, if an adoption replaced a config, one with the config that the latest
// adoption replaced.
func (s *Spec) reruns() int {
	if s.Replaced != nil {
		return 3
	}
	return 2
}

// rerunChampion evaluates the champion twice on fresh repeats of search tasks and,
// alongside it, the config that the latest adoption replaced. If an agent's repeats yield
// no new evidence, it evaluates neither, because there is nothing to compare. If the plan
// depends on how much time and money evaluations take, the first few evaluations measure
// that, and more follow.
func (n *night) rerunChampion(ctx context.Context) error {
	if n.Agent.Fixed() {
		return n.measureChange(ctx)
	}
	settled := 0
	defer func() { n.aa = &settled }()
	first := aaRepeats + 2*n.Run.Number
	rest := slices.Clone(n.sample.Search)
	var done []*bench.Task
	var evals []bench.Evaluation
	for {
		tasks := panel(rest, n.Panel, n.Plan.AA/n.reruns()-len(done))
		if len(tasks) == 0 {
			break
		}
		jobs := make([]bench.Job, 0, n.reruns()*len(tasks))
		for _, t := range tasks {
			job := bench.Job{Variant: n.Plan.Champion, Config: n.Agent.Champion, Task: t, Repeat: first, Stage: bench.StageAA}
			for side := range n.reruns() {
				if job.Seq = seqAA + int64(settled+len(jobs)); side < 2 {
					job.Repeat = first + side
				} else {
					job.Variant, job.Config, job.Repeat = n.Replaced.ID(), n.Replaced, first
				}
				jobs = append(jobs, job)
			}
		}
		made, err := n.batch(ctx, "aa", jobs, settled, settled+len(jobs))
		settled += len(jobs)
		var pairs []bench.Evaluation
		for i := 0; i+2 <= len(made); i += n.reruns() {
			pairs = append(pairs, made[i], made[i+1])
		}
		done, evals = append(done, tasks...), append(evals, pairs...)
		if err := n.findInert(ctx, pairs); err != nil {
			return err
		}
		n.compareReruns(done, evals)
		if err != nil || !n.Share.adaptive() {
			return err
		}
		rest = slices.DeleteFunc(rest, func(t *bench.Task) bool { return slices.Contains(tasks, t) })
		n.replan()
	}
	return nil
}

// measureChange evaluates the champion of an agent without randomness on some of the
// search tasks: those that have a score for the previously active config or agent, but
// none for the present one.
func (n *night) measureChange(ctx context.Context) error {
	var jobs []bench.Job
	for _, id := range n.Watch {
		if t := n.tasks[id]; t != nil && t.Split == bench.Search && len(jobs) < n.Plan.AA {
			jobs = append(jobs, bench.Job{
				Variant: n.Plan.Champion, Config: n.Agent.Champion, Task: t, Stage: bench.StageAA, Seq: seqAA + int64(len(jobs)),
			})
		}
	}
	settled := len(jobs)
	n.aa = &settled
	_, err := n.batch(ctx, "aa", jobs, 0, len(jobs))
	return err
}

// compareReruns stores the comparison of pairs of the champion's reruns, in the order of
// their tasks.
func (n *night) compareReruns(tasks []*bench.Task, evals []bench.Evaluation) {
	has := evidence.New(evidence.Tasks(tasks), nil)
	var repeats archive.Repeats
	for i := 0; i+1 < len(evals); i += 2 {
		a, b := evals[i], evals[i+1]
		has.Add(a, b)
		if a.Scored && b.Scored && a.Answer != "" { // if there is only a score, there is no answer to compare
			repeats.Tasks++
			if a.Answer == b.Answer && a.Outcome == b.Outcome && a.Score == b.Score {
				repeats.Same++
			}
		}
	}
	if list := has.Pairs(); len(list) > 0 {
		noise := stats.NoiseFloor(list, shownLevel)
		n.result.AA, n.result.Repeats = &noise, &repeats
	}
}

// panel selects k tasks and returns them in the order of the list. It prefers the tasks
// that were measured in the largest number of nights, because nights can be compared only
// on common tasks, and selects evenly from the list among tasks that were measured
// equally often.
func panel(tasks []*bench.Task, nights map[string]int, k int) []*bench.Task {
	times := map[int][]*bench.Task{}
	for _, t := range tasks {
		times[nights[t.ID]] = append(times[nights[t.ID]], t)
	}
	chosen := map[*bench.Task]bool{}
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(times))) {
		for _, t := range spread(times[n], k-len(chosen)) {
			chosen[t] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(tasks), func(t *bench.Task) bool { return !chosen[t] })
}

// spread selects k tasks evenly from the list, so that no domain is left out.
func spread(tasks []*bench.Task, k int) []*bench.Task {
	if k >= len(tasks) {
		return slices.Clone(tasks)
	}
	k = max(0, k)
	out := make([]*bench.Task, 0, k)
	for i := range k {
		out = append(out, tasks[i*len(tasks)/k])
	}
	return out
}
