package model

import (
	"math"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/bench/stats"
)

// TestUnconfirmed checks that if a night confirms nothing although the interval that it
// shows excludes 0, the report explains why.
func TestUnconfirmed(t *testing.T) {
	kind := metrics.Kind{Name: "excess", Unit: "%", Better: metrics.Lower, Size: 10, Form: metrics.Form}
	const alpha = .05 / 12
	pairs := func(n int, by func(i int) float64) (out []stats.Pair) {
		for i := range n {
			d := by(i) / 10
			out = append(out, stats.Pair{
				Task: string(rune('a' + i)), A: []float64{.5}, B: []float64{.5 + .5*d/(.25+math.Abs(d))},
				Values: stats.Measured{A: []float64{10}, B: []float64{10 - 10*d}},
			})
		}
		return out
	}
	uneven := func(i int) float64 { return []float64{3, -1, 2, -.5, 4, 1, -1, 3}[i%8] }
	for name, c := range map[string]struct {
		pairs   []stats.Pair
		verdict archive.Verdict
		want    []string // parts of the expected text; none means there is no text
	}{
		"the level of an entry": {pairs(16, uneven), archive.Undecided, []string{
			"the 95 % interval for excess shows v2 to be better, but this is not confirmed: ", "the lower bound at 99.6 % confidence must be above 0, but it is −",
			"the error rate allowed for one confirmation is .4 %, 5 % divided by the 12 confirmations allowed in 30 days",
		}},
		"no difference":  {pairs(16, func(i int) float64 { return uneven(i) - 1.3 }), archive.Undecided, nil},
		"it is proposed": {pairs(16, uneven), archive.Adopt, nil},
	} {
		r := stats.Judge("b", c.pairs, stats.Rule{Alpha: alpha, Fixed: true}.Of(&kind))
		b := builder{headline: 0, result: archive.AgentResult{Verdict: c.verdict, Finalist: []archive.Finalist{{Variant: "b", Ruling: &r, Comparison: r.Comparison}}}}
		f := b.result.Finalist[0]
		b.out.Decision.Verdict = c.verdict
		b.out.Headline = &Headline{Variant: Ref{ID: "b", Number: 2}, Metric: r.Metric, Effect: estimate(f), Evidence: evidenceOf(f)}
		b.out.Honesty.Entries = &Entries{Days: 30, Most: 12, Level: .05, Alpha: alpha}
		got := b.unconfirmed()
		if len(c.want) == 0 && got != "" {
			t.Errorf("%s: %q (%v)", name, got, r.New)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q does not have %q (%s, %+v)", name, got, want, r.State, r.Metric.Interval)
			}
		}
	}
}
