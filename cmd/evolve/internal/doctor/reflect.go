package doctor

import (
	"context"

	"evolve/cmd/evolve/internal/batch"
	"evolve/cmd/evolve/internal/workspace"
)

// raiseBound is the hint about a route whose replies are cut off.
const raiseBound = "raise or remove the route's max_tokens"

// checkReflect returns one check for each route of search.reflect. If the API key is set,
// it makes one cheap call to a model that the provider's check did not call. A search works
// without these models, so a failure is a warning.
func checkReflect(ctx context.Context, p Probes, w *workspace.Workspace, before []Check) []Check {
	var checks []Check
	failed := failures(before)
	set := &w.Settings
	reflect := set.Search.Reflect
	for _, r := range reflect.Routes {
		line, route := "search.reflect "+r.Name, set.Routes[r.Name]
		provider := set.Providers[route.Provider]
		if _, priced := set.Prices[route.Model]; !priced && (r.MaxUSD > 0 || reflect.MaxUSD > 0) {
			checks = append(checks, warn(line, "add "+route.Model+" to prices, or set max_calls", "max_usd has no effect: the price of %s is unknown", route.Model))
			continue
		}
		if text := batch.ShortReflect(w, r.Name); text != "" {
			checks = append(checks, warn(line, raiseBound, "%s", text))
			continue
		}
		if text := batch.UnsentReflect(w, set.Budget.USD, r.Name); text != "" {
			checks = append(checks, warn(line, "raise that limit, or lower the route's max_tokens", "%s", text))
			continue
		}
		if failed["provider "+route.Provider] {
			checks = append(checks, warn(line, "", "was not tested: its provider %s does not answer", route.Provider))
			continue
		}
		called, _ := routeTo(w, route.Provider)
		if called.Model == route.Model || provider.Kind == workspace.ProviderReplay || provider.KeyEnv != "" && !p.set(provider.KeyEnv) {
			checks = append(checks, ok(line, "%s of provider %s", route.Model, route.Provider))
			continue
		}
		checks = append(checks, p.probeReflect(ctx, line, route, provider))
	}
	return checks
}

func (p Probes) probeReflect(ctx context.Context, line string, route workspace.Route, provider workspace.Provider) Check {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	detail, err := p.Probe(ctx, route.Provider, provider, route)
	if err != nil {
		return warn(line, "", "%s does not answer: %s", route.Model, p.brief(err.Error()))
	}
	return ok(line, "%s: %s", route.Model, p.brief(detail))
}
