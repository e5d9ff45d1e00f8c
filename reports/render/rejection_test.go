package render

import (
	"slices"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/model"
)

// TestTradeIsNotRejected checks that the variant of a trade, which a person must decide,
// is not listed among the variants that are not recommended.
func TestTradeIsNotRejected(t *testing.T) {
	a := withRuling(t, archive.Trade, func(_ *archive.AgentResult, r *stats.Ruling) { r.State = stats.Trade }).Agents[0]
	if slices.ContainsFunc(a.Rejected, func(r model.Rejection) bool { return r.Variant == a.Headline.Variant }) {
		t.Errorf("%s is proposed and stands among %+v", a.Headline.Variant.Name(), a.Rejected)
	}
}

// TestKeptOutIsItsReason checks that a variant that was left out because of a proposal is
// listed with that reason, and that no other variant is.
func TestKeptOutIsItsReason(t *testing.T) {
	before := adoptWorld(t, 0).report().Agents[0]
	id := before.Rejected[len(before.Rejected)-1].Variant.ID
	a := withRuling(t, archive.Adopt, func(res *archive.AgentResult, _ *stats.Ruling) {
		res.LeftOut = []archive.LeftOut{{Variant: id, Proposal: "P3", Reason: "P3 was rejected"}}
	}).Agents[0]
	for _, r := range a.Rejected {
		if want := "left out because of P3"; (r.Reason == want) != (r.Variant.ID == id) {
			t.Errorf("%s: %q", r.Variant.Name(), r.Reason)
		}
	}
}
