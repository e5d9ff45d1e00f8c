package mutate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/runtime/agent"
)

// authored returns a space with a text and a choice, in which only one particular text
// helps.
func authored() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 200, Default: "Answer."},
		{Name: "mode", Kind: agent.Choice, Values: []any{"a", "b", "c"}, Default: "a"},
		{Name: "n", Kind: agent.Int, Min: 1, Max: 30, Default: int64(4)},
	}}
}

// runAuthored drives a search and answers its briefs with the function answer.
func runAuthored(t *testing.T, s Searcher, answer func(Trial) *Draft) (briefs, evaluations []Trial, rec Recommendation) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 1))
	for {
		tr, status := s.Ask()
		if status != Ready {
			return briefs, evaluations, s.Recommend()
		}
		if tr.Brief != nil {
			briefs = append(briefs, tr)
			d := answer(tr)
			o := Observation{Trial: tr, Draft: d}
			if d == nil {
				o.Reason = "the answer is no JSON"
			}
			s.Tell(o)
			continue
		}
		evaluations = append(evaluations, tr)
		p := 0.35
		if tr.Config.String("strategy") == "Think first." {
			p = 0.8
		}
		score := 0.0
		if rng.Float64() < p {
			score = 1
		}
		s.Tell(Observation{Trial: tr, Scored: true, Score: score, Outcome: agent.OK, Reason: "wrong"})
	}
}

func TestDraftsBecomeVariants(t *testing.T) {
	space := authored()
	o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 300, Seed: 1, Author: &Author{Routes: []AuthorRoute{{Name: "writer"}}}}
	briefs, evaluations, rec := runAuthored(t, newSearch(t, o), func(tr Trial) *Draft {
		if tr.Brief.Component != "strategy" {
			return nil
		}
		c := tr.Config.Clone()
		c["strategy"] = "Think first."
		return &Draft{Config: c, Rationale: "it did not think"}
	})
	if len(evaluations) != 300 {
		t.Errorf("%d evaluations of 300: a brief costs none", len(evaluations))
	}
	if n := len(briefs); n < 3 || n > 300/DefaultBriefEvery {
		t.Errorf("%d briefs", n)
	}
	var components []string
	for _, b := range briefs {
		components = append(components, b.Brief.Component)
		if len(b.Brief.Cases) == 0 || len(b.Brief.Cases) > casesShown {
			t.Errorf("a brief of %d cases", len(b.Brief.Cases))
		}
		passed := false
		for _, c := range b.Brief.Cases {
			if passed && c.Score < failed && b.Brief.Form != Demonstrate {
				t.Error("a failed case after a passed one")
			}
			passed = c.Score >= failed
		}
	}
	if slices.ContainsFunc(components, func(c string) bool { return c != "strategy" }) {
		t.Errorf("the space has a text, but a choice was to be changed: %v", components)
	}
	i := slices.IndexFunc(evaluations, func(tr Trial) bool { return tr.Operator == reflectOperator })
	if i < 0 || len(evaluations[i].Parents) != 1 || evaluations[i].Rationale != "it did not think" {
		t.Fatalf("no draft was tried, or not as one")
	}
	if rec.Best.Config.String("strategy") != "Think first." {
		t.Errorf("recommends %s", rec.Best.Config.Canonical())
	}
}

func TestNoBriefsWithoutAnAuthor(t *testing.T) {
	space := authored()
	briefs, _, _ := runAuthored(t, newSearch(t, Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 200}), nil)
	if len(briefs) > 0 {
		t.Errorf("%d briefs", len(briefs))
	}
}

// TestBadDrafts checks that drafts that are invalid, known or missing are ignored.
func TestBadDrafts(t *testing.T) {
	space := authored()
	for name, answer := range map[string]func(Trial) *Draft{
		"none":          func(Trial) *Draft { return nil },
		"its own":       func(tr Trial) *Draft { return &Draft{Config: tr.Config} },
		"another space": func(Trial) *Draft { return &Draft{Config: agent.Config{"other": "x"}} },
		"not valid":     func(Trial) *Draft { return &Draft{Config: agent.Config{"mode": "z"}} },
	} {
		o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 150, Seed: 1, Author: &Author{Routes: []AuthorRoute{{Name: "writer"}}}}
		_, evaluations, _ := runAuthored(t, newSearch(t, o), answer)
		for _, tr := range evaluations {
			if tr.Operator == reflectOperator {
				t.Errorf("%s: a variant was made of it", name)
				break
			}
		}
	}
}

