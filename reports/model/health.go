package model

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

func (b *builder) health() error {
	h := &b.out.Health
	h.Stages, h.Outcomes = []Stage{}, []Outcome{} // lists in JSON are never null
	h.Incomplete = clip(b.inCases(b.result.Incomplete), MaxReason)
	for _, w := range slices.Concat(b.plan.Warnings, b.plan.Alike) {
		h.Warnings = append(h.Warnings, clip(b.inCases(w), MaxReason))
	}
	for _, text := range b.plan.Judges {
		h.Judges = append(h.Judges, clip(text, MaxReason))
	}
	if noise := b.result.Judges; noise.Any() {
		h.Judges = append(h.Judges, noise.Statement()+" in this run")
	}
	for _, s := range []struct {
		stage   bench.Stage
		planned int
	}{
		// The baseline's share of the evaluations is part of the search's budget.
		{bench.StageSearch, max(0, b.plan.Search-b.plan.Baseline)},
		{bench.StageBaseline, b.plan.Baseline},
		{bench.StageAA, b.plan.AA},
		{bench.StageAblate, b.plan.Ablate},
		{bench.StageConfirm, b.plan.Confirm},
	} {
		row := Stage{Stage: string(s.stage)}
		if seen := b.tally.stages[s.stage]; seen != nil {
			row = *seen
		}
		row.Planned = s.planned
		row.Skipped = max(0, row.Planned-row.Done-row.Missing)
		if r := b.run.Removed; r != nil && r.Evaluations > 0 {
			row.Skipped = 0 // the records of these evaluations no longer exist
		}
		if row.Planned+row.Done+row.Missing > 0 {
			h.Stages = append(h.Stages, row)
		}
	}
	h.Released, h.Lent = b.plan.Released, b.plan.Lent
	b.searchWhole()
	for _, o := range agent.Outcomes() {
		if n := b.tally.outcomes[o]; n > 0 {
			h.Outcomes = append(h.Outcomes, Outcome{Outcome: o, Count: n})
		}
	}
	h.Lost = b.tally.causes()
	if b.result.AA != nil {
		h.Noise = &Noise{Effect: effect(b.result.AA.Comparison), P: b.result.AA.TwoSided, Drifted: b.result.AA.Drifted}
	}
	if b.result.Strayed != "" {
		h.Warnings = append(slices.Clip(h.Warnings), "many evaluations in a row failed with infrastructure errors while the champion still answered, so some variants or tasks are the cause, and the run continued; the first failure: "+b.result.Strayed)
	}
	for _, w := range b.scaleRemarks() {
		h.Scale = append(h.Scale, clip(w, MaxReason))
	}
	for _, w := range b.result.Warnings {
		h.Warnings = append(slices.Clip(h.Warnings), clip(b.inCases(w), MaxReason))
	}
	if b.result.Repeats.Constant() {
		h.Constant = b.result.Repeats.Tasks
	}
	b.volatile.Cached, b.volatile.Retries = b.tally.cached, b.tally.retries
	return nil
}

// maxCauses is the maximum number of causes that a report lists.
const maxCauses = 3

// causes lists the causes of missing data, most frequent first, and combines those beyond
// [maxCauses] into one entry.
func (t *tally) causes() []Lost {
	var out []Lost
	for cause, n := range t.lost {
		out = append(out, Lost{Cause: cause, Count: n})
	}
	slices.SortFunc(out, func(a, b Lost) int { return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Cause, b.Cause)) })
	if len(out) > maxCauses {
		rest := Lost{}
		for _, l := range out[maxCauses:] {
			rest.Count += l.Count
		}
		out = append(out[:maxCauses], rest)
	}
	return out
}

// searchWhole clears the skipped counts of the search and the baseline if the two together
// made the planned number of evaluations. In a small space one of them ends early and the
// other continues.
func (b *builder) searchWhole() {
	made := 0
	both := func(do func(*Stage)) {
		for i := range b.out.Health.Stages {
			if s := &b.out.Health.Stages[i]; s.Stage == string(bench.StageSearch) || s.Stage == string(bench.StageBaseline) {
				do(s)
			}
		}
	}
	both(func(s *Stage) { made += s.Done + s.Missing })
	if made >= b.plan.Search {
		both(func(s *Stage) { s.Skipped = 0 })
	}
}

func (b *builder) provenance() error {
	p := b.plan
	if p.Metric != nil && p.Noise.Any() {
		kind := *p.Metric
		kind.Further = nil
		b.out.Health.ValueNoise = &ValueNoise{kind, *p.Noise}
	}
	b.out.Provenance = Provenance{
		Suites: append([]string{}, p.Suites...), SuiteHash: p.SuiteHash, SplitHash: p.SplitHash,
		AgentHash: p.AgentHash, SpaceHash: p.SpaceHash, PricesHash: p.PricesHash, Adapter: p.Adapter, Champion: p.Champion, Default: p.Default,
		Deterministic: p.Deterministic, UsesSeed: p.UsesSeed, SearchTasks: p.SearchTasks, HoldoutTasks: p.HoldoutTasks,
	}
	if p.Metric != nil {
		b.out.Provenance.Metric = p.Metric.Name
	}
	return nil
}

func (b *builder) proposals() error {
	for _, id := range b.result.Proposals {
		p, err := b.src.Proposal(b.ctx, id)
		if errors.Is(err, archive.ErrNotFound) {
			b.out.Health.Warnings = append(b.out.Health.Warnings, "proposal "+clip(id, 40)+" is not in the archive")
			continue
		}
		if err != nil {
			return err
		}
		made := Proposal{ID: p.ID, Kind: p.Kind, State: p.State, Title: clip(p.Title, MaxReason), Gates: p.Gates}
		if at := BranchOf(p); at != nil {
			made.Branch = at.Branch
		}
		if made.Stale, _, err = MovedSince(b.ctx, b.src, p.ID); err != nil {
			return err
		}
		b.out.Decision.Proposals = append(b.out.Decision.Proposals, made)
		b.records = append(b.records, p)
		v := VolatileProposal{ID: p.ID, Created: p.Created, Commit: p.Commit, Ref: p.Ref, Evidence: p.Evidence, Decision: p.Decision, Addressed: Addressed(p)}
		if p.Patch != nil && p.State == archive.Drafted {
			v.Waits = p.Patch.Waits
		}
		b.volatile.Proposals = append(b.volatile.Proposals, v)
	}
	return nil
}
