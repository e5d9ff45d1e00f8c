package render

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
)

// TestFront checks that the page shows the front, and for each point the guards that it
// would break.
func TestFront(t *testing.T) {
	r := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) {
		dear := archive.ScoredVariant{Variant: res.Finalist[0].Variant, Score: .97, CostUSD: .04, Breaks: []string{"cost"}}
		hidden := archive.ScoredVariant{Variant: res.Finalist[1].Variant, Score: .3, CostUSD: .0001}
		res.Search.Compared = []archive.ScoredVariant{dear, hidden}
	})
	page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " ")
	for _, want := range []string{"Quality against cost", ".970", "breaks the guard on cost", "fewer than 5 such tasks"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r.Agents[0].Decision.Against = &r.Agents[0].Headline.Variant
	if page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " "); !strings.Contains(page, "proposed and waiting; breaks the guard on cost") {
		t.Error("the variant that waits is not marked in the table")
	}
	if len(r.Agents[0].Front) != 2 {
		t.Errorf("%d points", len(r.Agents[0].Front))
	}
}
