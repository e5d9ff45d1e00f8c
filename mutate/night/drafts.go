package night

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// bestDrafts and mostReasons are the maximum numbers of drafts and of reasons in the
// summary.
const (
	bestDrafts  = 10
	mostReasons = 8
)

// notNew is the reason given for a draft that the search has already tried or refused.
const notNew = "the config was tried before, or is too similar to one that was"

// addPast adds stored drafts for the search, with their configs in the searched space. It
// skips drafts that are no longer in that space.
func (a *author) addPast(ctx context.Context, notes []DraftNote, tonight bool) error {
	for _, d := range notes {
		p, ok, err := a.pastDraft(ctx, d)
		if err != nil {
			return err
		}
		if p.Tonight = tonight; ok {
			a.drafted = append(a.drafted, p)
		}
	}
	return nil
}

// pastDraft returns a stored draft for the search; ok is false if the draft is not in the
// searched space.
func (a *author) pastDraft(ctx context.Context, d DraftNote) (p mutate.PastDraft, ok bool, err error) {
	p = mutate.PastDraft{
		Component: d.Component, Form: d.Form, Route: d.Route, Wording: d.Wording, Reason: d.Reason, Outcome: d.Outcome, CostUSD: d.Usage.CostUSD,
		Tokens: d.Usage.InputTokens + d.Usage.OutputTokens, Full: d.Full,
	}
	parent, _, err := a.stored(ctx, d.Variant)
	if err != nil || d.Draft == "" {
		return p, err == nil, err
	}
	if parent != nil {
		p.Parent = parent.ID()
	}
	if p.Config, p.Rationale, err = a.stored(ctx, d.Draft); p.Config == nil {
		return p, false, err
	}
	p.Draft = p.Config.ID()
	return p, true, nil
}

// stored returns a variant's config in the searched space, and the variant's rationale. The
// config is nil if the variant is not in that space.
func (a *author) stored(ctx context.Context, id agent.ConfigID) (agent.Config, string, error) {
	v, err := a.Archive.Variant(ctx, a.Agent.ID, id)
	if errors.Is(err, archive.ErrNotFound) {
		return nil, "", nil
	}
	if err != nil {
		return nil, "", fmt.Errorf("reading the drafts: %w", err)
	}
	return a.Agent.read(v.Config), v.Rationale, nil
}

// estimates are the gains of drafts with their standard errors.
type estimates struct{ gains, errors []float64 }

// summary summarises the drafts of this run; it returns nil if there was no request.
func (a *author) summary(gains []mutate.DraftGain) *archive.DraftSummary {
	if a == nil || len(a.notes) == 0 && a.purse.all.used.calls == 0 {
		return nil
	}
	of := map[agent.ConfigID]mutate.DraftGain{}
	for _, g := range gains {
		of[g.Variant] = g
	}
	out := &archive.DraftSummary{Full: a.purse.reached()}
	counted := map[agent.ConfigID]bool{}
	untried := map[string]int{}
	measured := map[[2]string]*estimates{}
	for _, d := range a.notes {
		if d.Full { // no request was sent
			if !slices.Contains(out.Full, d.Reason) {
				out.Full = append(out.Full, d.Reason)
			}
			continue
		}
		g, entered := of[d.Draft]
		entered = entered && !counted[d.Draft] // a draft that was written twice counts only once
		counted[d.Draft] = true
		for _, c := range [][2]string{{"route", d.Route}, {"form", string(d.Form)}, {"wording", d.Wording}, {"component", d.Component}} {
			t := out.Tally(c[0], c[1])
			if c[0] == "route" {
				t.Model = d.Model
			}
			t.Calls++
			t.Usage.InputTokens += d.Usage.InputTokens
			t.Usage.CachedTokens += d.Usage.CachedTokens
			t.Usage.OutputTokens += d.Usage.OutputTokens
			t.Usage.CostUSD += d.Usage.CostUSD
			switch {
			case entered:
				t.Drafts++
				t.Gain += max(0, finite(g.Gain))
				if g.Evaluations > 0 {
					t.Measured++
					t.Evaluations += g.Evaluations
					if measured[c] == nil {
						measured[c] = &estimates{}
					}
					measured[c].gains = append(measured[c].gains, finite(g.Gain))
					measured[c].errors = append(measured[c].errors, finite(g.SE))
				}
				if t.Drafts == 1 || g.Gain > t.Best {
					t.Best = finite(g.Gain)
				}
			case d.Outcome != "":
				t.Failed++
			}
		}
		switch {
		case entered:
		case d.Reason == "":
			untried[notNew]++
		default:
			untried[d.Reason]++
		}
		if entered && g.Evaluations > 0 {
			out.Best = append(out.Best, archive.DraftedVariant{
				Variant: d.Draft, Route: d.Route, Model: d.Model, Component: d.Component, Form: string(d.Form), Wording: d.Wording,
				Gain: finite(g.Gain), Evaluations: g.Evaluations, InUse: d.InUse,
			})
		}
	}
	for route, sum := range a.purse.sums() {
		if sum.used.calls > 0 {
			t := out.Tally("route", route)
			t.Requests, t.Unanswered, t.UnansweredUSD = sum.used.calls, sum.lost.calls, sum.lost.usd
		}
	}
	for c, m := range measured {
		out.Tally(c[0], c[1]).Mean = stats.MeanGain(m.gains, m.errors)
	}
	slices.SortStableFunc(out.Best, func(x, y archive.DraftedVariant) int { return cmp.Compare(y.Gain, x.Gain) })
	out.Best = out.Best[:min(len(out.Best), bestDrafts)]
	for _, reason := range slices.Sorted(maps.Keys(untried)) {
		out.Untried = append(out.Untried, archive.UntriedDraft{Reason: reason, Calls: untried[reason]})
	}
	slices.SortStableFunc(out.Untried, func(x, y archive.UntriedDraft) int { return cmp.Compare(y.Calls, x.Calls) })
	out.Untried = out.Untried[:min(len(out.Untried), mostReasons)]
	order := []string{"route", "form", "wording", "component"}
	slices.SortStableFunc(out.Tallies, func(x, y archive.DraftTally) int {
		return cmp.Compare(slices.Index(order, x.Choice), slices.Index(order, y.Choice))
	})
	return out
}
