package provider

import (
	"errors"
	"fmt"
)

// Route maps a hint to a provider and one of its models.
type Route struct {
	// Name is the hint.
	Name string
	// Provider is the name of an endpoint, and Model is the name that the provider uses for
	// a model.
	Provider, Model string
	// Temperature applies if the request does not set one; nil means the provider's
	// default.
	Temperature *float64
	// MaxTokens is the maximum number of tokens in a reply; 0 means 4,096. A reply that
	// reaches the limit stops with [evolve/runtime/model.StopLength].
	MaxTokens int
}

// defaultTokens is the maximum number of tokens in a reply if the route sets no limit.
const defaultTokens = 4096

// maxTokens is the highest limit that a route may set, because longer replies would have to
// be streamed.
const maxTokens = 20_000

// routes holds the configured routes, in order.
type routes struct {
	all      []Route
	byName   map[string]int
	fallback int
}

func newRoutes(all []Route, fallback string, providers map[string]*provider) (routes, error) {
	out := routes{byName: map[string]int{}}
	for _, r := range all {
		switch {
		case r.Name == "":
			return out, errors.New("a route has no name")
		case providers[r.Provider] == nil:
			return out, fmt.Errorf("route %s: there is no provider %q", r.Name, r.Provider)
		case r.Model == "":
			return out, fmt.Errorf("route %s names no model", r.Name)
		case r.MaxTokens < 0 || r.MaxTokens > maxTokens:
			return out, fmt.Errorf("route %s: max_tokens is %d; it must be from 0 to %d", r.Name, r.MaxTokens, maxTokens)
		case r.Temperature != nil && !(*r.Temperature >= 0 && *r.Temperature <= 2):
			return out, fmt.Errorf("route %s: temperature %g is not between 0 and 2", r.Name, *r.Temperature)
		}
		if _, twice := out.byName[r.Name]; twice {
			return out, fmt.Errorf("route %s is listed twice", r.Name)
		}
		if r.MaxTokens == 0 {
			r.MaxTokens = defaultTokens
		}
		out.byName[r.Name] = len(out.all)
		out.all = append(out.all, r)
	}
	at, ok := out.byName[fallback]
	if !ok {
		return out, fmt.Errorf("the default route %q does not exist", fallback)
	}
	out.fallback = at
	return out, nil
}

// find returns the route for a hint, or the default route if the hint is empty or unknown.
// It also reports whether the hint is unknown.
func (r *routes) find(hint string) (Route, bool) {
	if at, ok := r.byName[hint]; ok {
		return r.all[at], false
	}
	return r.all[r.fallback], hint != ""
}

// of returns the first route to a provider.
func (r *routes) of(provider string) (Route, bool) {
	for _, route := range r.all {
		if route.Provider == provider {
			return route, true
		}
	}
	return Route{}, false
}