// drafting answers every brief with a new text for the brief's component.
func drafting(tr Trial) *Draft {
	c := tr.Config.Clone()
	c[tr.Brief.Component] = fmt.Sprintf("%s %d.", tr.Brief.Form, tr.N)
	return &Draft{Config: c, Rationale: "because"}
}

func TestEveryFormIsTriedAgain(t *testing.T) {
	space := authored()
	o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 1000, Seed: 1, Author: &Author{Rate: Rate{Every: 5}, Routes: []AuthorRoute{{Name: "writer"}}}}
	briefs, _, _ := runAuthored(t, newSearch(t, o), drafting)
	if len(briefs) < 80 {
		t.Fatalf("%d briefs", len(briefs))
	}
	for from := 0; from+40 <= len(briefs); from += 20 {
		count := map[Form]int{}
		for _, b := range briefs[from : from+40] {
			count[b.Brief.Form]++
		}
		if count[Change] < 2 || count[Rewrite] < 2 || count[Demonstrate] < 2 {
			t.Errorf("of the briefs from the %dth on: %v", from, count)
		}
	}
}

func TestDemonstrationsHaveTheirOwnForm(t *testing.T) {
	space := authored()
	space.Params = append(space.Params, agent.Param{Name: "examples", Kind: agent.Text, MaxChars: 500, Default: "", Use: agent.Demonstrations})
	o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 800, Seed: 1, Author: &Author{Routes: []AuthorRoute{{Name: "writer"}}}}
	briefs, _, _ := runAuthored(t, newSearch(t, o), drafting)
	seen := map[string]int{}
	for _, b := range briefs {
		seen[b.Brief.Component]++
		if (b.Brief.Component == "examples") != (b.Brief.Form == Demonstrate) {
			t.Errorf("%s of %s", b.Brief.Form, b.Brief.Component)
		}
		if b.Brief.Form == Demonstrate && b.Brief.Cases[0].Score < failed {
			t.Error("demonstrations from a case that failed")
		}
	}
	if seen["examples"] < 4 || seen["strategy"] < 4 {
		t.Errorf("the components were asked for %v times", seen)
	}
}

// TestRoutesAreChosenByGain checks that the route whose drafts help gets the most briefs,
// within its bounds, and that the other routes are tried again.
func TestRoutesAreChosenByGain(t *testing.T) {
	space := authored()
	run := func(a *Author) map[string]int {
		o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 1500, Seed: 3, Author: a}
		count := map[string]int{}
		helpful := map[string]bool{}
		rng := rand.New(rand.NewPCG(1, 1))
		s := newSearch(t, o)
		for {
			tr, status := s.Ask()
			if status != Ready {
				return count
			}
			if tr.Brief != nil {
				d := drafting(tr)
				count[tr.Brief.Route]++
				switch tr.Brief.Route {
				case "helps":
					helpful[d.Config.String("strategy")] = true
					s.Tell(Observation{Trial: tr, Draft: d, CostUSD: 0.01})
				case "idle":
					s.Tell(Observation{Trial: tr, Draft: d, CostUSD: 0.01})
				case "down":
					s.Tell(Observation{Trial: tr, Outcome: agent.Infrastructure, Reason: "no route to host"})
				}
				continue
			}
			p, score := 0.2, 0.0
			if helpful[tr.Config.String("strategy")] {
				p = 0.2 + 0.02*float64(min(40, tr.Generation*10))
			}
			if rng.Float64() < p {
				score = 1
			}
			s.Tell(Observation{Trial: tr, Scored: true, Score: score, Outcome: agent.OK})
		}
	}
	routes := []AuthorRoute{{Name: "down"}, {Name: "idle"}, {Name: "helps"}}
	count := run(&Author{Rate: Rate{Every: 6}, Routes: routes})
	if count["helps"] < 2*count["idle"] || count["helps"] < 2*count["down"] || count["idle"] < 3 || count["down"] < 3 {
		t.Errorf("the routes got %v", count)
	}
	routes[2].MaxCalls = 7
	if count = run(&Author{Rate: Rate{Every: 6, MaxCalls: 30}, Routes: routes}); count["helps"] != 7 || count["helps"]+count["idle"]+count["down"] != 30 {
		t.Errorf("of at most 30 calls and 7 of one route: %v", count)
	}
	routes[2].MaxCalls, routes[2].MaxUSD = 0, 0.05
	if count = run(&Author{Rate: Rate{Every: 6}, Routes: routes}); count["helps"] < 5 || count["helps"] > 6 {
		t.Errorf("of at most five cents at a cent each: %v", count)
	}
	routes[2].MaxUSD, routes[2].Every = 0, 300
	if count = run(&Author{Rate: Rate{Every: 6}, Routes: routes}); count["helps"] > 5 || count["helps"] < 2 {
		t.Errorf("one in 300 of 1,500 evaluations: %v", count)
	}
}

