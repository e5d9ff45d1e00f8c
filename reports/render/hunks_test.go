package render

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench"
)

// TestHunksOfAHeadline checks that, if two finalists shrank to the version in the headline,
// the hunks of that version are listed once, with the figures of the hunks that were
// evaluated.
func TestHunksOfAHeadline(t *testing.T) {
	w := adoptWorld(t, 0)
	plan, err := w.a.Plan(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	plan.Adapter = "code"
	w.must(w.a.PutPlan(w.ctx, plan))
	res, err := w.a.Result(w.ctx, w.run.ID, "helpdesk")
	w.must(err)
	list := tasks("search", 12, "billing")
	alone := w.variant("helpdesk", "ablation", config(.11, []string{"a"}, strategy))
	for _, k := range list {
		w.evaluate("helpdesk", trial{variant: plan.Champion, task: k, repeat: 7, stage: bench.StageAblate, chance: 0})
		w.evaluate("helpdesk", trial{variant: alone, task: k, repeat: 7, stage: bench.StageAblate, chance: 1})
	}
	w.must(w.a.Flush(w.ctx))
	one := archive.Ablation{Winner: "first", Small: res.Finalist[0].Variant, Parts: []archive.AblationPart{{Name: "route + one\x1b[31m", Place: "route.py:7", Alone: alone}, {Name: "route + two", Without: "never"}}}
	other := one
	other.Winner = "second"
	res.Ablations = []archive.Ablation{one, other}
	w.must(w.a.PutResult(w.ctx, res))

	r := w.report()
	if h := r.Agents[0].Hunks; len(h) != 2 || h[0].Alone == nil || h[0].Alone.Difference != 1 || h[0].Without != nil || h[1].Without != nil {
		t.Fatalf("the hunks are %+v", h)
	}
	page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " ")
	if !strings.Contains(page, `route.py:7 route + one\x1b[31m +100.0 – route + two – –`) || strings.Count(page, "route + one") != 1 {
		t.Errorf("the page has\n%s", page[max(0, strings.Index(page, "Effect of each hunk by itself")):][:300])
	}

	// If no hunk was evaluated, there is no table.
	for i := range res.Ablations {
		res.Ablations[i].Parts = one.Parts[1:]
	}
	w.must(w.a.PutResult(w.ctx, res))
	if h := w.report().Agents[0].Hunks; h != nil {
		t.Errorf("hunks without figures: %+v", h)
	}
}
