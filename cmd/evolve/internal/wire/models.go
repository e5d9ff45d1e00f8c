package wire

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/policy"
	"evolve/runtime/provider"
)

// models holds the providers and routes of a workspace, which all agents of a process
// share.
type models struct {
	endpoints []provider.Endpoint
	routes    []provider.Route
	prices    map[string]provider.Price
	// recordings holds the functions that close the open recordings.
	recordings []func() error
}

// newModels reads the API keys from the environment and opens the recordings. The keys are
// passed only to the clients.
func (h *Host) newModels(w *workspace.Workspace, scrub func(string) string) (*models, error) {
	m := &models{prices: map[string]provider.Price{}}
	set := &w.Settings
	for _, name := range workspace.SortedNames(set.Providers) {
		e, done, err := h.endpoint(w, name, scrub)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("provider %s: %w", name, err), m.close())
		}
		if done != nil {
			m.recordings = append(m.recordings, done)
		}
		m.endpoints = append(m.endpoints, e)
	}
	for _, name := range workspace.SortedNames(set.Routes) {
		r := set.Routes[name]
		m.routes = append(m.routes, provider.Route{
			Name: name, Provider: r.Provider, Model: r.Model, Temperature: r.Temperature, MaxTokens: r.MaxTokens,
		})
	}
	for name, p := range set.Prices {
		m.prices[name] = provider.Price{Input: p.Input, Output: p.Output, Cached: p.Cached}
	}
	return m, nil
}

// endpoint prepares one provider, and returns the function that closes the provider's
// recording, if it has one.
func (h *Host) endpoint(w *workspace.Workspace, name string, scrub func(string) string) (provider.Endpoint, func() error, error) {
	p := w.Settings.Providers[name]
	key := h.Env.Get(p.KeyEnv)
	e := provider.Endpoint{Name: name, Kind: provider.Kind(p.Kind), BaseURL: p.BaseURL, Key: key, KeyEnv: p.KeyEnv}
	options := provider.RecorderOptions{Secrets: []string{key}, Scrub: scrub}
	switch {
	case p.Kind == workspace.ProviderReplay:
		e.Kind = provider.Kind(p.OfKind)
		e.BaseURL = w.Settings.Providers[p.Of].BaseURL
		options.Mode, options.Path = provider.Replay, p.Recording
	case p.Record != "":
		options.Mode, options.Path = provider.Record, p.Record
	default:
		return e, nil, nil
	}
	options.Path = filepath.Join(w.Root, filepath.FromSlash(options.Path))
	if options.Mode == provider.Replay { // for each agent, the replay begins at the start of the recording
		recorder, err := provider.NewRecorder(options)
		if err == nil {
			e.HTTP = recorder.Client()
		}
		return e, nil, err
	}
	recorder, done, err := h.recordings.use(options)
	if err == nil {
		e.HTTP = recorder.Client()
	}
	return e, done, err
}

// router returns the models for one agent. first is the agent's default route.
func (m *models) router(agentID, first string, guard *policy.Engine, scrub func(string) string) (*provider.Router, error) {
	return provider.NewRouter(provider.Options{
		Endpoints: m.endpoints, Routes: m.routes, Default: first, Prices: m.prices, Guard: guard, Agent: agentID, Scrub: scrub,
	})
}

// close writes the recordings.
func (m *models) close() error {
	var errs []error
	for _, done := range m.recordings {
		errs = append(errs, done())
	}
	m.recordings = nil
	return errors.Join(errs...)
}

// routeNames lists the routes, the agent's own route first.
func routeNames(w *workspace.Workspace, first string) []string {
	names := workspace.SortedNames(w.Settings.Routes)
	return append([]string{first}, slices.DeleteFunc(names, func(n string) bool { return n == first })...)
}

// Ping makes doctor's single cheap call to a provider.
func (h *Host) Ping(ctx context.Context, name string, p workspace.Provider, r workspace.Route) (string, error) {
	key := h.Env.Get(p.KeyEnv)
	e := provider.Endpoint{Name: name, Kind: provider.Kind(p.Kind), BaseURL: p.BaseURL, Key: key, KeyEnv: p.KeyEnv}
	pong, err := provider.Ping(ctx, e, r.Model, h.Now)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("answered in %s (%d tokens)", pong.Latency.Round(1_000_000), pong.Usage.InputTokens+pong.Usage.OutputTokens), nil
}