func TestRefusedDraftsAreShown(t *testing.T) {
	space := authored()
	o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 300, Seed: 1, Author: &Author{Routes: []AuthorRoute{{Name: "writer"}}}}
	n := 0
	briefs, _, _ := runAuthored(t, newSearch(t, o), func(tr Trial) *Draft {
		if n++; n == 1 {
			return nil
		}
		return drafting(tr)
	})
	tried := briefs[1].Brief.Tried
	if len(tried) != 1 || tried[0].Refused != "the answer is no JSON" {
		t.Errorf("the second brief has %+v", tried)
	}
	last := briefs[len(briefs)-1].Brief.Tried
	if len(last) != triedShown || last[triedShown-1].Refused == "" {
		t.Errorf("the refusal gave way to later drafts: %+v", last)
	}
	if !slices.ContainsFunc(last, func(c TriedChange) bool { return c.Text != "" && c.Rationale == "because" }) {
		t.Errorf("the last brief has %+v", last)
	}
}

// TestChoicesLiveOn checks that the choices in briefs start from the drafts of earlier
// nights, whose gains the history shows.
func TestChoicesLiveOn(t *testing.T) {
	space := authored()
	tasks := makeTasks(20)
	var past []PastDraft
	var history []Remembered
	remember := func(c agent.Config, score float64) {
		for _, task := range tasks {
			history = append(history, Remembered{Variant: c.ID(), Config: c, Task: task.ID, Score: score, Trust: 1})
		}
	}
	remember(space.Default(), 0)
	for i := range 30 {
		c := space.Default()
		c["strategy"] = fmt.Sprint("draft ", i)
		route, score := "poor", 0.0
		if i%2 == 1 {
			route, score = "good", 1
		}
		remember(c, score)
		past = append(past, PastDraft{Component: "strategy", Form: Rewrite, Route: route, Parent: space.Default().ID(), Draft: c.ID(), Config: c, Rationale: route})
	}
	o := Options{
		Space: space, Champion: space.Default(), Tasks: tasks, Budget: 300, Seed: 1, History: history,
		Author: &Author{Routes: []AuthorRoute{{Name: "poor"}, {Name: "good"}}, Past: past},
	}
	briefs, _, _ := runAuthored(t, newSearch(t, o), func(Trial) *Draft { return nil })
	good := 0
	for _, b := range briefs {
		if b.Brief.Route == "good" {
			good++
		}
	}
	if good*3 < len(briefs)*2 {
		t.Errorf("%d of %d briefs go to the route that helped on earlier nights", good, len(briefs))
	}
	if first := briefs[0].Brief.Tried; len(first) != triedShown || first[0].Rationale != "good" || first[0].Gain < 0.5 || first[1].Gain > 0 {
		t.Errorf("the first brief has %+v", first)
	}
}
