package model

import (
	"fmt"
	"math"
	"strings"

	"evolve/archive"
	"evolve/bench/stats"
	"evolve/reports/number"
)

// unconfirmed returns the reason why a verdict proposes nothing although the interval of
// the headline, which applies to a single comparison, shows the variant to be better; it
// returns "" if the interval does not show that.
func (b *builder) unconfirmed() string {
	h := b.out.Headline
	if v := b.out.Decision.Verdict; h == nil || h.Evidence == nil || v != archive.Undecided && v != archive.Keep {
		return ""
	}
	r := b.result.Finalist[b.headline].Ruling
	which := ""
	switch {
	case h.Metric != nil && h.Metric.Shown() > 0:
		which = h.Metric.Title()
	case h.Of != stats.TheseTasks && h.Lo > 0:
		which = "the score"
	default:
		return ""
	}
	why := b.missing(r)
	if len(why) == 0 {
		return ""
	}
	return fmt.Sprintf("the %s interval for %s shows %s to be better, but this is not confirmed: %s", number.Percent(h.Level), which, h.Variant.Name(), strings.Join(why, "; "))
}

// missing lists those conditions for the claim about new tasks that a ruling does not meet.
func (b *builder) missing(r *stats.Ruling) []string {
	noun := "task"
	if r.Metric != nil {
		noun = "case"
	}
	var why []string
	if r.Independent > 0 && r.Independent < float64(r.Least)-Tolerance {
		why = append(why, fmt.Sprintf("a confirmation needs at least %d independent held-out %ss, but there are %.3g", r.Least, noun, r.Independent))
	} else if r.NewLower <= 0 {
		why = append(why, fmt.Sprintf("the lower bound at %s confidence must be above 0, but it is %s points: %s", number.Percent(r.BoundLevel()), number.Points(r.NewLower), b.entryLevel(r)))
	}
	if !r.Fixed && r.LogE < r.Threshold {
		why = append(why, fmt.Sprintf("the evidence on these %ss, which is valid at any stopping time, is %s of what a confirmation needs", noun, number.Share(Evidence{LogE: r.LogE, Required: r.Threshold}.Share())))
	}
	for _, p := range r.Parts {
		if p.Verdict == stats.DomainVeto {
			why = append(why, domainWords(p.Domain)+" is shown to be worse")
		}
	}
	return why
}

// entryLevel returns the reason why the level of an entry is stricter than that of the
// interval shown.
func (b *builder) entryLevel(r *stats.Ruling) string {
	words := "the error rate allowed for one confirmation is " + number.Percent(math.Exp(-r.Threshold))
	if e := b.out.Honesty.Entries; e != nil {
		words += fmt.Sprintf(", %s divided by the %d confirmations allowed in %d days", number.Percent(e.Level), e.Most, e.Days)
	}
	if !r.Fixed {
		words += ", halved because the evidence is checked each time all tasks have run"
	}
	return words
}
