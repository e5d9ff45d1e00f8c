package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Rejection is a variant that was tried and is not recommended.
type Rejection struct {
	Variant  Ref    `json:"variant"`
	Operator string `json:"operator,omitempty"`
	// Author is the language model that wrote the variant, and its route; it is empty if no
	// model did.
	Author string `json:"author,omitempty"`
	// Evaluations is the number of the variant's evaluations on search tasks. For Shared of
	// them, the champion has an evaluation of the same task and repeat; Difference is the
	// mean difference over these. If repeats give the same score, the repeat does not matter.
	Evaluations int     `json:"evaluations"`
	Shared      int     `json:"shared"`
	Difference  float64 `json:"difference"`
	// Holdout is the effect on the holdout; it is nil unless the variant was a finalist.
	Holdout *Effect `json:"holdout,omitempty"`
	// State is the variant's state after its last ruling; it is empty if the variant never
	// entered the confirmation.
	State  stats.State `json:"state,omitempty"`
	Reason string      `json:"reason"`
}

// MaxRejections is the maximum number of variants listed as rejected.
const MaxRejections = 10

// reject lists first the finalists that lost, and then the variants with the most
// evaluations on search tasks, each with the reason why it is not recommended. It omits
// candidates that are still open.
func (b *builder) reject() error {
	listed := map[agent.ConfigID]bool{b.plan.Champion: true}
	if b.result.Verdict.Proposes() && b.headline >= 0 {
		listed[b.result.Finalist[b.headline].Variant] = true
	}
	for _, c := range b.out.Candidates {
		listed[c.Variant.ID] = listed[c.Variant.ID] || c.Open()
	}
	for _, f := range b.result.Finalist {
		if listed[f.Variant] {
			continue
		}
		listed[f.Variant] = true
		b.out.Rejected = append(b.out.Rejected, b.lost(f))
	}
	var rest []Rejection
	champion := b.tally.tried.variants[b.plan.Champion].ablated()
	for id, v := range b.tally.tried.variants {
		if !listed[id] && v.searched > 0 {
			r := Rejection{Variant: Ref{ID: id}, Evaluations: v.made}
			r.Shared, r.Difference = b.tally.tried.compared(champion, v.ablated())
			rest = append(rest, r)
		}
	}
	slices.SortFunc(rest, func(x, y Rejection) int {
		return cmp.Or(cmp.Compare(y.Evaluations, x.Evaluations), cmp.Compare(y.Difference, x.Difference),
			strings.Compare(string(x.Variant.ID), string(y.Variant.ID)))
	})
	room := max(0, MaxRejections-len(b.out.Rejected))
	b.out.Unlisted = max(0, len(rest)-room)
	for _, r := range First(rest, room) {
		full := b.rejection(r.Variant.ID)
		full.Reason = b.stopped(full)
		b.out.Rejected = append(b.out.Rejected, full)
	}
	return nil
}

// lost returns the rejection of a finalist that is not recommended.
func (b *builder) lost(f archive.Finalist) Rejection {
	r := b.rejection(f.Variant)
	e := estimate(f)
	r.Holdout, r.Reason = &e, findingOf(f)
	switch {
	case f.Accepted:
		r.Reason = "also better than the champion, but another variant's lower bound is higher"
	case f.Ruling != nil && f.Ruling.Reason != "":
		r.Reason = clip(b.inCases(f.Ruling.Reason), MaxReason)
	}
	if f.Ruling != nil {
		r.State = f.Ruling.State
	}
	return r
}

func (b *builder) rejection(id agent.ConfigID) Rejection {
	v := b.variant(id)
	r := Rejection{Variant: Ref{ID: id, Number: v.Number}, Operator: v.Operator, Author: v.Author}
	tried := b.tally.tried
	of := tried.variants[id]
	if of != nil {
		r.Evaluations = of.made
	}
	r.Shared, r.Difference = tried.compared(tried.variants[b.plan.Champion].ablated(), of.ablated())
	return r
}

// meet reports whether the champion and a variant have scores on a common search task, in
// any repeats.
func (b *builder) meet(id agent.ConfigID) bool {
	_, tasks := b.tally.tried.paired(b.plan.Champion, id)
	return tasks > 0
}

// stopped returns the reason why a variant was not confirmed, if the records show it.
func (b *builder) stopped(r Rejection) string {
	kept := slices.IndexFunc(b.result.LeftOut, func(l archive.LeftOut) bool { return l.Variant == r.Variant.ID })
	switch {
	case kept >= 0:
		return "left out because of " + b.result.LeftOut[kept].Proposal
	case r.Shared == 0 && b.meet(r.Variant.ID):
		return "tasks in common with the champion, but in other repeats"
	case r.Shared == 0:
		return "no task in common with the champion"
	case r.Difference <= 0:
		return "no gain in the search"
	case b.run.State == archive.RunRunning:
		return "the run is still in progress"
	case len(b.result.Finalist) == 0:
		return "not confirmed: no finalist was evaluated on the holdout"
	}
	if len(b.result.Finalist) == 1 {
		return "behind the finalist"
	}
	return "behind the " + number.Plural(len(b.result.Finalist), "finalist")
}
