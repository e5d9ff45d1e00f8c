package workspace

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"path/filepath"

	"evolve/runtime/policy"
	"evolve/runtime/wholefile"
)

// modelIdentity is the content from which ModelHash is computed. It omits the names of
// variables, because another API key for the same endpoint gets the same answers.
type modelIdentity struct {
	Model     string                      `json:"model,omitempty"`
	Providers map[string]providerIdentity `json:"providers,omitempty"`
	Routes    map[string]Route            `json:"routes,omitempty"`
	Servers   map[string]MCPServer        `json:"servers,omitempty"`
	Never     []string                    `json:"never,omitempty"`
	Policies  string                      `json:"policies"`
	URL       string                      `json:"url,omitempty"`
	// Judges lists the models used by the judges in the agent's suites.
	Judges []string `json:"judges,omitempty"`
}

type providerIdentity struct {
	Kind    string `json:"kind"`
	BaseURL string `json:"base_url,omitempty"`
	// OfKind and Recording identify the source of a replay's answers. Recording is the
	// SHA-256 of the recording; it is empty if there is none.
	OfKind    string `json:"of_kind,omitempty"`
	Recording string `json:"recording,omitempty"`
}

// ModelHash identifies, in hexadecimal, what determines the answers of an agent apart
// from the agent's folder and this program. For every built-in agent it covers the tool
// servers. If a built-in agent has a language model, it also covers the providers, routes
// and recordings that the agent can reach. For all agents it covers the patterns that no
// answer may match, the policies, and the models of the judges in the agent's suites.
// ModelHash is part of the key of an evaluation.
func (w *Workspace) ModelHash(a *Agent) string {
	set := &w.Settings
	id := modelIdentity{Model: a.Adapter.Model, Never: set.Never, Policies: set.Policies.Version(), URL: a.Adapter.URL}
	if a.Adapter.Kind == KindBuiltin && a.Adapter.Model != ModelHeuristic {
		id.Routes = set.Routes
		for _, name := range w.reach() {
			p := set.Providers[name]
			put(&id.Providers, name, providerIdentity{p.Kind, p.BaseURL, p.OfKind, w.fileHash(p.Recording)})
		}
	}
	for _, name := range a.Suites {
		if s := w.Suites[name]; s != nil && s.Judges != "" {
			id.Judges = append(id.Judges, s.Judges)
		}
	}
	for _, name := range a.MCP {
		m := set.MCP[name]
		m.Env, m.HeadersEnv = nil, nil
		put(&id.Servers, name, m)
	}
	h := sha256.New()
	// Maps are encoded in key order, and the encoding cannot fail.
	if err := json.NewEncoder(h).Encode(id); err != nil {
		panic(err)
	}
	return sum(h)
}

// RoutesHash returns a hash, in hexadecimal, of the routes of a built-in agent with a
// language model, and of the providers and models to which the routes lead. It returns ""
// for any other agent.
func (w *Workspace) RoutesHash(a *Agent) string {
	if a.Adapter.Kind != KindBuiltin || a.Adapter.Model == ModelHeuristic {
		return ""
	}
	type identity struct {
		Route    Route
		Provider providerIdentity
	}
	routes := map[string]identity{}
	for name, r := range w.Settings.Routes {
		p := w.Settings.Providers[r.Provider]
		routes[name] = identity{r, providerIdentity{p.Kind, p.BaseURL, p.OfKind, w.fileHash(p.Recording)}}
	}
	h := sha256.New()
	// Maps are encoded in key order, and the encoding cannot fail.
	if err := json.NewEncoder(h).Encode([]any{a.Adapter.Model, routes}); err != nil {
		panic(err)
	}
	return sum(h)
}

// reach lists the providers that an agent with a language model can use. These are the
// providers of all routes (a config may choose any route) and the fallback providers that
// replace them when a budget is spent.
func (w *Workspace) reach() []string {
	set := &w.Settings
	names := map[string]bool{}
	for _, r := range set.Routes {
		names[r.Provider] = true
	}
	layers := []policy.Settings{set.Policies.Environment}
	for _, group := range []map[string]policy.Settings{set.Policies.Origins, set.Policies.Roles, set.Policies.Tools, set.Policies.Providers} {
		for _, l := range group {
			layers = append(layers, l)
		}
	}
	for _, l := range layers {
		if l.DegradedTo != "" {
			names[l.DegradedTo] = true
		}
	}
	return SortedNames(names)
}

// fileHash returns the SHA-256 of a file in the workspace, or "" if the file cannot be
// read.
func (w *Workspace) fileHash(name string) string {
	if name == "" {
		return ""
	}
	f, err := wholefile.Open(filepath.Join(w.Root, filepath.FromSlash(name)))
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return sum(h)
}
