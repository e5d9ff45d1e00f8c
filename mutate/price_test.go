package mutate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// routes is a world of three routes. The expensive route is the best, and the fair route is
// better than the champion.
func routes(guards []stats.Bound) Options {
	space := agent.Space{Params: []agent.Param{
		{Name: "route", Kind: agent.Choice, Values: []any{"old", "fair", "dear"}, Default: "old"},
		{Name: "x", Kind: agent.Int, Min: 1, Max: 4, Default: int64(2)},
	}}
	return Options{Space: space, Champion: space.Default(), Tasks: makeTasks(30), Budget: 500, Seed: 4, BaselineShare: -1, Guards: guards}
}

// driven runs a search in the routes world and returns its recommendation.
func driven(t *testing.T, o Options) Recommendation {
	t.Helper()
	r, _ := spending(t, o)
	return r
}

// spending is like driven, and also counts the evaluations of each route.
func spending(t *testing.T, o Options) (Recommendation, map[string]int) {
	t.Helper()
	s := newSearch(t, o)
	rng := rand.New(rand.NewPCG(3, 3))
	spent := map[string]int{}
	for {
		tr, status := s.Ask()
		if status != Ready {
			return s.Recommend(), spent
		}
		route, _ := tr.Config["route"].(string)
		spent[route]++
		chance := map[string]float64{"old": .3, "fair": .6, "dear": .95}[route]
		price := map[string]float64{"old": .01, "fair": .0102, "dear": .04}[route]
		score := 0.
		if rng.Float64() < chance {
			score = 1
		}
		s.Tell(Observation{Trial: tr, Scored: true, Score: score, CostUSD: price * (.9 + .2*rng.Float64())})
	}
}

// TestGuardsAreConstraints checks that variants that satisfy the guards come first, and
// that a variant that breaks them is a possible trade.
func TestGuardsAreConstraints(t *testing.T) {
	cost := stats.Bound{Name: stats.Cost, Of: stats.Mean, AtMost: 1.1, Floor: .00005}
	route := func(e Estimate) any { return e.Config["route"] }
	free := driven(t, routes(nil))
	if route(free.Best) != "dear" || route(free.Finalists[0]) != "dear" {
		t.Fatalf("without guards the best route is %v", route(free.Best))
	}
	rec := driven(t, routes([]stats.Bound{cost}))
	if route(rec.Best) != "fair" || len(rec.Best.Breaks) > 0 {
		t.Errorf("within its guards the best is %v, which breaks %v", route(rec.Best), rec.Best.Breaks)
	}
	last := rec.Finalists[len(rec.Finalists)-1]
	if route(last) != "dear" || !slices.Equal(last.Breaks, []string{"cost"}) || last.CostUSD < .03 || last.CostUSD > .05 {
		t.Errorf("the possible trade is %v at $%.4f, which breaks %v", route(last), last.CostUSD, last.Breaks)
	}
	for _, f := range rec.Finalists[:len(rec.Finalists)-1] {
		if len(f.Breaks) > 0 {
			t.Errorf("a second finalist breaks %v", f.Breaks)
		}
	}
	for _, f := range rec.Finalists {
		if !slices.ContainsFunc(rec.Compared, func(e Estimate) bool { return e.Variant == f.Variant && e.Score == f.Score }) {
			t.Errorf("finalist %s is not among the %d variants that were compared", f.Variant, len(rec.Compared))
		}
	}
	for i, e := range rec.Front {
		if i > 0 && (e.CostUSD < rec.Front[i-1].CostUSD || e.Score <= rec.Front[i-1].Score && e.Variant != rec.Champion.Variant) {
			t.Errorf("the front is not one: %.3f at $%.4f after %.3f at $%.4f", e.Score, e.CostUSD, rec.Front[i-1].Score, rec.Front[i-1].CostUSD)
		}
	}
	// With 10 % more cost allowed per point, the expensive route is worth it: it gains 65
	// points at four times the cost.
	cost.PerPoint = .1
	if rec := driven(t, routes([]stats.Bound{cost})); route(rec.Best) != "dear" || len(rec.Best.Breaks) > 0 {
		t.Errorf("with a preference the best is %v, which breaks %v", route(rec.Best), rec.Best.Breaks)
	}
}

