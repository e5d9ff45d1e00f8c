package model

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// thresholds returns the conditions by which bench/stats recommends a finalist, except
// that on latency, which is volatile.
func (b *builder) thresholds(f archive.Finalist) []Threshold {
	r := f.Ruling
	if r == nil {
		return fixedThresholds(f)
	}
	here := Threshold{
		Name: "better on these tasks: evidence", Unit: "log_e", Observed: r.LogE, Sign: "≥", Required: r.Threshold,
		Margin: r.LogE - r.Threshold, Met: r.LogE >= r.Threshold,
	}
	if r.Fixed { // one block is all the evidence there is
		here = Threshold{
			Name: "better on these tasks: difference", Unit: "points", Observed: r.Difference, Sign: ">",
			Margin: r.Difference, Met: r.Claim != stats.NoClaim,
		}
	}
	out := []Threshold{here, {
		Name: "better on new tasks: lower bound (" + number.Percent(r.BoundLevel()) + ")", Unit: "points", Observed: r.NewLower, Sign: ">", Required: 0,
		Margin: r.NewLower, Met: r.NewLower > 0,
	}}
	for _, g := range b.out.Guards {
		out = append(out, g.Threshold(b.out.Decision))
	}
	if len(r.Parts) > 0 {
		vetoes := 0.0
		for _, d := range r.Parts {
			if d.Verdict == stats.DomainVeto {
				vetoes++
			}
		}
		out = append(out, Threshold{Name: "domains shown to be worse", Unit: "domains", Observed: vetoes, Sign: "≤", Margin: -vetoes, Met: vetoes == 0})
	}
	return out
}

// fixedThresholds returns those of finalists that were judged once, at the night's end.
func fixedThresholds(f archive.Finalist) []Threshold {
	alpha := (1 - f.Comparison.Level) / 2
	units := float64(f.Comparison.Clusters)
	return []Threshold{
		{
			Name: "p adjusted over the finalists", Unit: "p", Observed: f.Adjusted, Sign: "≤", Required: alpha,
			Margin: alpha - f.Adjusted, Met: f.Adjusted <= alpha,
		},
		{
			Name: "lower end of the interval", Unit: "points", Observed: f.Comparison.Lo, Sign: ">", Required: 0,
			Margin: f.Comparison.Lo, Met: f.Comparison.Lo > 0,
		},
		{
			Name: "independent tasks", Unit: "tasks", Observed: units, Sign: "≥", Required: stats.MinClusters,
			Margin: units - stats.MinClusters, Met: units >= stats.MinClusters,
		},
	}
}
