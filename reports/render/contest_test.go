package render

import (
	"fmt"

	"evolve/archive"
	"evolve/bench"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// contest describes the confirmation that is simulated for a night: for each arm and
// task, the chance of a pass.
type contest struct {
	plan      archive.AgentPlan
	champion  agent.ConfigID
	finalists []agent.ConfigID
	claimed   []float64
	holdout   []task
	blocks    int
	chance    func(arm int, t task, i int) float64
	costs     []float64 // USD by arm; nil means the usual costs
}

// past is the evidence for a candidate from all nights so far.
type past struct {
	entry archive.Candidate
	pairs []stats.Pair
}

// toolsOf returns the tools that an arm calls.
func toolsOf(arm int) []string {
	return [][]string{{"recall", "search_docs", "calculate"}, {"recall", "grep", "read_file", "calculate"}, {"recall", "calculate"}}[arm]
}

// confirm records the evaluations of a contest and makes rulings on them as a night does.
func (w *world) confirm(c contest) archive.AgentResult {
	first := 0
	for _, id := range c.finalists {
		first = max(first, w.enter(c, id).entry.Blocks)
	}
	w.must(w.a.Expose(w.ctx, archive.Exposure{
		Agent: c.plan.Agent, Run: w.run.ID, SuiteHash: c.plan.SuiteHash, Variants: c.finalists, Tasks: len(c.holdout), FirstRepeat: first, Repeats: c.blocks, Time: night,
	}))
	for block := range c.blocks {
		for i, t := range c.holdout {
			w.block(c, first+block, i, t)
		}
	}
	if w.older {
		return w.ruledOnce(c)
	}
	return w.ruled(c)
}

// enter returns the entry of a candidate, and opens an entry if there is none.
func (w *world) enter(c contest, id agent.ConfigID) *past {
	if p := w.past[id]; p != nil {
		return p
	}
	entry := archive.Candidate{
		Agent: c.plan.Agent, Variant: id, Champion: c.champion, Run: w.run.ID, Time: w.run.Started,
		Holds: "8a5edab282632443", Alpha: stats.Monthly().Alpha(), Projected: 900,
	}
	if !w.older {
		var err error
		entry, err = w.a.EnterCandidate(w.ctx, entry)
		w.must(err)
	}
	p := &past{entry: entry, pairs: make([]stats.Pair, len(c.holdout))}
	for i, t := range c.holdout {
		p.pairs[i] = stats.Pair{Task: t.id, Domain: t.domain}
	}
	w.past[id] = p
	return p
}

// block runs every arm once on a task.
func (w *world) block(c contest, repeat, i int, t task) {
	var champion bench.Evaluation
	for arm := range 1 + len(c.finalists) {
		id := c.champion
		if arm > 0 {
			id = c.finalists[arm-1]
		}
		trial := trial{
			variant: id, task: t, repeat: repeat, stage: bench.StageConfirm, chance: c.chance(arm, t, i),
			tools: toolsOf(arm), answer: fmt.Sprintf("route %c", 'A'+arm),
		}
		if c.costs != nil {
			trial.cost = c.costs[arm]
		}
		e := w.evaluate(c.plan.Agent, trial)
		if arm == 0 {
			champion = e
			continue
		}
		p := &w.past[id].pairs[i]
		p.A, p.B = append(p.A, champion.Score), append(p.B, e.Score)
		p.CostA, p.CostB = append(p.CostA, champion.Usage.CostUSD), append(p.CostB, e.Usage.CostUSD)
		p.LatencyA, p.LatencyB = append(p.LatencyA, champion.Latency.Seconds()), append(p.LatencyB, e.Latency.Seconds())
	}
}

// ruledOnce judges every finalist once, at the end of the night, as older versions of
// evolve did.
func (w *world) ruledOnce(c contest) archive.AgentResult {
	res := archive.AgentResult{Run: w.run.ID, Agent: c.plan.Agent, SearchDone: true, Blocks: c.blocks, Verdict: archive.Adopt, Winner: c.finalists[0]}
	for i, id := range c.finalists {
		compared := stats.Compare(w.past[id].pairs, .95)
		res.Detectable = max(res.Detectable, compared.Detectable)
		res.Finalist = append(res.Finalist, archive.Finalist{
			Variant: id, Comparison: compared, SearchDifference: c.claimed[i], Adjusted: min(1, float64(len(c.finalists)-i)*compared.P), Accepted: i == 0,
		})
	}
	return res
}

// ruled judges every finalist by all of its evidence so far.
func (w *world) ruled(c contest) archive.AgentResult {
	month := stats.Monthly()
	res := archive.AgentResult{
		Run: w.run.ID, Agent: c.plan.Agent, SearchDone: true, Blocks: c.blocks,
		Entries: &archive.EntryLedger{Days: month.Days, Most: month.Entries, Used: len(w.past), Level: month.Level, Alpha: month.Alpha()},
	}
	var rulings []stats.Ruling
	for i, id := range c.finalists {
		p := w.past[id]
		r := stats.Judge(string(id), p.pairs, stats.Rule{Alpha: p.entry.Alpha, Cap: p.entry.Projected, Guards: stats.DefaultBounds()})
		p.entry.Runs = append(p.entry.Runs, w.run.ID)
		p.entry.State, p.entry.Blocks, p.entry.LogE, p.entry.Reason = r.State, r.Blocks, r.LogE, r.Reason
		w.must(w.a.PutCandidate(w.ctx, p.entry, w.run.Started))
		rulings = append(rulings, r)
		res.Finalist = append(res.Finalist, archive.Finalist{
			Variant: id, Comparison: r.Comparison, SearchDifference: c.claimed[i], Accepted: r.State == stats.Proven, Reason: r.Reason,
			Ruling: &r, Runs: append([]string(nil), p.entry.Runs...),
		})
	}
	pairs := float64(c.blocks * len(c.holdout))
	done := stats.Conclude(rulings, stats.Circumstances{Searched: true, Design: stats.Design{
		Tasks: len(c.holdout), Units: len(c.holdout), Tonight: pairs, Month: 30 * pairs, Alpha: month.Alpha(),
	}})
	res.Verdict, res.Reason, res.Causes, res.Detectable = done.Verdict, done.Sentence, done.Causes, done.Detectable
	if done.Winner >= 0 {
		res.Winner = c.finalists[done.Winner]
	}
	return res
}
