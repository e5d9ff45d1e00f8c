package batch

import (
	"slices"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate"
	"evolve/reports"
	"evolve/runtime/agent"
)

// TestNearTwins checks that a variant within a quarter of the ranges stays out unless the
// search estimates it to be ahead of the refused config by two standard deviations.
// Without an estimate of tonight's search, that of the refused config's measurement
// counts.
func TestNearTwins(t *testing.T) {
	t.Parallel()
	space := agent.Space{Params: []agent.Param{
		{Name: "a", Kind: agent.Float, Min: 0, Max: 1, Default: .1},
		{Name: "b", Kind: agent.Float, Min: 0, Max: 1, Default: .1},
	}}
	config := func(a, b float64) agent.Config { return agent.Config{"a": a, "b": b} }
	refused, champion := config(.5, .5), space.Default()
	for name, c := range map[string]struct {
		config   agent.Config
		gain, sd float64
		unknown  bool
		out      bool
		idle     string // a parameter without a shown effect
	}{
		"a twin, however good":                  {config(.5, .52), .9, .01, false, true, ""},
		"two numbers 12 and 20 % away, worse":   {config(.62, .7), .40, .02, false, true, ""},
		"the same, a little ahead":              {config(.62, .7), .505, .02, false, true, ""},
		"the same, ahead by one and a half":     {config(.62, .7), .535, .02, false, true, ""},
		"the same, ahead by more than that":     {config(.62, .7), .60, .02, false, false, ""},
		"further away, worse":                   {config(.8, .7), .40, .02, false, false, ""},
		"near, and nothing tells of the other":  {config(.62, .7), .60, .02, true, true, ""},
		"far in what showed no effect, worse":   {config(.5, .95), .50, .02, false, true, "b"},
		"the same, ahead":                       {config(.5, .95), .60, .02, false, false, "b"},
		"the same, and nothing tells of either": {config(.5, .95), .60, .02, true, true, "b"},
	} {
		p := archive.ProposalRecord{ID: "P4", Variant: refused.ID(), State: archive.RolledBack}
		// It was measured against P3, which was 30 points above the champion: 50 in all.
		n := &night{agent: &workspace.Agent{Space: space}, plan: &archive.AgentPlan{Champion: champion.ID()}}
		r := refusal{
			idle: slices.DeleteFunc([]string{c.idle}, func(name string) bool { return name == "" }), proposal: p, config: refused, decided: "rolled back on 2026-11-22: it was slow", why: "P4 was rolled back on 2026-11-22: it was slow",
			against: &stats.Reference{Proposal: "P3", Variant: "0123", Steps: 1, Difference: .3, Interval: stats.Interval{Lo: .29, Hi: .31}},
		}
		entries := []confirm.Entry{{Variant: refused.ID(), Champion: "0123", Gain: .2, SD: .01}}
		if c.unknown {
			entries = nil
		}
		r.gain, r.sd, r.known = n.believed(&mutate.Recommendation{}, entries, refused.ID(), r.against)
		n.refused = []refusal{r}
		left := n.leaveOut(c.config.ID(), c.config, c.gain, c.sd)
		if (left != nil) != c.out {
			t.Errorf("%s: %+v", name, left)
		}
		cause := n.refusedCause()
		if c.out != (cause.Kind == stats.CauseLeftOut) {
			t.Errorf("%s: %+v", name, cause)
		}
		if c.out && cause.Sentence != "what looks better (1 variant) is the same as, or near to, P4, rolled back on 2026-11-22: it was slow; it stays out until something relevant changes" {
			t.Errorf("%s: %s", name, cause.Sentence)
		}
		if name == "a twin, however good" && left.Reason != "the same as P4 but for b: 0.5 and 0.52, 2.0 % of its range; P4 was rolled back on 2026-11-22: it was slow" {
			t.Errorf("%s", left.Reason)
		}
	}
}

// TestAChainOfProposals checks that each better proposal is compared with the one that
// waited before it, by name, with that one's gain over the champion, and that the
// decision has been open since the first.
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
	report, err := reports.Build(ctx, c.store, result.Run)
	if err != nil {
		t.Fatal(err)
	}
	var box strings.Builder
	if err := reports.Box(&box, report, reports.TerminalOptions{Width: 160}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" instead of " + first.ID + ", which waits (v", "the gain over " + first.ID + " would be gone if", first.ID + " against v", "+30.0 points [+20.0, +40.0]; so v"} {
		if !strings.Contains(box.String(), want) {
			t.Errorf("the box lacks %q:\n%s", want, box.String())
		}
	}
	waiting, err := reports.Awaiting(ctx, c.store, "", c.now)
	if err != nil {
		t.Fatal(err)
	}
	w := waiting[0]
	words := w.Words()
	if w.Proposal != latest.ID || w.First != first.ID || w.Open < 10 || w.Days > 1 ||
		!strings.Contains(words, "since "+first.ID) || !strings.Contains(words, "points over "+first.ID+", which was +30.0 over v") {
		t.Errorf("%+v: %s", w, words)
	}
}
