package batch

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
)

// spec returns what a night needs to know of an agent before the run begins.
func (r *runner) spec(a *workspace.Agent) night.Spec {
	set := r.o.Workspace.Settings
	s := night.Spec{
		Agent: night.Agent{
			ID: a.ID, Adapter: a.Adapter.Kind, Hash: a.Hash, Deterministic: a.Deterministic, UsesSeed: a.UsesSeed,
			Champion: a.Champion, Space: a.Space, Known: a.Known, Read: a.Read, Alike: a.Alike,
			Guards: r.o.Workspace.Bounds(a),
		},
		Settings: night.Settings{
			Limits: set.Limits, Confirm: set.Confirm, Baseline: set.Search.Baseline, Reflect: reflects(&set),
			Prices: pricesHash(set.Prices), SearchOnly: r.o.SearchOnly(),
		},
		Env: r.o.Env, Cautions: shortReplies(r.o.Workspace, a),
	}
	if a.Adapter.Kind == workspace.KindCode {
		code := r.o.Code.Found[a.ID]
		s.Agent.Relative, s.Agent.Hunks, s.Settings.Baseline = code == nil || code.Own() == "", true, 0
		if code != nil {
			s.Agent.Metric, s.Agent.Noise, s.Agent.Spends = code.Kind(), code.Noise(), code.Spends()
			s.Cautions = append(s.Cautions, code.Cautions()...)
		}
	}
	for _, name := range a.Suites {
		if suite := r.o.Workspace.Suites[name]; suite != nil {
			s.Agent.Suites = append(s.Agent.Suites, suite)
		}
	}
	return s
}

// reflects returns the routes of search.reflect with the names of their models.
func reflects(set *workspace.Settings) night.Reflect {
	out := night.Reflect{Rate: set.Search.Reflect.Rate}
	for _, r := range set.Search.Reflect.Routes {
		route := set.Routes[r.Name]
		out.Routes = append(out.Routes, night.ReflectRoute{AuthorRoute: r, Model: route.Model, Room: room(route)})
	}
	return out
}

// room returns the tokens that a route's model can read if its context is set: what the
// answer leaves of nine tenths of it, but half of it at least.
func room(r workspace.Route) int {
	answer := r.MaxTokens
	if answer == 0 {
		answer = 4096 // the default of a route
	}
	return max(r.Context*9/10-answer, r.Context/2)
}

// pricesHash hashes the prices of models; empty if there are none.
func pricesHash(prices map[string]workspace.Price) string {
	if len(prices) == 0 {
		return ""
	}
	raw, err := json.Marshal(prices) // in the order of the models' names
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// work runs the night of the agent at an index, with its share of what the run has left.
func (r *runner) work(ctx context.Context, at int) (archive.AgentResult, error) {
	a, s := r.agents[at], r.specs[at]
	r.plans[at].Searched = r.unrecorded[at] // no part of the run's identity
	var err error
	if s.Share, err = r.share(ctx, at); err != nil {
		return archive.AgentResult{}, err
	}
	s.Run, s.Budget, s.Scratch = &r.run, r.budget, filepath.Join(r.scratch(), a.ID)
	if r.o.Began != nil {
		r.o.Began(r.run.ID)
	}
	s.Open = func(ctx context.Context, scratch string) (night.Opened, error) { return r.open(ctx, a, scratch) }
	s.Propose = func(ctx context.Context, d night.Draft) (night.Proposed, error) { return r.propose(ctx, a, d) }
	if p := r.o.Code.Found[a.ID]; p != nil {
		s.NewSearch = p.Search
	}
	out, err := night.Run(ctx, s)
	r.reached = max(r.reached, out.Reached)
	if r.blocking == "" {
		r.blocking = out.Blocking
	}
	return out.Result, err
}

// share returns the part of the agent at an index in what the run has left, including
// what earlier agents left over.
func (r *runner) share(ctx context.Context, at int) (night.Share, error) {
	var s night.Share
	left, paid := len(r.agents)-at, r.budget.Spent()
	if total := r.run.BudgetEval; total > 0 {
		spent, err := r.spentBefore(ctx, at)
		if err != nil {
			return s, err
		}
		// Equal to the planned share if the earlier agents left nothing; see shareOf.
		s.Evaluations = max(0, (total-spent+left-1)/left)
	}
	if total := r.o.Budget.USD; total > 0 {
		total *= 1 - r.sharedAfter()
		s.USD = paid + (total-paid)/float64(left)
	}
	if !r.stop.IsZero() {
		now := r.o.Now()
		s.Till, s.Due = now.Add(r.stop.Sub(now)/time.Duration(left)), r.byDeadline
	}
	return s, nil
}

// spentBefore counts the evaluations of the agents before the one at an index.
func (r *runner) spentBefore(ctx context.Context, at int) (int, error) {
	spent := 0
	for _, a := range r.run.Agents[:at] {
		for _, err := range r.o.Archive.Evaluations(ctx, r.run.ID, a) {
			if err != nil {
				return 0, fmt.Errorf("counting the evaluations of earlier agents: %w", err)
			}
			spent++
		}
	}
	return spent, nil
}

// shareOf returns the planned part of the agent at an index in so many evaluations.
func shareOf(evaluations, agents, at int) int {
	share := evaluations / agents
	if at < evaluations%agents {
		share++
	}
	return share
}
