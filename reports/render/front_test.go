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
		dear := res.Search.Recommended
		dear.Score, dear.CostUSD, dear.Breaks = .97, .04, []string{"cost"}
		champion := res.Search.Champion
		champion.CostUSD = .01
		res.Search.Front = []archive.ScoredVariant{champion, dear}
	})
	page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " ")
	for _, want := range []string{"Quality against cost", ".970", "$0.04", "breaks the guard on cost"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	r.Agents[0].Decision.Against = &r.Agents[0].Front[1].Variant
	if page := strings.Join(strings.Fields(rendered(t, renderings["80.txt"], r)), " "); !strings.Contains(page, "proposed and waiting; breaks the guard on cost") {
		t.Error("the variant that waits is not marked in the table")
	}
	if len(r.Agents[0].Front) != 2 {
		t.Errorf("%d points", len(r.Agents[0].Front))
	}
}
