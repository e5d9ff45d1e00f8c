package batch

import (
	"fmt"

	"github.com/dustin/go-humanize"

	"evolve/cmd/evolve/internal/workspace"
	drafts "evolve/mutate/reflection"
	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// boundsOf returns the bounds on the usage of a request to a route, with the names that
// they have in the settings. A bound of 0 means none.
func boundsOf(set *workspace.Settings, usd float64, route string) (money, tokens []bound) {
	reflect := set.Search.Reflect
	money = []bound{{"max_usd of search.reflect", reflect.MaxUSD}, {"budget.usd", usd}}
	tokens = []bound{{"max_tokens of search.reflect", float64(reflect.MaxTokens)}}
	for _, r := range reflect.Routes {
		if r.Name == route {
			money = append(money, bound{"max_usd of the route", r.MaxUSD})
			tokens = append(tokens, bound{"max_tokens of the route", float64(r.MaxTokens)})
		}
	}
	return money, tokens
}

type bound struct {
	name string
	most float64
}

// UnsentReflect returns the reason why a run with the given money limit, where 0 means no
// limit, will send no request of search.reflect to a route: each request could exceed a
// bound. It returns "" if a request fits for at least one agent of the workspace, or for
// a block of a patch target.
func UnsentReflect(w *workspace.Workspace, usd float64, route string) string {
	text := ""
	ask := func(space agent.Space, c agent.Config) bool {
		text = unsent(&w.Settings, usd, route, space, c)
		return text == ""
	}
	for i := range w.Agents {
		if ask(w.Agents[i].Space, w.Agents[i].Champion) {
			return ""
		}
	}
	if len(w.Settings.Patches.Targets) > 0 {
		block := agent.Param{Name: "block", Kind: agent.Text, Use: agent.Code}
		ask(agent.Space{Params: []agent.Param{block}}, agent.Config{block.Name: ""})
	}
	return text
}

// unsent is like UnsentReflect, but for the smallest request about one config.
func unsent(set *workspace.Settings, usd float64, route string, space agent.Space, c agent.Config) string {
	least, ok := leastRequest(set, route, space, c)
	if !ok {
		return ""
	}
	size := fmt.Sprintf("up to %s tokens of input and %s of output", humanize.Comma(least.Input), humanize.Comma(least.Output))
	money, tokens := boundsOf(set, usd, route)
	for _, b := range money {
		if b.most > 0 && least.USD() > b.most {
			return fmt.Sprintf("no request to route %s will be sent: the smallest can cost up to $%.4g (%s), but %s is %.4g", route, least.USD(), size, b.name, b.most)
		}
	}
	for _, b := range tokens {
		if b.most > 0 && float64(least.Tokens()) > b.most {
			return fmt.Sprintf("no request to route %s will be sent: the smallest can use %s tokens (%s), but %s is %.0f", route, humanize.Comma(least.Tokens()), size, b.name, b.most)
		}
	}
	return ""
}

// leastRequest returns an upper limit on the usage of the smallest possible first request
// about a config. ok is false if the config has no parameter that a model may change.
func leastRequest(set *workspace.Settings, name string, space agent.Space, c agent.Config) (least model.Most, ok bool) {
	route := set.Routes[name]
	price, priced := set.Prices[route.Provider+"/"+route.Model]
	if !priced {
		price = set.Prices[route.Model]
	}
	p := set.Providers[route.Provider]
	kind := p.Kind
	if kind == workspace.ProviderReplay {
		kind = p.OfKind
	}
	for _, param := range space.Params {
		if _, active := c[param.Name]; !active {
			continue
		}
		m := drafts.Material{Space: space, Config: c, Component: param.Name, Room: 1}
		most := provider.AtMost(m.Request(name, 0), provider.Route{MaxTokens: route.MaxTokens},
			provider.Price{Input: price.Input, Output: price.Output, Cached: price.Cached}, provider.Kind(kind))
		if !ok || most.Tokens() < least.Tokens() {
			least, ok = most, true
		}
	}
	return least, ok
}

// warnOfUnsent adds to the plans the routes of search.reflect to which no request will be
// sent. It is called after the run's id is computed, so that a different estimate does not
// start another run.
func (r *runner) warnOfUnsent() {
	set := &r.o.Workspace.Settings
	for i := range r.plans {
		for _, route := range set.Search.Reflect.Routes {
			a := &r.specs[i].Agent
			if text := unsent(set, r.o.Budget.USD, route.Name, a.Space, a.Champion); text != "" {
				r.plans[i].Warnings = append(r.plans[i].Warnings, "search.reflect: "+text)
			}
		}
	}
}
