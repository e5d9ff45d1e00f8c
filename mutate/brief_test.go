package mutate

import (
	"math/rand/v2"
	"slices"
	"testing"

	"evolve/runtime/agent"
)

// authored returns a space with a text and a choice, in which only one text helps.
func authored() agent.Space {
	return agent.Space{Params: []agent.Param{
		{Name: "strategy", Kind: agent.Text, MaxChars: 200, Default: "Answer."},
		{Name: "mode", Kind: agent.Choice, Values: []any{"a", "b", "c"}, Default: "a"},
		{Name: "n", Kind: agent.Int, Min: 1, Max: 30, Default: int64(4)},
	}}
}

// runAuthored drives a search whose briefs are answered by a function.
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
			s.Tell(Observation{Trial: tr, Draft: answer(tr)})
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
	o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 300, Seed: 1, Author: true}
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
	if n := len(briefs); n < 3 || n > 300/briefShare {
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
			if passed && c.Score < failed {
				t.Error("a failed case after a passed one")
			}
			passed = c.Score >= failed
		}
	}
	for i := range components[1:] {
		if components[i] == components[i+1] {
			t.Errorf("the components did not take turns: %v", components)
			break
		}
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

// TestBadDrafts: drafts that are invalid, known or missing are ignored.
func TestBadDrafts(t *testing.T) {
	space := authored()
	for name, answer := range map[string]func(Trial) *Draft{
		"none":          func(Trial) *Draft { return nil },
		"its own":       func(tr Trial) *Draft { return &Draft{Config: tr.Config} },
		"another space": func(Trial) *Draft { return &Draft{Config: agent.Config{"other": "x"}} },
		"not valid":     func(Trial) *Draft { return &Draft{Config: agent.Config{"mode": "z"}} },
	} {
		o := Options{Space: space, Champion: space.Default(), Tasks: makeTasks(20), Budget: 150, Seed: 1, Author: true}
		_, evaluations, _ := runAuthored(t, newSearch(t, o), answer)
		for _, tr := range evaluations {
			if tr.Operator == reflectOperator {
				t.Errorf("%s: a variant was made of it", name)
				break
			}
		}
	}
}
