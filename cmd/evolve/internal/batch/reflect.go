package batch

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/mutate/night"
	"evolve/reports/number"
	"evolve/runtime/agent"
)

// Reflection is a forecast of the calls of search.reflect in an agent's night.
type Reflection struct {
	Agent  string   `json:"agent"`
	Routes []string `json:"routes"`
	// Calls is the maximum number of calls; it is 0 while the number of evaluations is not
	// known.
	Calls int `json:"calls"`
	// Unsent reports whether no call will be made because any call could exceed a bound.
	Unsent bool `json:"unsent,omitempty"`
	// Tokens and USD estimate the tokens and the cost of the maximum number of calls
	// (Calls), assuming that the calls go to the most expensive routes within the routes'
	// bounds. Priced reports whether all prices are known.
	Tokens int64   `json:"tokens"`
	USD    float64 `json:"usd"`
	Priced bool    `json:"priced"`
	// Measured is the number of earlier calls on which the estimates are based.
	Measured int `json:"measured"`
	// Text is the forecast in words.
	Text string `json:"text"`
}

// The numbers of tokens assumed for a call until the first call has been made.
const (
	assumedInput  = 4000
	assumedOutput = 400
)

// foreseeDrafts forecasts the calls of search.reflect; it returns no forecasts if
// search.reflect has no routes.
func (r *runner) foreseeDrafts(ctx context.Context) ([]Reflection, error) {
	set := &r.o.Workspace.Settings
	if len(set.Search.Reflect.Routes) == 0 {
		return nil, nil
	}
	used := map[string]map[string]callCost{} // keyed by agent and route
	for e, err := range r.o.Archive.Ledger(ctx, 1) {
		if err != nil {
			return nil, fmt.Errorf("reading earlier drafts: %w", err)
		}
		var d night.DraftNote
		if e.Kind != night.DraftKind || json.Unmarshal(e.Data, &d) != nil || d.Usage == (agent.Usage{}) {
			continue
		}
		if used[d.Agent] == nil {
			used[d.Agent] = map[string]callCost{}
		}
		c := used[d.Agent][d.Route]
		c.add(d.Usage)
		used[d.Agent][d.Route] = c
	}
	var out []Reflection
	for i := range r.plans {
		a := &r.specs[i].Agent
		sent := func(route string) bool { return unsent(set, r.o.Budget.USD, route, a.Space, a.Champion) == "" }
		out = append(out, reflection(set, &r.plans[i], used[r.plans[i].Agent], r.o.Budget.USD, sent))
	}
	return out, nil
}

// callCost sums up the calls to a route.
type callCost struct {
	calls         int
	input, output int64
	usd           float64
}

func (c *callCost) add(u agent.Usage) {
	c.calls++
	c.input += u.InputTokens
	c.output += u.OutputTokens
	c.usd += u.CostUSD
}

// reflection forecasts the calls in one agent's night, in a run with usd of money (0 means
// no limit). sent reports whether requests can be sent to a route.
func reflection(set *workspace.Settings, p *archive.AgentPlan, used map[string]callCost, usd float64, sent func(route string) bool) Reflection {
	reflect := set.Search.Reflect
	out := Reflection{Agent: p.Agent, Priced: true}
	total := 0
	var loads []load
	for _, r := range reflect.Routes {
		route := set.Routes[r.Name]
		out.Routes = append(out.Routes, fmt.Sprintf("%s (%s)", r.Name, route.Model))
		l := load{calls: mostCalls(r.Rate, p.Search, 1), tokens: assumedInput + assumedOutput, most: r.MaxUSD, mostTokens: r.MaxTokens}
		if !sent(r.Name) {
			l.calls = 0
		}
		total += l.calls
		price, priced := set.Prices[route.Model]
		l.usd = (assumedInput*price.Input + assumedOutput*price.Output) / 1e6
		if c := used[r.Name]; c.calls > 0 {
			n := int64(c.calls)
			l.tokens, l.usd = c.input/n+c.output/n, c.usd/float64(n)
			out.Measured += c.calls
		}
		out.Priced = out.Priced && priced
		loads = append(loads, l)
	}
	out.Calls = min(total, mostCalls(reflect.Rate, p.Search, mutate.DefaultBriefEvery))
	out.Tokens, out.USD = dearest(loads, out.Calls)
	for _, most := range []float64{reflect.MaxUSD, usd} {
		if most > 0 {
			out.USD = min(out.USD, most)
		}
	}
	if reflect.MaxTokens > 0 && out.Tokens > reflect.MaxTokens {
		out.Tokens = reflect.MaxTokens
	}
	out.Unsent = !slices.ContainsFunc(reflect.Routes, func(r mutate.AuthorRoute) bool { return sent(r.Name) })
	out.Text = out.describe(reflect.Rate)
	return out
}

// load describes the calls to a route: their maximum number, the mean number of tokens and
// the mean cost in USD of a call, and the maximum cost in USD and tokens of all calls,
// where 0 means no maximum.
type load struct {
	calls              int
	tokens, mostTokens int64
	usd, most          float64
}

// dearest returns the tokens and USD of the given number of calls if the most expensive
// routes get as many of the calls as their bounds allow.
func dearest(loads []load, calls int) (tokens int64, usd float64) {
	slices.SortStableFunc(loads, func(a, b load) int {
		return cmp.Or(cmp.Compare(b.usd, a.usd), cmp.Compare(b.tokens, a.tokens))
	})
	for _, l := range loads {
		n, bound := min(l.calls, calls), math.Inf(1)
		if l.most > 0 && l.usd > 0 {
			bound = l.most
			n = min(n, int(math.Ceil(l.most/l.usd)))
		}
		most := int64(math.MaxInt64)
		if l.mostTokens > 0 && l.tokens > 0 {
			most = l.mostTokens
			n = int(min(int64(n), (most+l.tokens-1)/l.tokens))
		}
		tokens += min(l.tokens*int64(n), most)
		usd += min(l.usd*float64(n), bound)
		calls -= n
	}
	return tokens, usd
}

// mostCalls returns the maximum number of calls in a search.
func mostCalls(r mutate.Rate, evaluations, every int) int {
	if r.Every > 0 {
		every = r.Every
	}
	calls := evaluations / every
	if r.MaxCalls > 0 {
		calls = min(calls, r.MaxCalls)
	}
	return calls
}

func (f Reflection) describe(r mutate.Rate) string {
	routes := strings.Join(f.Routes, ", ")
	if f.Unsent {
		return "no call to " + routes + ": each could exceed a limit, as the warnings show"
	}
	if f.Calls == 0 {
		every := r.Every
		if every == 0 {
			every = mutate.DefaultBriefEvery
		}
		return fmt.Sprintf("at most one call to %s for every %d evaluations", routes, every)
	}
	text := fmt.Sprintf("at most %s to %s, about %s tokens", number.Plural(f.Calls, "call"), routes, humanize.Comma(f.Tokens))
	switch {
	case f.USD > 0:
		text += " and " + number.Dollars(f.USD)
	case !f.Priced:
		text += "; their cost is unknown without prices"
	}
	if f.Measured == 0 {
		return text + ", estimated from an assumed length"
	}
	return text + fmt.Sprintf(", estimated from the lengths of %s earlier calls", humanize.Comma(int64(f.Measured)))
}
