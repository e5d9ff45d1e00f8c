package model

import (
	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// thresholds returns the conditions under which bench/stats recommends a finalist, except
// the condition on latency, which is volatile.
func (b *builder) thresholds(f archive.Finalist) []Threshold {
	r := f.Ruling
	if r == nil {
		return fixedThresholds(f)
	}
	here := threshold("better on these tasks: evidence", "log_e", r.LogE, "≥", r.Threshold)
	if r.Fixed { // one block is all the evidence that there can be
		here = threshold("better on these tasks: difference", "points", r.Difference, ">", 0)
		here.Met = r.Claim != stats.NoClaim
	}
	out := []Threshold{here, threshold("better on new tasks: lower bound ("+number.Percent(r.BoundLevel())+")", "points", r.NewLower, ">", 0)}
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

// fixedThresholds returns the conditions for finalists that were judged once, at the
// night's end.
func fixedThresholds(f archive.Finalist) []Threshold {
	return []Threshold{
		threshold("p-value, adjusted for all finalists", "p", f.Adjusted, "≤", (1-f.Comparison.Level)/2),
		threshold("lower end of the interval", "points", f.Comparison.Lo, ">", 0),
		threshold("independent tasks", "tasks", float64(f.Comparison.Clusters), "≥", stats.MinClusters),
	}
}

func threshold(name, unit string, observed float64, sign string, required float64) Threshold {
	t := Threshold{Name: name, Unit: unit, Observed: observed, Sign: sign, Required: required, Margin: observed - required, Met: observed > required}
	switch sign {
	case "≥":
		t.Met = observed >= required
	case "≤":
		t.Margin, t.Met = required-observed, observed <= required
	}
	return t
}
