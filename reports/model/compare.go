package model

import (
	"fmt"
	"math"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// Tolerance is the tolerance for rounding errors in mean scores.
const Tolerance = 1e-9

func effect(c stats.Comparison) Effect {
	return Effect{Champion: c.MeanA, Score: c.MeanB, Difference: c.Difference, Lo: c.Lo, Hi: c.Hi, Level: c.Level}
}

// estimated returns the comparison by which a finalist was judged. This is the ruling's
// comparison, whose interval is valid at any stopping time. In older records, which have
// no ruling, it is the plain comparison.
func estimated(f archive.Finalist) stats.Comparison {
	if f.Ruling != nil {
		return f.Ruling.Comparison
	}
	return f.Comparison
}

// estimate returns a finalist's score difference, with the interval on which its claim
// rests.
func estimate(f archive.Finalist) Effect {
	e := effect(estimated(f))
	if f.Ruling != nil {
		i, about := f.Ruling.Shown()
		e.Lo, e.Hi, e.Of = i.Lo, i.Hi, about
	}
	return e
}

// gainOf returns a finalist's difference in the metric, or nil if none was measured.
func gainOf(f archive.Finalist) *stats.Gain {
	if f.Ruling == nil {
		return nil
	}
	return f.Ruling.Metric
}

// compare fills in headline, finalists, domains, tasks and usage.
func (b *builder) compare() error {
	for _, f := range b.result.Finalist {
		b.out.Finalists = append(b.out.Finalists, Finalist{
			Variant: b.ref(f.Variant), Metric: gainOf(f), Effect: estimate(f), Evidence: evidenceOf(f),
			Adjusted: f.Adjusted, Accepted: f.Accepted, Finding: findingOf(f), Reason: clip(b.inCases(f.Reason), MaxReason),
		})
	}
	if b.headline < 0 {
		return nil
	}
	f := b.result.Finalist[b.headline]
	h := Headline{
		Variant: b.ref(f.Variant), Metric: gainOf(f), Effect: estimate(f), Evidence: evidenceOf(f),
		Planned: b.plan.Detectable, Detectable: b.result.Detectable,
		Search: f.SearchDifference, Curse: f.SearchDifference - estimate(f).Difference,
	}
	if f.Ruling != nil {
		h.Discord, h.Further = f.Ruling.Discord(), f.Ruling.Further
	}
	b.out.Tasks = b.tally.pairs()
	b.out.Failures = b.tally.failures()
	b.out.PassPowers = b.tally.passPowers()
	h.Repeats = math.MaxInt
	perDomain := map[string]int{}
	for _, p := range b.out.Tasks {
		h.Tasks++
		h.Repeats = min(h.Repeats, p.Repeats)
		perDomain[p.Domain]++
		switch d := p.Difference(); {
		case d > Tolerance:
			h.Wins++
		case d < -Tolerance:
			h.Losses++
		default:
			h.Ties++
		}
	}
	if h.Tasks == 0 {
		h.Repeats = 0
	}
	// A ruling that counts missing data includes tasks for which only one side has data.
	counted := f.Ruling != nil && f.Ruling.MissingCounted
	if counted {
		c := f.Ruling.Comparison
		h.Tasks, h.Repeats, h.Wins, h.Losses, h.Ties = c.Tasks, c.Repeats, c.Wins, c.Losses, c.Ties
	}
	b.out.Headline = &h
	b.domains(f, perDomain)
	if f.Ruling != nil {
		b.guarded(f.Ruling)
	}
	b.usage()
	if n := estimated(f).Tasks; n != h.Tasks && !counted {
		b.out.Health.Warnings = append(b.out.Health.Warnings, fmt.Sprintf(
			"the verdict rests on %s, but the stored records contain results for both sides on %s", number.Plural(n, "task"), number.Plural(h.Tasks, "task")))
	}
	return nil
}

// passPowers returns pass^k for both sides, or nil if they would contain only pass^1.
func (t *tally) passPowers() *PassPowers {
	champion, variant := t.tries()
	out := PassPowers{Champion: stats.PassPowers(champion), Variant: stats.PassPowers(variant)}
	if len(out.Champion) < 2 {
		return nil
	}
	return &out
}
