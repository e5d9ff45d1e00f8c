package model

import (
	"errors"
	"math"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

func (b *builder) honesty() error {
	h := &b.out.Honesty
	for _, v := range b.tally.tried.variants {
		if v.searched > 0 {
			h.Variants++
			h.Evaluations += v.searched
		}
	}
	h.Exhausted = b.result.Search.Exhausted
	h.Champion = b.result.Search.Champion.Score
	h.Confirmations = len(b.result.Finalist)
	b.control()
	runs, variants := map[string]bool{}, map[agent.ConfigID]bool{}
	for e, err := range b.src.Exposures(b.ctx, b.out.Agent) {
		if err != nil {
			return err
		}
		if e.SuiteHash != b.plan.SuiteHash || !b.earlier[e.Run] {
			continue
		}
		runs[e.Run] = true
		for _, id := range e.Variants {
			if id != b.plan.Champion {
				variants[id] = true
			}
		}
	}
	h.Opened, h.Confirmed = len(runs), len(variants)
	if err := b.worn(); err != nil {
		return err
	}
	b.curve()
	b.front()
	if r := b.result.Search.Baseline; r != nil && r.Evaluations > 0 {
		h.Baseline = &Baseline{
			Scored: b.scored(*r), Evaluations: b.tally.drawn,
			Equal: b.match(b.result.Search.Equal), End: b.match(b.result.Search.End),
		}
	}
	return nil
}

// curve fills in the variants that were recommended in the course of the search. Points
// without a recorded variant are left out, because their estimates suffer from selection
// bias.
func (b *builder) curve() {
	for _, p := range b.result.Search.Curve {
		if p.Variant == "" {
			continue
		}
		q := Point{Evaluations: p.Evaluations - p.RandomEvals, Variant: b.ref(p.Variant), Best: p.Best, RandomEvals: p.RandomEvals}
		if p.RandomVariant != "" {
			q.Random = p.Random
		}
		b.out.Curve = append(b.out.Curve, q)
	}
}

func (b *builder) match(m *archive.Match) *Match {
	if m == nil {
		return nil
	}
	paired, tasks := b.tally.tried.paired(m.Random.Variant, m.Search.Variant)
	return &Match{
		Paired: paired, PairedTasks: tasks,
		Search: Side{b.scored(m.Search), m.SearchSpent}, Random: Side{b.scored(m.Random), m.RandomSpent},
		Difference: m.Difference, Lo: m.Lo, Hi: m.Hi, Common: m.Common,
	}
}

// control fills in the error control across nights, and what remains of its budget.
func (b *builder) control() {
	h := &b.out.Honesty
	if b.headline >= 0 {
		f := b.result.Finalist[b.headline]
		h.Method = "paired by task, standard error by cluster, Holm over the finalists, one-sided"
		h.ErrorRate = (1 - f.Comparison.Level) / 2
		if f.Ruling != nil {
			h.Method = "both sides run in turn on every held-out task, with evidence that is valid at any stopping time and a level for each confirmation"
			if f.Ruling.Fixed {
				h.Method = "each held-out task runs once on both sides, because a repeat would give the same score; Student's t over independent tasks, with a level for each confirmation"
			}
			h.ErrorRate = math.Exp(-f.Ruling.Threshold)
		}
	}
	if e := b.result.Entries; e != nil {
		h.Entries = &Entries{Days: e.Days, Most: e.Most, Used: e.Used, Left: max(0, e.Most-e.Used), Level: e.Level, Alpha: e.Alpha}
	}
}

// worn counts the adoptions that this holdout has decided, up to this run.
func (b *builder) worn() error {
	h := &b.out.Honesty
	for p, err := range b.src.Proposals(b.ctx) {
		if err != nil {
			return err
		}
		made := p.State == archive.Adopted || p.State == archive.RolledBack
		if !made || p.Kind != archive.KindConfig || p.Agent != b.out.Agent || !b.earlier[p.Run] {
			continue
		}
		plan, err := b.src.Plan(b.ctx, p.Run, p.Agent)
		if err != nil && !errors.Is(err, archive.ErrNotFound) {
			return err
		}
		if err == nil && plan.SuiteHash == b.plan.SuiteHash {
			h.Adopted++
		}
	}
	h.Advice = stats.Worn(h.Confirmed, h.Adopted)
	return nil
}
