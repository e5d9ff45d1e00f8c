package workspace

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v4"

	"evolve/mutate"
)

// Reflect holds the settings of search.reflect: the language models that propose changes.
type Reflect struct {
	// Rate limits the calls to all routes together during one agent's night.
	mutate.Rate
	// Routes are the models to choose from; if there are none, no model proposes changes.
	Routes []mutate.AuthorRoute
}

// reflectField is the field search.reflect: the name of a route, or an object.
func reflectField(f *settingsFile) custom {
	keys := func(to *Reflect) object {
		return object{keys: append([]key{
			{name: "routes", doc: "routes of models, by name or as {route: NAME, every: N, max_calls: N, max_usd: X, max_tokens: N}; routes whose proposed changes raise the score more for their cost are called more often", field: listOf{each: func() field { return reflectRoute(f) }, min: 1, unique: true}, required: true},
		}, rateKeys(&to.Rate, "minimum number of evaluations between two calls")...)}
	}
	return custom{func(s *source, n *yaml.Node, name string) {
		f.Search.Reflect = Reflect{}
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			reflectRoute(f).read(s, n, name)
			return
		}
		keys(&f.Search.Reflect).read(s, n, name)
	}, schema{"anyOf": []any{routeName(new(string)).schema(), keys(new(Reflect)).schema()}}}
}

func rateKeys(r *mutate.Rate, every string) []key {
	return []key{
		{name: "every", doc: every, field: whole[int]{&r.Every, 1, maxCount}},
		{name: "max_calls", doc: "maximum number of calls per agent and night", field: whole[int]{&r.MaxCalls, 1, maxCount}},
		{name: "max_usd", doc: "maximum cost of calls per agent and night, in USD", field: number{to: &r.MaxUSD, max: maxUSD, above: true}},
		{name: "max_tokens", doc: "maximum number of tokens, input and output, used by calls per agent and night", field: whole[int64]{&r.MaxTokens, 1, 1e12}},
	}
}

func routeName(to *string) text { return text{to: to, pattern: namePattern, rule: nameRule} }

// reflectRoute is the field for one route: its name, or an object.
func reflectRoute(f *settingsFile) custom {
	keys := func(to *mutate.AuthorRoute) object {
		return object{keys: append([]key{
			{name: "route", doc: "name of the route", field: routeName(&to.Name), required: true},
		}, rateKeys(&to.Rate, "minimum number of evaluations between two calls to this route")...)}
	}
	return custom{func(s *source, n *yaml.Node, name string) {
		var v mutate.AuthorRoute
		at := n
		if n.Kind == yaml.ScalarNode && !isNull(n) {
			routeName(&v.Name).read(s, n, name)
		} else {
			keys(&v).read(s, n, name)
			at = cmp.Or(child(n, "route"), n)
		}
		switch {
		case v.Name == "":
			return
		case slices.ContainsFunc(f.Search.Reflect.Routes, func(other mutate.AuthorRoute) bool { return other.Name == v.Name }):
			s.bad(at, "", "the route %q is named twice", v.Name)
			return
		}
		f.Search.Reflect.Routes = append(f.Search.Reflect.Routes, v)
		f.reflects = append(f.reflects, at)
	}, schema{"anyOf": []any{routeName(new(string)).schema(), keys(new(mutate.AuthorRoute)).schema()}}}
}
