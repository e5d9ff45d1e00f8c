package model

import (
	"cmp"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
)

// Domain is the difference between the variant and the champion in one domain.
type Domain struct {
	Domain string `json:"domain"`
	Tasks  int    `json:"tasks"`
	Effect
	// Flag is "better", "worse", or "" if the difference is not significant.
	Flag string `json:"flag,omitempty"`
	// Verdict is the ruling's verdict on the domain: "better", "fine" (a loss of 10 points
	// is ruled out), "open" or "veto"; it is empty if there is no ruling.
	Verdict string `json:"verdict,omitempty"`
}

// PartLevel is the level of the intervals for guards and, jointly, for domains. The ends of
// an interval are the two one-sided bounds at .05 on which the rulings of bench/stats are
// based; for domains, .05 is divided by their number.
const PartLevel = .90

// domains copies the difference in every domain, largest first. The differences come from
// the ruling, with its verdicts, or, in older records, from the comparison.
func (b *builder) domains(f archive.Finalist, tasks map[string]int) {
	if r := f.Ruling; r != nil {
		for _, d := range r.Parts {
			b.out.Domains = append(b.out.Domains, Domain{
				Domain: d.Domain, Tasks: tasks[d.Domain], Verdict: d.Verdict,
				Effect: Effect{Champion: d.MeanA, Score: d.MeanB, Difference: d.Difference, Lo: d.Lo, Hi: d.Hi, Level: cmp.Or(d.Level, PartLevel)},
			})
		}
	} else {
		for _, d := range f.Comparison.Domains {
			b.out.Domains = append(b.out.Domains, Domain{Domain: d.Domain, Tasks: tasks[d.Domain], Effect: effect(d.Comparison)})
		}
	}
	for i := range b.out.Domains {
		d := &b.out.Domains[i]
		switch {
		case d.Hi < 0 || d.Verdict == stats.DomainVeto:
			d.Flag = "worse"
		case d.Lo > 0 || d.Verdict == stats.DomainBetter:
			d.Flag = "better"
		}
	}
	slices.SortStableFunc(b.out.Domains, func(x, y Domain) int {
		return cmp.Or(cmp.Compare(y.Difference, x.Difference), strings.Compare(x.Domain, y.Domain))
	})
}
