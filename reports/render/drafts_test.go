package render

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// TestDrafts checks that the page shows what each model gained, cost and wrote, and that
// the cost of the run includes the cost of the models.
func TestDrafts(t *testing.T) {
	plain := withRuling(t, archive.Adopt, func(*archive.AgentResult, *stats.Ruling) {})
	r := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) {
		d := &archive.DraftSummary{}
		route := d.Tally("route", "writer")
		route.Model, route.Calls, route.Drafts, route.Gain, route.Best, route.Usage.CostUSD, route.Usage.InputTokens = "big-1\x1b[31m", 12, 9, .125, .08, .34, 45_000
		route.Measured, route.Evaluations, route.Mean = 8, 60, &stats.Measure{Value: .011, Interval: stats.Interval{Lo: -.004, Hi: .026}}
		route.Requests, route.Unanswered, route.UnansweredUSD = 14, 2, .021
		d.Tally("form", "rewrite").Calls = 5
		d.Best = []archive.DraftedVariant{{Variant: res.Finalist[0].Variant, Route: "writer", Component: "strategy", Form: "rewrite", Gain: .08, Evaluations: 14, InUse: "3 corrections and 9 turns"}}
		d.Untried = []archive.UntriedDraft{{Reason: "the answer was cut off", Calls: 3}}
		res.Search.Drafts = d
	})
	r.Volatile.Phases = []model.Phase{{Phase: "search", Seconds: 372}, {Phase: archive.DraftPhase, Seconds: 251}}
	page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " ")
	for _, want := range []string{"Changes that language models proposed", "writer", "big-1", "+12.5", "+8.0", "45,000", "$0.34", "v37", "rewrite of strategy", "the answer was cut off 3", "+1.1 [−0.4, +2.6]", "too few (0)", "Of 14 requests sent to writer, 2 got no answer. The budget counts $0.021 for these, the most that they could cost; the table does not include this amount.", "plus requests by search.reflect 4 m 11 s"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if page := rendered(t, renderings["md"], r); !strings.Contains(page, "rewrite of strategy, from live turns: `3 corrections and 9 turns`") {
		t.Error("the page does not name what the draft was written from")
	}
	if strings.Contains(page, "\x1b[31m") {
		t.Error("a model's name reaches the terminal")
	}
	if more := r.Volatile.CostUSD - plain.Volatile.CostUSD; more < .339 || more > .341 {
		t.Errorf("the run cost %v more", more)
	}
}
