package workspace

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"evolve/runtime/policy"
)

// The names in policies for the origins of tools; originMCP is followed by a colon and a
// server's name, unless it stands for all servers.
const (
	originLocal    = "local"
	originAuthored = "authored"
	originMCP      = "mcp"
)

// The longest time and the largest count that a policy may set.
const (
	maxWait  = 24 * time.Hour
	maxCalls = 1_000_000_000
)

// layerEntry holds one layer of policies with the positions of its keys in evolve.yaml.
type layerEntry struct {
	entry
	settings *policy.Settings
	// parts holds the layer's groups of keys (retry, rate and budget), with the positions
	// of the keys. It is keyed by the group's name.
	parts map[string]entry
}

func policyKeys(f *settingsFile) object {
	book := &f.Policies
	overlays := func(name string, to *map[string]policy.Settings) mapping {
		return mapping{
			each: func(_ *source, k *yaml.Node) field {
				v := &policy.Settings{}
				l := newLayer(v)
				l.key = k
				put(&f.layers, name+"."+k.Value, l)
				return then{layerKeys(l), func() { put(to, k.Value, *v) }}
			},
			item: layerKeys(newLayer(new(policy.Settings))),
		}
	}
	environment := newLayer(&book.Environment)
	put(&f.layers, "environment", environment)
	return object{keys: []key{
		{name: "environment", doc: "limits on every call; for a key that is left out, a built-in limit applies", field: layerKeys(environment).object, example: "{deadline: 30s, retry: {attempts: 3}}"},
		{name: "origins", doc: "limits on the calls to the tools of each origin (local, authored, mcp or mcp:<server>), with the same keys as environment", field: overlays("origins", &book.Origins), example: "{mcp: {deadline: 5s}}"},
		{name: "roles", doc: "limits on the calls by each agent (for a program or service, on its tasks), with the same keys as environment", field: overlays("roles", &book.Roles), example: "{}"},
		{name: "tools", doc: "limits on the calls to each tool, with the same keys as environment", field: overlays("tools", &book.Tools), example: "{grep: {deadline: 2s}}"},
		{name: "providers", doc: "limits on the calls to each provider, with the same keys as environment", field: overlays("providers", &book.Providers), example: "{openai: {rate: {calls: 60, per: 1m}}}"},
	}}
}

func newLayer(v *policy.Settings) *layerEntry {
	l := &layerEntry{settings: v, parts: map[string]entry{}}
	l.keys = map[string]*yaml.Node{}
	for _, part := range []string{"retry", "rate", "budget"} {
		l.parts[part] = entry{keys: map[string]*yaml.Node{}}
	}
	return l
}

// layer is an object that several settings have as their value. Its keys are nevertheless
// listed only once, both in the comments of a scaffold and in the schema.
type layer struct{ object }

// layerRef is the name under which the schema of evolve.yaml defines a layer.
const layerRef = "layer"

func (layer) schema() schema { return schema{"$ref": "#/$defs/" + layerRef} }

func layerKeys(l *layerEntry) layer {
	s := l.settings
	var exhausted string
	waits := func(to *time.Duration) duration { return duration{to, time.Millisecond, maxWait} }
	share := func(to *float64) number { return number{to: to, max: 1, above: true} }
	return layer{object{seen: l.keys, keys: []key{
		{name: "deadline", doc: "maximum duration of a call, including all attempts and waiting", field: waits(&s.Deadline)},
		{name: "retry", doc: "retries of failed calls that may be repeated: reads, and writes with an idempotency key", field: object{seen: l.parts["retry"].keys, keys: []key{
			{name: "attempts", doc: "maximum number of attempts; 1 means no retry", field: whole[int]{&s.Attempts, 1, 100}},
			{name: "backoff", doc: "wait before the second attempt; doubled before each further attempt", field: waits(&s.Backoff)},
			{name: "max_backoff", doc: "longest wait between two attempts", field: waits(&s.MaxBackoff)},
		}}},
		{name: "breaker", doc: "circuit breaker: calls are refused immediately if too many recent calls failed or were slow", field: object{keys: []key{
			{name: "calls", doc: "number of the most recent calls that are considered", field: whole[int]{&s.BreakerCalls, 1, 10_000}},
			{name: "failures", doc: "share of failures that opens the breaker", field: share(&s.BreakerFailures)},
			{name: "slow", doc: "a call that takes at least this long counts as slow", field: waits(&s.BreakerSlow)},
			{name: "slow_share", doc: "share of slow calls that opens the breaker", field: share(&s.BreakerSlowShare)},
			{name: "open", doc: "how long the breaker stays open", field: waits(&s.BreakerOpen)},
			{name: "probes", doc: "number of trial calls that must succeed before the breaker closes", field: whole[int]{&s.BreakerProbes, 1, 1000}},
		}}},
		{name: "rate", doc: "number of calls that may begin in a period, spread evenly over it", field: object{seen: l.parts["rate"].keys, keys: []key{
			{name: "calls", doc: "number of calls let through in each period", field: whole[int]{&s.RateCalls, 1, maxCalls}},
			{name: "per", doc: "the period", field: waits(&s.RatePer)},
			{name: "wait", doc: "longest time that a call waits for its turn", field: waits(&s.RateWait)},
		}}},
		{name: "concurrency", doc: "maximum number of calls at the same time", field: whole[int]{&s.Concurrency, 1, 10_000}},
		{name: "queue_wait", doc: "longest time that a call waits for a free slot; agents take turns", field: waits(&s.QueueWait)},
		{name: "budget", doc: "limit on what calls may spend, and what happens once it is reached", field: object{seen: l.parts["budget"].keys, keys: []key{
			{name: "run", doc: "in one run", field: spendingKeys(&s.PerRun)},
			{name: "agent", doc: "by one agent in one run", field: spendingKeys(&s.PerAgent)},
			{name: "day", doc: "in one day", field: spendingKeys(&s.PerDay)},
			{name: "exhausted", doc: "deny: calls are refused; degrade: another provider serves them", field: then{oneOf(&exhausted, string(policy.Deny), string(policy.Degrade)), func() { s.Exhausted = policy.Exhausted(exhausted) }}},
			{name: "degrade_to", doc: "fallback provider, which serves the calls once this budget is spent", field: text{to: &s.DegradedTo, pattern: namePattern, rule: nameRule}},
		}}},
	}}}
}

