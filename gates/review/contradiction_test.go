package review

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/gates"
)

// TestContradiction compares the gate's own scores with what a confirmation measured: a
// gain that does not exist fails, a smaller gain is left to a person, and noise that all
// cases in a run share proves nothing.
func TestContradiction(t *testing.T) {
	t.Parallel()
	confirmed := &archive.Confirmed{Difference: .49, Lo: .40, Means: "cost 30 → 0.01, the mean of 30 held-out cases"}
	cost := func(of func(i int) float64) []metrics.Value {
		var out []metrics.Value
		for i := range 60 {
			out = append(out, metrics.Value{Case: fmt.Sprintf("c%02d", i), Metric: "cost", Value: of(i), Better: metrics.Lower})
		}
		return out
	}
	flat := func(v float64) []metrics.Value {
		return cost(func(i int) float64 { return v + math.Mod(float64(i)*.37, 1) })
	}
	for name, c := range map[string]struct {
		confirmed *archive.Confirmed
		runs      [4][]metrics.Value // base and patched alternately
		verdict   gates.Verdict
		says      string
	}{
		"worse":               {confirmed, [4][]metrics.Value{flat(30), flat(45), flat(30), flat(45)}, gates.Failed, "the patched tree is worse, "},
		"the same":            {confirmed, [4][]metrics.Value{flat(30), flat(30), flat(30), flat(30)}, gates.Failed, "equal to the base in every value, 0.0 points"},
		"better by less":      {confirmed, [4][]metrics.Value{flat(30), flat(28), flat(30), flat(28)}, gates.Flagged, "better by a smaller amount, "},
		"as good":             {confirmed, [4][]metrics.Value{flat(30), flat(2), flat(30), flat(2)}, gates.Passed, ""},
		"a busy machine":      {confirmed, [4][]metrics.Value{flat(30), flat(30), flat(60), flat(30)}, gates.Passed, ""},
		"a busy machine once": {confirmed, [4][]metrics.Value{flat(30), flat(60), flat(30), flat(25)}, gates.Passed, ""},
		"of a person":         {nil, [4][]metrics.Value{flat(30), flat(45), flat(30), flat(45)}, gates.Passed, ""},
		"no better":           {confirmed, [4][]metrics.Value{flat(30), flat(30.1), flat(30), flat(30.1)}, gates.Failed, "not shown to be better, "},
		"few cases":           {confirmed, [4][]metrics.Value{flat(30)[:5], flat(45)[:5], flat(30)[:5], flat(45)[:5]}, gates.Passed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			scale, err := metrics.NewScale(c.runs[0], "")
			if err != nil {
				t.Fatal(err)
			}
			w := &gateRun{confirmed: c.confirmed}
			verdict, evidence, err := w.contradicts(scale, c.runs)
			if verdict != c.verdict || err != nil || !strings.Contains(evidence, c.says) || (c.says == "") != (evidence == "") {
				t.Errorf("%s: %q, %v; want %s: %q", verdict, evidence, err, c.verdict, c.says)
			}
			if verdict == gates.Failed && !strings.HasSuffix(evidence, "while the confirmation measured +49.0 points (cost 30 → 0.01, the mean of 30 held-out cases): the values depend on how the command is started, or they are printed by the patched code instead of the command") {
				t.Errorf("it does not tell what the contradiction means: %q", evidence)
			}
		})
	}
}
