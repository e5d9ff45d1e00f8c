package render

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/reports/model"
	"evolve/runtime/agent"
)

// TestLineage checks that a page shows the ancestry of the variant: two parents, one of
// which descends from the champion, with the changes made in each step.
func TestLineage(t *testing.T) {
	w := newWorld(t, 0)
	w.open(3, "helpdesk")
	champion := w.variant("helpdesk", "default", config(.62, []string{"recall"}, strategy))
	bred := func(operator string, c agent.Config, parents ...agent.ConfigID) agent.ConfigID {
		v, err := w.a.PutVariant(w.ctx, archive.Variant{ID: c.ID(), Agent: "helpdesk", Config: c, Operator: operator, Parents: parents, Run: w.run.ID, Time: night})
		w.must(err)
		return v.ID
	}
	mother := bred("mutate", config(.5, []string{"recall"}, strategy), champion)
	father := bred("random", config(.3, []string{"recall", "grep"}, strategy))
	child := bred("crossover", config(.5, []string{"recall", "grep"}, strategy), mother, father)
	plan := w.plan("helpdesk", champion, archive.AgentPlan{Search: 300, Confirm: 3000, Finalists: 1, Repeats: 2, SearchTasks: 10, HoldoutTasks: 20, Detectable: .03})
	res := w.confirm(contest{
		plan: plan, champion: champion, finalists: []agent.ConfigID{child}, claimed: []float64{.11}, holdout: tasks("h", 20, "engineering"), blocks: 2,
		chance: func(arm int, _ task, _ int) float64 { return .3 + .2*float64(arm) },
	})
	w.must(w.a.PutResult(w.ctx, res))
	w.end()
	r := w.report()
	var got []string
	for _, step := range r.Agents[0].Lineage {
		line := step.Variant.Name() + " " + strings.Join(step.Changed, "+") + " from"
		for _, p := range step.Parents {
			line += " " + p.Name()
		}
		got = append(got, line)
	}
	if want := "v4 tools from v2 v3; v2 recall.min_score from v1; v3  from; v1  from"; strings.Join(got, "; ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "; "), want)
	}
	page := rendered(t, HTML, r)
	for _, want := range []string{"Where the variant comes from", "v4, made by crossover", ">v1, champion<"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	r.Agents[0].Lineage = []model.Ancestor{r.Agents[0].Lineage[0]}
	if strings.Contains(rendered(t, HTML, r), "Where the variant comes from") {
		t.Error("a variant without parents has a lineage")
	}
}
