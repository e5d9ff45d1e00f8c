package night

import (
	"slices"
	"testing"

	"evolve/archive"
	"evolve/bench/confirm"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestNearTwins checks a variant whose numbers differ from the numbers of a refused
// config by at most a quarter of their ranges: the variant stays out unless the search
// estimates it to be ahead of that config by two standard deviations. If tonight's search
// has no estimate of the refused config, the estimate from that config's measurement is
// used.
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
		idle     string // a parameter with no demonstrated effect
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
		// The refused config was measured against P3, which was 30 points above the
		// champion, so its gain is 50 points in all.
		n := &night{Spec: Spec{Agent: Agent{Space: space}, Plan: &archive.AgentPlan{Champion: champion.ID()}}}
		r := refusal{
			idle: slices.DeleteFunc([]string{c.idle}, func(name string) bool { return name == "" }), proposal: p, config: refused, decided: "rolled back on 2026-11-22: it was slow", why: "P4 was rolled back on 2026-11-22: it was slow",
			against: &stats.Reference{Proposal: "P3", Variant: "0123", Steps: 1, Difference: .3, Interval: stats.Interval{Lo: .29, Hi: .31}},
		}
		entries := []confirm.Entry{{Variant: refused.ID(), Champion: "0123", Gain: .2, SD: .01}}
		if c.unknown {
			entries = nil
		}
		r.gain, r.sd, r.known = n.estimate(&mutate.Recommendation{}, entries, refused.ID(), r.against)
		n.refused = []refusal{r}
		left := n.exclusion(c.config.ID(), c.config, c.gain, c.sd)
		if (left != nil) != c.out {
			t.Errorf("%s: %+v", name, left)
		}
		cause := n.refusedCause()
		if c.out != (cause.Kind == stats.CauseLeftOut) {
			t.Errorf("%s: %+v", name, cause)
		}
		if c.out && cause.Sentence != "everything that looks better (1 variant) is the same as, or close to, P4, rolled back on 2026-11-22: it was slow; it stays excluded until the agent, its tasks or the settings change" {
			t.Errorf("%s: %s", name, cause.Sentence)
		}
		if name == "a twin, however good" && left.Reason != "the same as P4 but for b: 0.5 and 0.52, which differ by 2.0 % of the parameter's range; P4 was rolled back on 2026-11-22: it was slow" {
			t.Errorf("%s", left.Reason)
		}
	}
}
