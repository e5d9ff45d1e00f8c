package model

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench"
	"evolve/runtime/agent"
)

// Build makes the report of a run from its records. run is the run's id or number; "" means
// the latest run. For a run that is still running, or that ended early, Build reports what
// has been recorded.
func Build(ctx context.Context, src Source, run string) (Report, error) {
	record, err := src.Run(ctx, run)
	if err != nil {
		return Report{}, fmt.Errorf("reading the run: %w", err)
	}
	r := Report{Schema: Schema, Run: runFacts(record), Volatile: volatileFacts(record), Agents: []Agent{}}
	earlier, latest, err := runsUpTo(ctx, src, record)
	if err != nil {
		return Report{}, err
	}
	for _, name := range record.Agents {
		b := builder{ctx: ctx, src: src, run: record, earlier: earlier, latest: latest, variants: map[agent.ConfigID]archive.Variant{}}
		if err := b.build(name); err != nil {
			return Report{}, fmt.Errorf("reading what run %s found for agent %s: %w", record.ID, name, err)
		}
		r.Agents = append(r.Agents, b.out)
		r.Volatile.Agents = append(r.Volatile.Agents, b.volatile)
		r.Volatile.CostUSD += b.tally.paid + b.draftUSD()
		r.Volatile.JudgeUSD += b.tally.judged
		r.Run.Evaluations += b.tally.total
	}
	if err := r.Volatile.countPaid(ctx, src, record); err != nil {
		return Report{}, err
	}
	at := record.Ended
	if at.IsZero() {
		at = record.Started
	}
	if r.Volatile.Waiting, err = ListWaiting(ctx, src, record.ID, at); err != nil {
		return Report{}, err
	}
	if r.Volatile.Branches, err = branches(ctx, src); err != nil {
		return Report{}, err
	}
	if r.Volatile.Patches, err = patches(ctx, src, record); err != nil {
		return Report{}, err
	}
	// A broken ledger does not prevent the report; the report shows that the ledger is
	// broken.
	n, head, err := src.VerifyLedger(ctx)
	r.Volatile.LedgerEntries, r.Volatile.LedgerHead = n, head
	if err != nil {
		r.Volatile.LedgerError = err.Error()
	}
	return r, nil
}

func runFacts(run archive.Run) Run {
	return Run{
		ID: run.ID, Number: run.Number, State: run.State, Reason: run.Reason, Exit: run.Exit,
		Stages: append([]string{}, run.Stages...), Selection: run.Selection, Policy: run.Policy, Seed: run.Seed, Lookahead: run.Lookahead,
		BudgetEvals: run.BudgetEval, BudgetUSD: run.BudgetUSD, BudgetSeconds: run.BudgetTime.Seconds(),
	}
}

func volatileFacts(run archive.Run) Volatile {
	v := Volatile{
		Started: run.Started, Ended: run.Ended, Until: run.Until, Host: run.Host, Binary: run.Binary,
		Concurrency: run.Concurrency, Reached: run.Reached, Resumed: run.Resumed, Guards: run.Guards, Live: run.Live, Agents: []VolatileAgent{},
		PatchWork: run.Patches, PatchUSD: run.PatchUSD, Removed: run.Removed,
	}
	for _, n := range run.Patches {
		v.PatchUSD += n.Usage.CostUSD
	}
	for _, n := range run.Tools {
		if n.Draft != nil {
			v.ToolUSD += n.Draft.Usage.CostUSD
		}
	}
	v.CostUSD = v.PatchUSD + v.ToolUSD
	if !run.Started.IsZero() && run.Ended.After(run.Started) {
		v.Seconds = run.Ended.Sub(run.Started).Seconds()
	}
	names := slices.Collect(maps.Keys(run.Phases))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(phaseRank(a), phaseRank(b)), strings.Compare(a, b)) })
	for _, name := range names {
		v.Phases = append(v.Phases, Phase{Phase: name, Seconds: run.Phases[name].Seconds()})
	}
	return v
}

// phaseRank returns the position of a phase in the order in which the phases of a run take
// place.
func phaseRank(name string) int {
	known := []string{string(bench.StageAA), string(bench.StageSearch), archive.DraftPhase, string(bench.StageAblate), string(bench.StageConfirm)}
	if i := slices.Index(known, name); i >= 0 {
		return i
	}
	return len(known)
}

// runsUpTo returns the ids of the given run and of the runs before it. latest reports
// whether there is no later run.
func runsUpTo(ctx context.Context, src Source, run archive.Run) (ids map[string]bool, latest bool, err error) {
	ids, latest = map[string]bool{run.ID: true}, true
	for r, err := range src.Runs(ctx) {
		if err != nil {
			return nil, false, fmt.Errorf("listing the runs: %w", err)
		}
		if r.Number <= run.Number {
			ids[r.ID] = true
		} else {
			latest = false
		}
	}
	return ids, latest, nil
}

// builder builds one agent's part of a report.
type builder struct {
	ctx     context.Context
	src     Source
	run     archive.Run
	earlier map[string]bool
	// latest reports whether the run is the latest.
	latest bool

	plan   archive.AgentPlan
	result archive.AgentResult
	// finished reports whether there is a result.
	finished bool
	// headline is the index of the finalist on which the verdict rests, or -1.
	headline int
	tally    *tally
	// variants caches the variants that were looked up; failed is the first lookup error.
	variants map[agent.ConfigID]archive.Variant
	failed   error
	// records are the night's proposals in their present state.
	records []archive.ProposalRecord
	// waited are the proposals that were waiting when the run was planned, in their present
	// state.
	waited []archive.ProposalRecord

	out      Agent
	volatile VolatileAgent
}

func (b *builder) build(name string) error {
	b.out.Agent, b.volatile.Agent = name, name
	var err error
	if b.plan, err = b.src.Plan(b.ctx, b.run.ID, name); err != nil && !errors.Is(err, archive.ErrNotFound) {
		return err
	}
	b.result, err = b.src.Result(b.ctx, b.run.ID, name)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return err
	}
	b.finished = err == nil
	if err := b.recheck(); err != nil {
		return err
	}
	b.headline = Leading(b.result)
	b.drafts()
	b.volatile.Sandbox = b.plan.Sandbox
	b.volatile.Tools = toolsOf(b.run, name)
	for _, l := range b.run.Limits {
		if l.Agent == name && (l.End != "" || !b.run.Ended.IsZero()) { // otherwise the limit is from an earlier process
			b.volatile.Limit = &l
		}
	}
	for _, step := range []func() error{
		b.count, b.compare, b.detail, b.change, b.ablate, b.influence, b.descend, b.candidates, b.honesty, b.reject, b.heat, b.leftOut, b.proposals, b.await, b.health, b.provenance, b.decide, b.watch,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	b.unjudged()
	return b.failed
}
