package workspace

import (
	"path"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The kinds of provider.
const (
	ProviderOpenAI    = "openai"
	ProviderAnthropic = "anthropic"
	ProviderReplay    = "replay"
)

// DefaultRoute is the route that applies if no other route is named.
const DefaultRoute = "default"

// Provider is an entry of providers: in evolve.yaml.
type Provider struct {
	// Kind is openai (any compatible endpoint), anthropic or replay.
	Kind string
	// BaseURL is the provider's address; if it is empty, the default address of its kind is
	// used.
	BaseURL string
	// KeyEnv names the environment variable that holds the API key; it is empty if there is
	// no key.
	KeyEnv string
	// Record is the file in which exchanges are recorded, as a slash-separated path below
	// the root; it is empty if exchanges are not recorded.
	Record string
	// Recording is the file with the exchanges from which a replay answers. Its path has
	// the same form as that of Record.
	Recording string
	// Of is the name in the file: the name of the provider whose exchanges were recorded,
	// or the name of that provider's kind. OfKind is the provider's kind in both cases.
	Of, OfKind string
}

// Route is an entry of routes: in evolve.yaml.
type Route struct {
	Provider string
	Model    string
	// Temperature applies if the config sets no temperature; nil leaves the temperature to
	// the model.
	Temperature *float64
	// MaxTokens is the maximum length of one answer, in tokens; 0 means 4,096.
	MaxTokens int
	// Context is the length of the model's context window, input and output together, in
	// tokens; 0 means unknown.
	Context int `json:",omitempty"`
}

// entry holds the nodes of a named entry in a section: the entry's name, and the values of
// its keys.
type entry struct {
	key  *yaml.Node
	keys map[string]*yaml.Node
}

// at returns the value node of the entry's key with the given name or, if the entry does
// not have that key, the node of the entry's own name.
func (e entry) at(name string) *yaml.Node {
	if n := e.keys[name]; n != nil {
		return n
	}
	return e.key
}

func providerKeys(p *Provider, seen map[string]*yaml.Node) union {
	kinds := []string{ProviderOpenAI, ProviderAnthropic, ProviderReplay}
	kind := key{name: "kind", doc: "openai (any compatible endpoint: OpenAI, Ollama, vLLM, llama.cpp, OpenRouter …), anthropic or replay", field: oneOf(&p.Kind, kinds...), required: true}
	live := object{seen: seen, keys: []key{
		kind,
		{name: "base_url", doc: "URL of the provider's API; https, or http on this machine or a private network; if omitted, the default URL of the kind", field: address(&p.BaseURL, true)},
		{name: "key_env", doc: "name of the environment variable that holds the API key; if omitted, no key is used, as for a local server", field: envName(&p.KeyEnv)},
		{name: "record", doc: "file in which the exchanges with the provider are recorded, without secrets, for a later replay", field: recording(&p.Record)},
	}}
	return union{by: "kind", names: kinds, members: map[string]object{
		ProviderOpenAI:    live,
		ProviderAnthropic: live,
		ProviderReplay: {seen: seen, keys: []key{
			kind,
			{name: "recording", doc: "file whose exchanges are replayed byte for byte, offline", field: recording(&p.Recording), required: true},
			{name: "of", doc: "name or kind of the provider whose exchanges were recorded", field: text{to: &p.Of, pattern: namePattern, rule: nameRule}, required: true},
		}},
	}}
}

func routeKeys(r *Route, seen map[string]*yaml.Node) object {
	var heat float64
	return object{seen: seen, keys: []key{
		{name: "provider", doc: "name of a provider", field: text{to: &r.Provider, pattern: namePattern, rule: nameRule}, required: true},
		{name: "model", doc: "the provider's name for the model", field: text{to: &r.Model, pattern: modelPattern, rule: modelRule}, required: true},
		{name: "temperature", doc: "sampling temperature if a config sets none", field: then{number{to: &heat, max: 2}, func() { r.Temperature = &heat }}},
		{name: "max_tokens", doc: "maximum number of tokens in an answer; default 4096", field: whole[int]{&r.MaxTokens, 1, 20_000}},
		{name: "context", doc: "size of the model's context, in tokens of input and output; a conversation is shortened before it fills 90 % of the context; default 128000", field: whole[int]{&r.Context, 1000, 100_000_000}},
	}}
}

// section returns the field for a mapping from names to entries.
func section[T any](what string, fields func(*T, map[string]*yaml.Node) field, store func(name string, v T, at entry)) mapping {
	return mapping{
		each: func(s *source, k *yaml.Node) field {
			if !namePattern.MatchString(k.Value) {
				s.bad(k, "", "the name of a %s must be %s; it is %q", what, nameRule, k.Value)
				return nil
			}
			var v T
			at := entry{k, map[string]*yaml.Node{}}
			return then{fields(&v, at.keys), func() { store(k.Value, v, at) }}
		},
		item: fields(new(T), nil),
	}
}

func providersKeys(f *settingsFile) mapping {
	return section("provider", func(p *Provider, seen map[string]*yaml.Node) field { return providerKeys(p, seen) },
		func(name string, p Provider, at entry) {
			put(&f.Providers, name, p)
			put(&f.providers, name, at)
		})
}

func routesKeys(f *settingsFile) mapping {
	return section("route", func(r *Route, seen map[string]*yaml.Node) field { return routeKeys(r, seen) },
		func(name string, r Route, at entry) {
			put(&f.Routes, name, r)
			put(&f.routes, name, at)
		})
}

// put adds an entry to a map, which it creates if necessary.
func put[M ~map[string]V, V any](m *M, name string, v V) {
	if *m == nil {
		*m = M{}
	}
	(*m)[name] = v
}

// checkModels checks that the providers and routes are consistent.
func (f *settingsFile) checkModels(s *source) {
	names := SortedNames(f.Providers)
	recorded := map[string]string{} // maps each file to the provider that records in it
	for _, name := range names {
		p, at := f.Providers[name], f.providers[name]
		switch of, known := f.Providers[p.Of]; {
		case p.Of == "":
		case known && of.Kind != ProviderReplay:
			p.OfKind = of.Kind
		case !known && (p.Of == ProviderOpenAI || p.Of == ProviderAnthropic):
			p.OfKind = p.Of
		case known:
			s.bad(at.at("of"), "name the provider whose exchanges were recorded", "%q is a replay provider, so its exchanges cannot have been recorded", p.Of)
		default:
			s.bad(at.at("of"), didYouMean(p.Of, append(names, ProviderOpenAI, ProviderAnthropic)), "there is no provider %q", p.Of)
		}
		f.Providers[name] = p
		if p.Record == "" {
			continue
		}
		if other, twice := recorded[p.Record]; twice {
			s.bad(at.at("record"), "", "the providers %q and %q record to the same file", other, name)
		}
		recorded[p.Record] = name
	}
	for _, name := range SortedNames(f.Routes) {
		r, at := f.Routes[name], f.routes[name]
		if name == ModelHeuristic {
			s.bad(at.key, "", "a route cannot be called %q: that name stands for the model that needs no provider", name)
		}
		if _, known := f.Providers[r.Provider]; !known && r.Provider != "" {
			s.bad(at.at("provider"), didYouMean(r.Provider, names), "there is no provider %q", r.Provider)
		}
	}
	for i, r := range f.Search.Reflect.Routes {
		f.checkRoute(s, r.Name, f.reflects[i])
	}
	if name := f.Patches.Write; name != "" {
		f.checkRoute(s, name, f.patches["write"])
	}
	if _, ok := f.Routes[DefaultRoute]; len(f.Routes) > 0 && !ok {
		s.bad(f.given["routes"], "it is used if no other route is named", "the route %q is missing", DefaultRoute)
	}
}

// checkRoute reports an issue if there is no route with the given name.
func (f *settingsFile) checkRoute(s *source, name string, at *yaml.Node) {
	if _, known := f.Routes[name]; known {
		return
	}
	hint := didYouMean(name, SortedNames(f.Routes))
	if len(f.Routes) == 0 {
		hint = "evolve.yaml has no routes"
	}
	s.bad(at, hint, "there is no route %q", name)
}

// recording is the field for the file in which exchanges are recorded, given by its path
// below the root.
func recording(to *string) text {
	return text{to: to, check: recordingProblem, form: schema{"type": "string", "pattern": `^[^/.\\][^\\]*\.yaml$`}}
}

func recordingProblem(v string) (problem, hint string) {
	first, _, _ := strings.Cut(v, "/")
	switch {
	case !filepath.IsLocal(v) || path.Clean(v) != v || strings.ContainsAny(v, "\\\x00"):
		problem = "must be a path inside the workspace"
	case path.Ext(v) != ".yaml":
		problem = "must end in .yaml"
	case first == agentsDir || first == suitesDir || strings.HasPrefix(first, ".") || v == SettingsFile:
		problem = "must be neither evolve.yaml nor in agents/, suites/ or a hidden folder"
	}
	return problem, "write it like recordings/night.yaml"
}
