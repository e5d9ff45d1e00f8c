package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// IndexSchema is the name and version of the schema of the JSON index.
const IndexSchema = "evolve.report-index/1"

// Summary is one run in the index.
type Summary struct {
	Run     string           `json:"run"`
	Number  int              `json:"number"`
	State   archive.RunState `json:"state"`
	Started time.Time        `json:"started,omitzero"`
	Agents  []AgentSummary   `json:"agents"`
}

// AgentSummary is the result of a run for one agent.
type AgentSummary struct {
	Agent    string          `json:"agent"`
	Verdict  archive.Verdict `json:"verdict,omitempty"`
	Champion Ref             `json:"champion"`
	// Against has the same meaning as in [Decision].
	Against *Ref `json:"against,omitempty"`
	Variant *Ref `json:"variant,omitempty"`
	// Metric has the same meaning as in [Headline].
	Metric *stats.Gain `json:"metric,omitempty"`
	Effect *Effect     `json:"holdout,omitempty"`
	// Claim is the claim that the evidence supports.
	Claim stats.Claim `json:"claim,omitempty"`
	// Fell is the amount, in [0,1], by which the champion's scores fell; it is nil unless
	// the night shows a fall.
	Fell *float64 `json:"fell,omitempty"`
	// FellSince is the start of the first night with the lower scores; it is zero unless
	// Fell is set.
	FellSince time.Time `json:"fell_since,omitzero"`
	// Observed is the effect of the latest adoption as observed up to this night; it is
	// nil if there is no adoption to observe.
	Observed  *Observed `json:"observed,omitempty"`
	Proposals []string  `json:"proposals,omitempty"`
	// States are the present states of the proposals, in the order of Proposals. Proposals
	// that are not in the archive are left out.
	States []ProposalNow `json:"states,omitempty"`
}

// Observed is the difference between an adopted config and the config that it replaced, on
// the tasks that were measured both before and after the adoption.
type Observed struct {
	Proposal   string  `json:"proposal"`
	Difference float64 `json:"difference"`
	Lo         float64 `json:"lo"`
	Hi         float64 `json:"hi"`
	// Nights is the number of nights since the adoption.
	Nights int `json:"nights"`
}

// ProposalNow is the present state of a proposal.
type ProposalNow struct {
	ID    string                `json:"id"`
	State archive.ProposalState `json:"state"`
	// Created is the time of the night that made the proposal. Days is the number of whole
	// days that the proposal had awaited a person by the latest time on record; see
	// [Latest].
	Created time.Time `json:"created,omitzero"`
	Days    int       `json:"days,omitempty"`
	// Decision is the latest decision on the proposal; it is nil if there is none.
	Decision *archive.DecisionBrief `json:"decision,omitempty"`
	// Stale has the same meaning as in [Waiting].
	Stale []string `json:"stale,omitempty"`
}

// Awaits reports whether a person may decide on the proposal.
func (p ProposalNow) Awaits() bool { return Proposal{State: p.State}.Awaits() }

// Latest returns the latest time in the summaries: the start of a run, or the time of a
// proposal or of a decision. A figure computed from this time does not change until
// something new is recorded.
func Latest(runs []Summary) time.Time {
	var at time.Time
	later := func(t time.Time) {
		if t.After(at) {
			at = t
		}
	}
	for _, r := range runs {
		later(r.Started)
		for _, a := range r.Agents {
			for _, p := range a.States {
				later(p.Created)
				if p.Decision != nil {
					later(p.Decision.Time)
				}
			}
		}
	}
	return at
}

// waited fills in the number of days that each proposal has waited.
func waited(runs []Summary) {
	at := Latest(runs)
	for _, r := range runs {
		for _, a := range r.Agents {
			for i, p := range a.States {
				if p.Awaits() && !p.Created.IsZero() {
					a.States[i].Days = Days(p.Created, at)
				}
			}
		}
	}
}

// Summaries lists all runs, latest first. It reads only plans, results and proposals.
func Summaries(ctx context.Context, src Source) ([]Summary, error) {
	out := []Summary{}
	for run, err := range src.Runs(ctx) {
		if err != nil {
			return nil, fmt.Errorf("listing the runs: %w", err)
		}
		s := Summary{Run: run.ID, Number: run.Number, State: run.State, Started: run.Started, Agents: []AgentSummary{}}
		for _, name := range run.Agents {
			a, err := summarize(ctx, src, run.ID, name)
			if err != nil {
				return nil, fmt.Errorf("reading what run %s found for agent %s: %w", run.ID, name, err)
			}
			s.Agents = append(s.Agents, a)
		}
		out = append(out, s)
	}
	waited(out)
	return out, nil
}

func summarize(ctx context.Context, src Source, run, name string) (AgentSummary, error) {
	b := builder{ctx: ctx, src: src, variants: map[agent.ConfigID]archive.Variant{}, out: Agent{Agent: name}}
	a := AgentSummary{Agent: name}
	plan, err := src.Plan(ctx, run, name)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return a, err
	}
	a.Champion = b.ref(plan.Champion)
	if plan.Against != "" {
		against := b.ref(plan.Against)
		a.Against = &against
	}
	res, err := src.Result(ctx, run, name)
	if errors.Is(err, archive.ErrNotFound) {
		return a, nil
	}
	if err != nil {
		return a, err
	}
	a.Verdict, a.Proposals = res.Verdict, res.Proposals
	for _, id := range res.Proposals {
		p, err := src.Proposal(ctx, id)
		if errors.Is(err, archive.ErrNotFound) {
			continue
		}
		if err != nil {
			return a, err
		}
		moved, _, err := MovedSince(ctx, src, id)
		if err != nil {
			return a, err
		}
		a.States = append(a.States, ProposalNow{ID: p.ID, State: p.State, Created: p.Created, Decision: p.Decision, Stale: moved})
	}
	if w := res.Watch; w != nil && w.Fall != nil {
		fell := math.Abs(w.Fall.Difference)
		a.Fell, a.FellSince = &fell, w.Fall.Since
	}
	if w := res.Watch; w != nil && w.Adopted != nil {
		m := moved(w.Adopted.Shift)
		a.Observed = &Observed{w.Adopted.Proposal, m.Difference, m.Lo, m.Hi, m.AfterNights}
	}
	if i := Leading(res); i >= 0 {
		v, e := b.ref(res.Finalist[i].Variant), estimate(res.Finalist[i])
		a.Variant, a.Metric, a.Effect = &v, gainOf(res.Finalist[i]), &e
		if r := res.Finalist[i].Ruling; r != nil {
			a.Claim = r.Claim
		}
	}
	return a, b.failed
}