func spendingKeys(b *policy.Budget) object {
	return object{keys: []key{
		{name: "calls", doc: "maximum number of calls", field: whole[int64]{&b.Calls, 1, maxCalls}},
		{name: "tokens", doc: "maximum number of tokens, input and output", field: whole[int64]{&b.Tokens, 1, 1_000_000_000_000}},
		{name: "usd", doc: "maximum cost, in USD", field: number{to: &b.USD, max: maxUSD, above: true}},
		{name: "time", doc: "maximum total duration of the calls", field: duration{&b.Elapsed, time.Millisecond, 31 * 24 * time.Hour}},
	}}
}

// checkPolicies checks that each layer is consistent in itself and refers only to
// providers and servers in the file. The names of agents and tools are checked later,
// once these are known.
func (f *settingsFile) checkPolicies(s *source) {
	providers, servers := SortedNames(f.Providers), SortedNames(f.MCP)
	for _, name := range SortedNames(f.layers) {
		l := f.layers[name]
		l.check(s, providers)
		group, what, overlay := strings.Cut(name, ".")
		if !overlay {
			f.checkStandIn(s, l)
			continue
		}
		switch group {
		case "origins":
			if server, ok := strings.CutPrefix(what, originMCP+":"); ok {
				if !slices.Contains(servers, server) {
					s.bad(l.key, didYouMean(server, servers), "there is no server %q under mcp", server)
				}
			} else if known := []string{originLocal, originAuthored, originMCP}; !slices.Contains(known, what) {
				s.bad(l.key, didYouMean(what, known), "an origin is local, authored, mcp or mcp:<server>, not %q", what)
			}
		case "providers":
			if !slices.Contains(providers, what) {
				s.bad(l.key, didYouMean(what, providers), "there is no provider %q", what)
			}
			if to := l.settings.DegradedTo; to == what {
				s.bad(l.parts["budget"].at("degrade_to"), "", "the provider %q cannot be its own fallback", what)
			}
		}
	}
}

// checkBook reports the contradictions that package policy finds. It runs after all the
// checks that can name a key, because their issues have the key's position.
func (f *settingsFile) checkBook(s *source) {
	at := f.given["policies"]
	if at == nil || s.errs.failed(s.file) {
		return
	}
	if _, err := policy.New(policy.Options{Book: f.Policies}); err != nil {
		keys := strings.NewReplacer("breaker_", "breaker.", "rate_", "rate.", "max_backoff", "retry.max_backoff", "degraded_to", "degrade_to")
		s.bad(at, "", "%s", keys.Replace(strings.TrimPrefix(err.Error(), "policy: ")))
	}
}

// checkStandIn checks the fallback provider in the policies under environment. It reports
// an issue if the provider would be its own fallback, because those policies apply to
// that provider as well.
func (f *settingsFile) checkStandIn(s *source, l *layerEntry) {
	to := l.settings.DegradedTo
	if _, known := f.Providers[to]; !known || f.Policies.Providers[to].Exhausted != "" {
		return
	}
	s.bad(l.parts["budget"].at("degrade_to"), fmt.Sprintf("add %s: {budget: {exhausted: deny}} under policies.providers", to),
		"the provider %q would become its own fallback", to)
}

// check checks that the keys of the layer are consistent.
func (l *layerEntry) check(s *source, providers []string) {
	v := l.settings
	retry, rate, budget := l.parts["retry"], l.parts["rate"], l.parts["budget"]
	if v.MaxBackoff > 0 && v.Backoff > v.MaxBackoff {
		s.bad(retry.keys["max_backoff"], "", `"max_backoff" is below "backoff"`)
	}
	if calls, per := rate.keys["calls"], rate.keys["per"]; (calls == nil) != (per == nil) {
		s.bad(l.keys["rate"], "write it like {calls: 60, per: 1m}", `"calls" and "per" must be given together`)
	}
	to, word := budget.keys["degrade_to"], budget.keys["exhausted"]
	switch {
	case to == nil && word != nil && v.Exhausted == policy.Degrade:
		s.bad(word, "", `"degrade" needs a provider in "degrade_to"`)
	case to != nil && v.Exhausted != policy.Degrade:
		s.bad(to, "", `"degrade_to" has no effect without "exhausted: degrade"`)
	case to != nil && v.DegradedTo != "" && !slices.Contains(providers, v.DegradedTo):
		s.bad(to, didYouMean(v.DegradedTo, providers), "there is no provider %q", v.DegradedTo)
	}
}

// policyNames checks that the agents and tools named by layers exist.
func (f *settingsFile) policyNames(s *source, agents, tools []string) {
	for _, name := range SortedNames(f.layers) {
		group, what, _ := strings.Cut(name, ".")
		at := f.layers[name].key
		switch {
		case group == "roles" && !slices.Contains(agents, what):
			s.bad(at, didYouMean(what, agents), "there is no agent %q", what)
		case group == "tools" && !slices.Contains(tools, what):
			s.bad(at, didYouMean(what, tools), "there is no tool %q", what)
		}
	}
}
