package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// rejectionsKept is how many variants are listed with what stopped them.
const rejectionsKept = 10

func (b *builder) honesty() error {
	h := &b.out.Honesty
	h.Variants = len(b.tally.search)
	for _, v := range b.tally.search {
		h.Evaluations += v.count
	}
	h.Exhausted = b.result.Search.Exhausted
	h.Champion = b.result.Search.Champion.Score
	h.Confirmations = len(b.result.Finalist)
	if b.headline >= 0 {
		h.Method = "paired by task, standard error by cluster, Holm over the finalists, one-sided"
		h.ErrorRate = (1 - b.result.Finalist[b.headline].Comparison.Level) / 2
	}
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
	for _, p := range b.result.Search.Curve {
		random := b.tally.random(p.Evaluations)
		q := Point{Evaluations: p.Evaluations - random, Best: p.Best, RandomEvals: random}
		if random > 0 {
			q.Random = p.Random
		}
		b.out.Curve = append(b.out.Curve, q)
	}
	if r := b.result.Search.Baseline; r != nil && r.Evaluations > 0 {
		base := &Baseline{Variant: b.ref(r.Variant), Score: r.Score, Lo: r.Lo, Hi: r.Hi, Evaluations: len(b.tally.drawn)}
		base.Search, base.Known = b.atSpend(base.Evaluations)
		h.Baseline = base
	}
	return nil
}

// atSpend is the search's best estimate when it had spent that much.
func (b *builder) atSpend(evaluations int) (float64, bool) {
	if evaluations == 0 {
		return 0, false
	}
	best, found := 0.0, false
	for _, p := range b.out.Curve {
		if p.Evaluations > evaluations {
			break
		}
		best, found = p.Best, true
	}
	return best, found
}

// reject lists the finalists that lost, then the variants on which the search
// spent most, each with what stopped it.
func (b *builder) reject() error {
	listed := map[agent.ConfigID]bool{b.plan.Champion: true}
	if b.result.Verdict == "adopt" && b.headline >= 0 {
		listed[b.result.Finalist[b.headline].Variant] = true
	}
	for _, f := range b.result.Finalist {
		if listed[f.Variant] {
			continue
		}
		listed[f.Variant] = true
		r := b.rejection(f.Variant)
		e := effect(f.Comparison)
		r.Holdout, r.Reason = &e, finding(f)
		if f.Accepted {
			r.Reason = "better than the champion too; another's lower bound is higher"
		}
		b.out.Rejected = append(b.out.Rejected, r)
	}
	var rest []Rejection
	for id := range b.tally.search {
		if !listed[id] {
			rest = append(rest, Rejection{Variant: Ref{ID: id}, Evaluations: b.tally.search[id].count})
		}
	}
	for i := range rest {
		rest[i].Shared, rest[i].Difference = b.tally.against(b.plan.Champion, rest[i].Variant.ID)
	}
	slices.SortFunc(rest, func(x, y Rejection) int {
		return cmp.Or(cmp.Compare(y.Evaluations, x.Evaluations), cmp.Compare(y.Difference, x.Difference),
			strings.Compare(string(x.Variant.ID), string(y.Variant.ID)))
	})
	room := max(0, rejectionsKept-len(b.out.Rejected))
	b.out.Unlisted = max(0, len(rest)-room)
	for _, r := range first(rest, room) {
		full := b.rejection(r.Variant.ID)
		full.Reason = b.stopped(full)
		b.out.Rejected = append(b.out.Rejected, full)
	}
	return nil
}

func (b *builder) rejection(id agent.ConfigID) Rejection {
	v := b.variant(id)
	r := Rejection{Variant: Ref{ID: id, Number: v.Number}, Operator: v.Operator}
	if t := b.tally.search[id]; t != nil {
		r.Evaluations = t.count
	}
	r.Shared, r.Difference = b.tally.against(b.plan.Champion, id)
	return r
}

// stopped says what kept a variant out of the confirmation, as far as records tell.
func (b *builder) stopped(r Rejection) string {
	switch {
	case r.Shared == 0:
		return "never on a task the champion was on"
	case r.Difference <= 0:
		return "no gain in the search"
	case len(b.result.Finalist) == 0:
		return "not confirmed: no finalist went to the holdout"
	}
	return fmt.Sprintf("behind the %s", some(len(b.result.Finalist), "finalist"))
}
