package workspace

import (
	"go.yaml.in/yaml/v4"

	"evolve/mutate"
)

// Reflect is search.reflect: the language models that propose changes.
type Reflect struct {
	// Rate bounds the calls of all routes together, in one agent's night.
	mutate.Rate
	// Routes are the models to choose from; none: the search does without.
	Routes []mutate.AuthorRoute
}

// reflectField is search.reflect: a route, or keys.
type reflectField struct{ f *settingsFile }

// route is the field of one route: its name, or keys.
type reflectRoute struct{ f *settingsFile }

func (r reflectField) keys(to *Reflect) object {
	return object{keys: append([]key{
		{name: "routes", doc: "routes of models, by name or as {route: NAME, every: N, max_calls: N, max_usd: X}; calls go to the route whose drafts help, for its cost", field: listOf{each: func() field { return reflectRoute(r) }, min: 1, unique: true}, required: true},
	}, rateKeys(&to.Rate, "evaluations for each call at least")...)}
}

func rateKeys(r *mutate.Rate, every string) []key {
	return []key{
		{name: "every", doc: every, field: whole[int]{&r.Every, 1, maxCount}},
		{name: "max_calls", doc: "calls in an agent's night at most", field: whole[int]{&r.MaxCalls, 1, maxCount}},
		{name: "max_usd", doc: "money for calls in an agent's night at most, in USD", field: number{to: &r.MaxUSD, max: maxUSD, above: true}},
	}
}

func (r reflectField) read(s *source, n *yaml.Node, name string) {
	r.f.Search.Reflect = Reflect{}
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		reflectRoute(r).read(s, n, name)
		return
	}
	r.keys(&r.f.Search.Reflect).read(s, n, name)
}

func (r reflectField) schema() schema {
	return schema{"anyOf": []any{routeName(new(string)).schema(), r.keys(new(Reflect)).schema()}}
}

func routeName(to *string) text { return text{to: to, pattern: namePattern, rule: nameRule} }

func (reflectRoute) keys(to *mutate.AuthorRoute, seen map[string]*yaml.Node) object {
	return object{seen: seen, keys: append([]key{
		{name: "route", doc: "name of the route", field: routeName(&to.Name), required: true},
	}, rateKeys(&to.Rate, "evaluations for each call of this route at least")...)}
}

func (r reflectRoute) read(s *source, n *yaml.Node, name string) {
	var v mutate.AuthorRoute
	seen := map[string]*yaml.Node{}
	if n.Kind == yaml.ScalarNode && !isNull(n) {
		routeName(&v.Name).read(s, n, name)
	} else {
		r.keys(&v, seen).read(s, n, name)
	}
	if v.Name == "" {
		return
	}
	at := n
	if seen["route"] != nil {
		at = seen["route"]
	}
	for _, other := range r.f.Search.Reflect.Routes {
		if other.Name == v.Name {
			s.bad(at, "", "the route %q is named twice", v.Name)
			return
		}
	}
	r.f.Search.Reflect.Routes = append(r.f.Search.Reflect.Routes, v)
	r.f.reflects = append(r.f.reflects, at)
}

func (r reflectRoute) schema() schema {
	return schema{"anyOf": []any{routeName(new(string)).schema(), r.keys(new(mutate.AuthorRoute), nil).schema()}}
}