// TestEvaluationsKeepGuards tests that a search with a guard spends its evaluations on
// variants that keep the guard. The expensive route, which gets most of the evaluations
// without the guard, gets no more than are needed to show a possible trade.
func TestEvaluationsKeepGuards(t *testing.T) {
	cost := stats.Bound{Name: stats.Cost, Of: stats.Mean, AtMost: 1.1, Floor: .00005}
	for seed := range int64(4) {
		free, bound := routes(nil), routes([]stats.Bound{cost})
		free.Seed, bound.Seed = seed, seed
		_, without := spending(t, free)
		rec, with := spending(t, bound)
		if rec.Best.Config["route"] != "fair" || without["dear"] < 300 || with["dear"] > 150 || with["fair"] < 200 {
			t.Errorf("seed %d: %v without the guard, %v with it, best %v", seed, without, with, rec.Best.Config["route"])
		}
		preferred := cost
		preferred.PerPoint = .1 // the gain is worth the cost
		worth := routes([]stats.Bound{preferred})
		worth.Seed = seed
		if _, spent := spending(t, worth); spent["dear"] < 300 {
			t.Errorf("seed %d: %v with a preference", seed, spent)
		}
	}
}

// TestAPriceIsOnesOwn checks that a variant that shares no task with the champion has the
// price of its own evaluations, and that a variant with too few evaluations has no price.
func TestAPriceIsOnesOwn(t *testing.T) {
	s := &search{}
	bill := func(a *variantStats, from, to int, cost float64) {
		for task := from; task < to; task++ {
			a.cost, a.seconds, a.billed, a.timed = a.cost+cost, a.seconds+10*cost, a.billed+1, a.timed+1
			a.pay(task, cost, 10*cost)
		}
	}
	s.champion = &variantStats{}
	bill(s.champion, 0, 10, .001)
	for name, at := range map[string]int{"no common task": 10, "some": 7, "all": 0} {
		a := &variantStats{}
		bill(a, at, at+5, .007)
		if p := s.price(a); !p.known || math.Abs(p.cost-.007) > 1e-9 || math.Abs(p.costs-7) > 1e-6 || math.Abs(p.lasts-7) > 1e-6 {
			t.Errorf("%s: %+v, want seven times the champion's price", name, p)
		}
	}
	// Evaluations without an answer time count only towards the cost.
	started := &variantStats{}
	bill(started, 0, 5, .007)
	for task := range 5 {
		s.recordDetails(started, task, Observation{CostUSD: .007, Seconds: math.NaN()})
	}
	if p := s.price(started); math.Abs(p.costs-7) > 1e-6 || math.Abs(p.lasts-7) > 1e-6 || math.Abs(p.seconds-.07) > 1e-6 {
		t.Errorf("with unknown times: %+v, want seven times the champion's price", p)
	}
	few := &variantStats{}
	bill(few, 10, 12, .007)
	if p := s.price(few); p.known || p.cost != 0 || p.costs != 1 {
		t.Errorf("two evaluations: %+v, want no price", p)
	}
}

// TestDominatesIgnoresRoundoff checks that the last digits of a sum do not keep a variant on
// the front.
func TestDominatesIgnoresRoundoff(t *testing.T) {
	better, worse := Estimate{Score: 1, CostUSD: 0.0010000000000000007}, Estimate{Score: .384, CostUSD: 0.0010000000000000002}
	if !better.dominates(worse) || worse.dominates(better) {
		t.Error("two equal costs with different last digits are not equal")
	}
	if cheaper := (Estimate{Score: .384, CostUSD: .000999}); better.dominates(cheaper) {
		t.Error("a variant that is cheaper is dominated")
	}
}
