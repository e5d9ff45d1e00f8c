package population

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/mutate"
	"evolve/runtime/agent"
)

// models answer the briefs of a world. The route good moves the numbers a third of the
// way to the right ones, the route bad moves them away from the right ones, the route
// broken never answers with a text, and the route same always returns the parent's own
// text.
func (w *world) models(tr mutate.Trial) mutate.Observation {
	list := read(tr.Config)
	switch tr.Brief.Route {
	case "broken":
		return mutate.Observation{Reason: "the answer has no code", CostUSD: .01}
	case "good":
		for i, v := range w.want {
			list[i] += (v - list[i]) / 3
		}
	case "bad":
		for i, v := range w.want {
			list[i] -= (v - list[i]) / 3
		}
	}
	return mutate.Observation{Draft: &mutate.Draft{Config: agent.Config{"block": write(list)}, Rationale: "as " + tr.Brief.Route}, CostUSD: .01}
}

func authored(o Options, rate mutate.Rate, routes ...string) Options {
	o.Author = &mutate.Author{Rate: rate, Wordings: []string{"plain", "long"}}
	for _, r := range routes {
		o.Author.Routes = append(o.Author.Routes, mutate.AuthorRoute{Name: r})
	}
	return o
}

func TestModelsWriteVariants(t *testing.T) {
	t.Parallel()
	w := newWorld(60, 4)
	score := func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }
	o := authored(w.options(3000, 2), mutate.Rate{Every: 30, MaxCalls: 80}, "good", "bad", "broken")
	o.Author.Routes[1].MaxUSD = .055
	s := start(t, o)
	trials := driveWith(t, s, 4, score, w.models)
	routes, evaluations, others, tried := map[string]int{}, 0, 0, 0
	for n, tr := range trials {
		if tr.N != int64(n) {
			t.Fatalf("trial %d has the number %d", n, tr.N)
		}
		if tr.Brief == nil {
			evaluations++
			continue
		}
		b := tr.Brief
		routes[b.Route]++
		for _, c := range b.Tried {
			if c.Unscored && c.Gain != 0 || c.Refused == "" && c.Variant == "" {
				t.Errorf("an earlier change is %+v", c)
			}
		}
		others, tried = max(others, len(b.Others)), max(tried, len(b.Tried))
		if evaluations < 30*(routes["good"]+routes["bad"]+routes["broken"]) {
			t.Errorf("a brief after %d evaluations: %v", evaluations, routes)
		}
		if b.Component != "block" || len(b.Cases) == 0 || b.Wording == "" || b.Form == "" || tr.Variant != tr.Config.ID() {
			t.Errorf("brief %+v", b)
		}
		for i, c := range b.Cases[1:] {
			if i < worstShown-1 && w.score(tr.Config, b.Cases[i].Task)-w.score(o.Champion, b.Cases[i].Task) > w.score(tr.Config, c.Task)-w.score(o.Champion, c.Task)+1e-9 {
				t.Errorf("the worst cases do not come first: %+v", b.Cases)
			}
		}
	}
	if evaluations != o.Budget || routes["bad"] > 6 || routes["good"] <= routes["broken"] || routes["broken"] == 0 {
		t.Errorf("%d evaluations, briefs %v", evaluations, routes)
	}
	if others == 0 || tried != triedShown {
		t.Errorf("briefs had %d other texts and %d earlier changes at most", others, tried)
	}
	rec := s.Recommend()
	if len(rec.Drafts) == 0 || len(rec.Drafts) > routes["good"]+routes["bad"] {
		t.Errorf("%d drafts of %v", len(rec.Drafts), routes)
	}
	if r := rec.Rival; r == nil || r.Evaluations < 100 || r.Evaluations > 1500 || r.Models <= r.Operators || r.Operators <= 0 {
		t.Errorf("beside the operators alone: %+v", rec.Rival)
	}
	alone := start(t, w.options(3000, 2))
	drive(t, alone, 4, score)
	if r := alone.Recommend().Rival; r != nil {
		t.Errorf("without models they are compared: %+v", r)
	}
	with, without := w.truth(rec.Best.Config), w.truth(alone.Recommend().Best.Config)
	t.Logf("briefs %v, %d drafts; true score %.3f, without models %.3f", routes, len(rec.Drafts), with, without)
	if with <= without {
		t.Errorf("with models the true score is %.3f, without %.3f", with, without)
	}
	again := start(t, o)
	if diff := cmp.Diff(trials, driveWith(t, again, 4, score, w.models)); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
}

// TestModelsAlone checks that a search without operators, such as a search over code in a
// language that has none, works with models alone and ends when they offer nothing new.
func TestModelsAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(20, 4)
	score := func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }
	for route, want := range map[string]string{"good": "better", "broken": "exhausted", "same": "exhausted"} {
		o := authored(w.options(300, 2), mutate.Rate{}, route)
		o.Operators = nil
		s := start(t, o)
		briefs := 0
		for _, tr := range driveWith(t, s, 2, score, w.models) {
			if tr.Brief != nil {
				briefs++
			}
		}
		rec := s.Recommend()
		switch {
		case want == "better" && rec.Best.Gain <= 0:
			t.Errorf("%s: %+v", route, rec.Best)
		case want == "exhausted" && (!rec.Exhausted || briefs > mostRefused+2 || rec.Best.Gain != 0):
			t.Errorf("%s: %d briefs, exhausted %v", route, briefs, rec.Exhausted)
		}
	}
	if _, err := New(Options{Options: mutate.Options{Space: w.space, Champion: w.space.Default(), Tasks: []mutate.Task{{ID: "a"}}, Budget: 1}}); err == nil {
		t.Error("a search without operators and models was accepted")
	}
}

// TestPastDrafts checks that drafts of earlier nights count for the choice of the route,
// and that drafts of this run count for the bounds of a route.
func TestPastDrafts(t *testing.T) {
	t.Parallel()
	w := newWorld(30, 4)
	score := func(tr mutate.Trial) (float64, bool) { return w.score(tr.Config, tr.Task), true }
	o := authored(w.options(900, 2), mutate.Rate{Every: 10, MaxCalls: 30}, "good", "broken")
	for i := range 20 {
		past := mutate.PastDraft{Component: "block", Route: "broken", Wording: "plain", Form: mutate.Change, Reason: fmt.Sprint("no ", i), Tonight: i >= 10}
		o.Author.Past = append(o.Author.Past, past)
	}
	briefs := map[string]int{}
	var first *mutate.Brief
	for _, tr := range driveWith(t, start(t, o), 4, score, w.models) {
		if tr.Brief != nil {
			briefs[tr.Brief.Route]++
			if first == nil {
				first = tr.Brief
			}
		}
	}
	if briefs["good"]+briefs["broken"] != 20 || briefs["good"] <= briefs["broken"] {
		t.Errorf("briefs %v after 10 of this night", briefs)
	}
	if first == nil || first.Route != "good" || len(first.Tried) != triedShown || first.Tried[0].Refused != "no 19" {
		t.Errorf("the first brief is %+v", first)
	}
}
