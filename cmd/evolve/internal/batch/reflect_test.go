package batch

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
)

func TestRoomOfARoute(t *testing.T) {
	for _, c := range []struct{ context, answer, want int }{{0, 0, 0}, {2048, 400, 1443}, {2048, 0, 1024}, {128_000, 0, 111_104}} {
		if got := max(0, room(workspace.Route{Context: c.context, MaxTokens: c.answer})); got != c.want {
			t.Errorf("of %d tokens with answers of %d: %d, want %d", c.context, c.answer, got, c.want)
		}
	}
}

// TestForecastOfDrafts checks the calls, tokens and money in a forecast of drafts.
func TestForecastOfDrafts(t *testing.T) {
	var set workspace.Settings
	set.Routes = map[string]workspace.Route{"a": {Model: "small"}, "b": {Model: "big"}}
	set.Prices = map[string]workspace.Price{"small": {Input: 1, Output: 1}, "big": {Input: 10, Output: 10}}
	plan := &archive.AgentPlan{Agent: "clerk", Search: 240}
	route := func(name string, r mutate.Rate) mutate.AuthorRoute { return mutate.AuthorRoute{Name: name, Rate: r} }
	used := map[string]callCost{"a": {calls: 2, input: 2000, output: 200, usd: .02}, "b": {calls: 1, input: 500, output: 100, usd: .05}}
	for _, c := range []struct {
		name    string
		reflect workspace.Reflect
		used    map[string]callCost
		calls   int
		usd     float64
		text    string
		budget  float64
	}{
		{"by default", workspace.Reflect{Routes: []mutate.AuthorRoute{route("a", mutate.Rate{})}}, nil, 20, .088, "at most 20 calls to a (small), about 88,000 tokens and $0.088, estimated from an assumed length", 0},
		{"a rate", workspace.Reflect{Rate: mutate.Rate{Every: 4}, Routes: []mutate.AuthorRoute{route("a", mutate.Rate{Every: 60})}}, nil, 4, .0176, "at most 4 calls", 0},
		{"caps", workspace.Reflect{Rate: mutate.Rate{MaxCalls: 7}, Routes: []mutate.AuthorRoute{route("a", mutate.Rate{MaxCalls: 2}), route("b", mutate.Rate{MaxCalls: 3})}}, used, 5, .17, "about 4,000 tokens and $0.17, estimated from the lengths of 3 earlier calls", 0},
		{
			"caps of the routes alone",
			workspace.Reflect{Rate: mutate.Rate{MaxCalls: 40}, Routes: []mutate.AuthorRoute{route("a", mutate.Rate{MaxUSD: .009}), route("b", mutate.Rate{MaxCalls: 3})}},
			nil, 20, .141, "about 26,400 tokens and $0.14", 0,
		},
		{"tokens", workspace.Reflect{Rate: mutate.Rate{MaxTokens: 9000}, Routes: []mutate.AuthorRoute{route("b", mutate.Rate{})}}, nil, 20, .88, "about 9,000 tokens", 0},
		{"tokens of a route", workspace.Reflect{Routes: []mutate.AuthorRoute{route("b", mutate.Rate{MaxTokens: 9000})}}, nil, 20, .132, "about 9,000 tokens", 0},
		{"money", workspace.Reflect{Rate: mutate.Rate{MaxUSD: .1}, Routes: []mutate.AuthorRoute{route("b", mutate.Rate{})}}, used, 20, .1, "$0.10", 0},
		{"money of the run", workspace.Reflect{Routes: []mutate.AuthorRoute{route("b", mutate.Rate{})}}, used, 20, .15, "$0.15", .15},
	} {
		set.Search.Reflect = c.reflect
		f := reflection(&set, plan, c.used, c.budget, func(string) bool { return true })
		if f.Calls != c.calls || f.USD < c.usd-1e-9 || f.USD > c.usd+1e-9 || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: %+v", c.name, f)
		}
	}
	plan.Search = 0
	set.Search.Reflect.Every = 30
	if f := reflection(&set, plan, nil, 0, func(string) bool { return true }); f.Text != "at most one call to b (big) for every 30 evaluations" {
		t.Errorf("without a number of evaluations: %q", f.Text)
	}
}

// TestUnsentReflect checks that a bound that even the smallest request can exceed is
// reported with the numbers.
func TestUnsentReflect(t *testing.T) {
	var w workspace.Workspace
	set := &w.Settings
	set.Routes = map[string]workspace.Route{"dear": {Model: "big", MaxTokens: 2000}}
	set.Prices = map[string]workspace.Price{"big": {Input: 10, Output: 30}}
	set.Patches.Targets = []workspace.PatchTarget{{Name: "jobs"}}
	for _, c := range []struct {
		route, all mutate.Rate
		usd        float64
		want       string
	}{
		{mutate.Rate{}, mutate.Rate{}, 0, ""},
		{mutate.Rate{MaxUSD: .03}, mutate.Rate{}, 0, "and 2,000 of output), but max_usd of the route is 0.03"},
		{mutate.Rate{MaxUSD: 1}, mutate.Rate{MaxUSD: .05}, 0, "no request to route dear will be sent: the smallest can cost up to $0.0"},
		{mutate.Rate{}, mutate.Rate{}, .01, "but budget.usd is 0.01"},
		{mutate.Rate{MaxTokens: 2100}, mutate.Rate{}, 0, "but max_tokens of the route is 2100"},
		{mutate.Rate{MaxTokens: 20_000}, mutate.Rate{MaxTokens: 20_000}, 1, ""},
	} {
		set.Search.Reflect = workspace.Reflect{Rate: c.all, Routes: []mutate.AuthorRoute{{Name: "dear", Rate: c.route}}}
		if got := UnsentReflect(&w, c.usd, "dear"); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
