package batch

import (
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/reports/model"
	"evolve/reports/render"
	"evolve/runtime/agent"
)

// TestAChainOfProposals checks that each better proposal is compared with the proposal
// that waited before it, which is named together with its gain over the champion. It also
// checks that the decision has been open since the first proposal.
func TestAChainOfProposals(t *testing.T) {
	t.Parallel()
	c := newCron(t)
	ctx, a := t.Context(), &c.space.Agents[0]
	config := a.Space.Canonical(agent.Config{"reach": .2, "planner": "tree", "idle": .5})
	v, err := c.store.PutVariant(ctx, archive.Variant{ID: config.ID(), Agent: "toy", Config: config})
	if err != nil {
		t.Fatal(err)
	}
	err = c.store.PutResult(ctx, archive.AgentResult{Run: "0-before", Agent: "toy", Finalist: []archive.Finalist{{Variant: v.ID, Ruling: &stats.Ruling{
		Comparison: stats.Comparison{Difference: .3}, New: stats.Interval{Lo: .2, Hi: .4}, Claim: stats.NewTasks,
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	first, err := c.store.NewProposal(ctx, archive.ProposalRecord{
		Kind: archive.KindConfig, State: archive.Awaiting, Agent: "toy", Run: "0-before", Variant: v.ID, Champion: a.Champion.ID(),
		Base: workspace.BaseOf(a, c.space.Suites), Created: c.now.AddDate(0, 0, -9),
	})
	if err != nil {
		t.Fatal(err)
	}
	c.budget = 960
	for night := 0; night < 4 && c.awaiting()[0].ID == first.ID; night++ {
		c.night()
	}
	result, latest := c.results[len(c.results)-1], c.awaiting()[0]
	if latest.ID == first.ID {
		t.Fatalf("nothing took its place: %s", result.Reason)
	}
	want := stats.Reference{
		Proposal: first.ID, Variant: string(v.ID), Number: v.Number, Champion: result.Reference.Champion, Steps: 1, Difference: .3,
		Interval: stats.Interval{Lo: .2, Hi: .4},
	}
	if *result.Reference != want {
		t.Fatalf("the reference is %+v", result.Reference)
	}
	if f := result.Finalist[0]; f.Ruling.Reference == nil || *f.Ruling.Reference != want {
		t.Errorf("the ruling's is %+v", f.Ruling.Reference)
	}
	if strings.Contains(result.Reason, "the champion") || !strings.Contains(result.Reason, first.ID+" against v") || !strings.Contains(result.Reason, "+30.0 points [+20.0, +40.0]") {
		t.Errorf("%s", result.Reason)
	}
	report, err := model.Build(ctx, c.store, result.Run)
	if err != nil {
		t.Fatal(err)
	}
	var box strings.Builder
	if err := render.Box(&box, report, render.TerminalOptions{Width: 160}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" instead of " + first.ID + ", which waits (v", "the gain over " + first.ID + " would be lost if this share reached", first.ID + " against v", "+30.0 points [+20.0, +40.0]; so v"} {
		if !strings.Contains(box.String(), want) {
			t.Errorf("the box lacks %q:\n%s", want, box.String())
		}
	}
	waiting, err := model.ListWaiting(ctx, c.store, "", c.now)
	if err != nil {
		t.Fatal(err)
	}
	w := waiting[0]
	words := w.Words()
	if w.Proposal != latest.ID || w.First != first.ID || w.Open < 10 || w.Days > 1 ||
		!strings.Contains(words, "since "+first.ID) || !strings.Contains(words, "points over "+first.ID+", which was +30.0 points over v") {
		t.Errorf("%+v: %s", w, words)
	}
}
