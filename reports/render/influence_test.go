package render

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// influenceWorld returns a night whose search tried random configs. The route "cites"
// adds 20 points, a depth above 6 adds 10, notes add nothing, and quotes together with
// the route "cites" add the given number of points (joint).
func influenceWorld(t testing.TB, joint float64, configs int) *world {
	w := newWorld(t, 0)
	w.open(3, "helpdesk")
	rng := rand.New(rand.NewPCG(5, 9))
	make := func(route string, quotes bool, depth, notes float64) agent.Config {
		return agent.Config{"route": route, "quotes": quotes, "depth": depth, "notes": notes, "style": "plain"}
	}
	champion := w.variant("helpdesk", "default", make("plain", false, 3, 1))
	w.plan("helpdesk", champion, archive.AgentPlan{
		Search: 4000, SearchTasks: 30, Params: []string{"route", "quotes", "depth", "notes", "style"},
	})
	seen := tasks("s", 30, "engineering", "operations")
	for range configs {
		route, quotes := []string{"plain", "cites"}[rng.IntN(2)], rng.IntN(2) == 1
		depth, notes := float64(1+rng.IntN(9)), float64(1+rng.IntN(3))
		id := w.variant("helpdesk", "random", make(route, quotes, depth, notes))
		chance := .3
		if route == "cites" {
			chance += .2
			if quotes {
				chance += joint
			}
		}
		if depth > 6 {
			chance += .1
		}
		for _, i := range rng.Perm(len(seen))[:15] {
			w.evaluate("helpdesk", trial{stage: bench.StageSearch, variant: id, task: seen[i], chance: chance})
		}
	}
	w.must(w.a.PutResult(w.ctx, archive.AgentResult{Run: w.run.ID, Agent: "helpdesk", Verdict: archive.Keep}))
	w.end()
	return w
}

// TestInfluence checks that the page shows the known effects in an archive, and an
// interaction only if there is one. The page must show nothing about a parameter that was
// never changed.
func TestInfluence(t *testing.T) {
	for _, joint := range []float64{0, .3} {
		t.Run(fmt.Sprint(joint), func(t *testing.T) {
			w := influenceWorld(t, joint, 120)
			r := w.report()
			f := r.Agents[0].Influence
			if f == nil || f.Untold != "" {
				t.Fatalf("nothing is told: %+v", f)
			}
			byName := map[string]model.ParamInfluence{}
			for _, p := range f.Params {
				byName[p.Param] = p
			}
			if p := byName["route"]; p.Spread.Lo <= 0 || p.Reference != "plain" || p.Values[0].Value != "cites" {
				t.Errorf("route: %+v", p)
			}
			if p := byName["notes"]; p.Spread.Lo > 0 {
				t.Errorf("notes have an influence: %+v", p)
			}
			if p := byName["depth"]; len(p.Values) != 2 || p.Reference != "up to 4" {
				t.Errorf("depth has the values %+v", p)
			}
			if p, ok := byName["style"]; ok {
				t.Errorf("style was never changed and is judged: %+v", p)
			}
			var shown []model.Interaction
			for _, i := range f.Interactions {
				if i.Shown() {
					shown = append(shown, i)
				}
			}
			md := rendered(t, Markdown, r)
			if joint == 0 {
				if len(shown) > 0 || !strings.Contains(md, "No combination is shown to have an effect beyond the sum of the single effects.") {
					t.Errorf("interactions where none is: %+v", shown)
				}
				return
			}
			if len(shown) != 1 || shown[0].First != "route" || shown[0].Second != "quotes" || shown[0].Lo > joint || shown[0].Hi < joint {
				t.Errorf("interactions: %+v", f.Interactions)
			}
			if want := "| route = cites with quotes = true | +"; !strings.Contains(md, want) {
				t.Errorf("the Markdown lacks %s", want)
			}
			if page := rendered(t, HTML, r); page != rendered(t, HTML, w.report()) {
				t.Error("the same records give another page")
			}
		})
	}
	if f := influenceWorld(t, .3, 3).report().Agents[0].Influence; f.Untold == "" || f.Params != nil {
		t.Errorf("three configs tell %+v", f)
	}
}
