package batch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
)

// spec returns the properties of an agent that a night needs before the run begins.
func (r *runner) spec(a *workspace.Agent) night.Spec {
	set := r.o.Workspace.Settings
	s := night.Spec{
		Agent: night.Agent{
			ID: a.ID, Adapter: a.Adapter.Kind, Hash: a.Hash, Deterministic: a.Deterministic, UsesSeed: a.UsesSeed,
			Champion: a.Champion, Space: a.Space, Known: a.Known, Read: a.Read, Alike: a.Alike,
			Guards: r.o.Workspace.Bounds(a), Guarded: r.o.Workspace.WrittenGuards(a),
		},
		Settings: night.Settings{
			Limits: set.Limits, Confirm: set.Confirm, Baseline: set.Search.Baseline, Reflect: reflects(&set),
			Prices: pricesHash(set.Prices), SearchOnly: r.o.SearchOnly(),
		},
		Env: r.o.Env, Cautions: slices.Concat(shortReplies(r.o.Workspace, a), r.o.Workspace.UnjudgedGuards(a)),
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

// reflects returns the rate and the routes of search.reflect, each route with the name of
// its model and the number of tokens that the model can read.
func reflects(set *workspace.Settings) night.Reflect {
	out := night.Reflect{Rate: set.Search.Reflect.Rate}
	for _, r := range set.Search.Reflect.Routes {
		route := set.Routes[r.Name]
		out.Routes = append(out.Routes, night.ReflectRoute{AuthorRoute: r, Model: route.Model, Room: room(route)})
	}
	return out
}

// room returns the number of tokens that a route's model can read if its context is set:
// nine tenths of the context minus the answer, but at least half of the context.
func room(r workspace.Route) int {
	answer := r.MaxTokens
	if answer == 0 {
		answer = 4096 // the default of a route
	}
	return max(r.Context*9/10-answer, r.Context/2)
}

// pricesHash returns a hash of the prices of models, or "" if there are none.
func pricesHash(prices map[string]workspace.Price) string {
	if len(prices) == 0 {
		return ""
	}
	raw, err := json.Marshal(prices) // sorted by model name
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:16])
}

// shareOf returns the planned share of the given evaluations for the agent at an index.
func shareOf(evaluations, agents, at int) int {
	share := evaluations / agents
	if at < evaluations%agents {
		share++
	}
	return share
}
