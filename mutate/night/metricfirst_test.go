package night

import (
	"testing"

	"evolve/archive"
	"evolve/bench/metrics"
	"evolve/bench/stats"
	"evolve/runtime/agent"
)

// TestMetricFirst checks that a version is named as better by the mean of the metric only
// if both versions were scored on enough common cases, and neither version was refused or
// left out.
func TestMetricFirst(t *testing.T) {
	kind := metrics.Kind{Name: "time", Unit: "s", Better: metrics.Lower, Size: 10, Form: metrics.Form}
	const failed = -1
	values := func(n int, of func(i int) float64) map[string]outcome {
		out := map[string]outcome{}
		for i := range n {
			v := of(i)
			out[string(rune('a'+i))] = outcome{graded: v != failed, value: v}
		}
		return out
	}
	five := func(i int) float64 { return 5 + float64(i%3) }
	four := func(i int) float64 { return 4 + float64(i%5)/4 }
	for name, c := range map[string]struct {
		best, other map[string]outcome
		refused     string // the name of a version that the gates refused
		leftOut     string
		varies      bool
		want        int // number of cases; 0 means that no version is named
	}{
		"shown":                {best: values(24, five), other: values(24, four), want: 24},
		"on the common cases":  {best: values(12, five), other: values(24, four), want: 12},
		"the same on all":      {best: values(12, five), other: values(12, func(i int) float64 { return five(i) - 2 }), want: 12},
		"too few cases":        {best: values(3, five), other: values(24, four)},
		"chance explains it":   {best: values(24, five), other: values(24, func(i int) float64 { return five(i) + float64(7*(i%2)) - 4 })},
		"worse":                {best: values(24, four), other: values(24, five)},
		"rounding":             {best: values(24, five), other: values(24, func(i int) float64 { return five(i) - 1e-12 })},
		"it fails on a case":   {best: values(24, five), other: values(24, func(i int) float64 { return map[bool]float64{true: failed, false: four(i)}[i == 3] })},
		"it was refused":       {best: values(24, five), other: values(24, four), refused: "other"},
		"it is left out":       {best: values(24, five), other: values(24, four), leftOut: "other"},
		"the best was refused": {best: values(24, five), other: values(24, four), refused: "best"},
		"values vary":          {best: values(24, five), other: values(24, four), varies: true},
	} {
		t.Run(name, func(t *testing.T) {
			o := codeNightsOf(t)
			n := o.start(t)
			ids := map[string]agent.ConfigID{}
			for _, name := range []string{"best", "other"} {
				v := o.version(name)
				ids[name] = v.ID()
				if err := n.putVariant(t.Context(), archive.Variant{ID: v.ID(), Config: v, Operator: "tokens"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			if err := o.Archive.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			n.Plan.Metric = &kind
			n.values = &Values{cases: 24, of: map[agent.ConfigID]map[string]outcome{n.Plan.Champion: values(24, func(int) float64 { return 1 }), ids["best"]: c.best, ids["other"]: c.other}}
			n.result.Search.Recommended.Variant = ids["best"]
			if c.refused != "" {
				n.result.Refused = []stats.Refusal{{Variant: string(ids[c.refused])}}
			}
			if c.leftOut != "" {
				n.leftOut = map[agent.ConfigID]archive.LeftOut{ids[c.leftOut]: {Variant: ids[c.leftOut]}}
			}
			if c.varies {
				n.opened.Varies = func() string { return "values differ" }
			}
			if err := n.findMetricFirst(t.Context()); err != nil {
				t.Fatal(err)
			}
			got := n.result.Search.MetricFirst
			switch {
			case got == nil && c.want == 0:
			case got == nil || got.Variant != ids["other"] || got.Over != ids["best"] || got.Gain.Cases != c.want || got.Gain.Finding != stats.FurtherBetter:
				t.Errorf("named is %+v, want one on %d cases", got, c.want)
			}
		})
	}
}
