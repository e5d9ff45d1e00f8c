package experience

import (
	"maps"
	"slices"
	"time"
)

func (v *validity) lessons(l Lessons) {
	v.count("lessons.seen", l.Seen)
	v.times("lessons.week_since", l.WeekSince)
	for _, p := range []*Period{l.Night, l.Week} {
		if p != nil {
			v.period(*p)
		}
	}
}

func (v *validity) period(p Period) {
	v.times("lessons.from", p.From)
	v.times("lessons.to", p.To)
	v.count("lessons", p.Turns, p.Succeeded, p.Stated.Succeeded)
	v.share("lessons.stated.confidence", p.Stated.Confidence)
	v.evidence(p.Corrected, p.Approved, p.Stated.Turns)
	v.cited(p.Stated.FailedIn)
	v.length("lessons.domains", len(p.Domains), maxEntries)
	v.length("lessons.tools", len(p.Tools), maxEntries)
	v.length("lessons.errors", len(p.Errors), maxEntries)
	v.length("lessons.patterns", len(p.Patterns), maxEntries)
	for _, o := range slices.Sorted(maps.Keys(p.Outcomes)) {
		v.outcome("lessons.outcomes", o)
		v.evidence(p.Outcomes[o])
	}
	for _, d := range p.Domains {
		v.name("lessons.domains.domain", d.Domain, false)
		v.count("lessons.domains", d.Succeeded, d.Referred)
		v.evidence(d.Turns)
		v.cited(d.SucceededIn, d.FailedIn)
	}
	for _, u := range p.Tools {
		v.name("lessons.tools.tool", u.Tool, true)
		v.name("lessons.tools.method", u.Method, true)
		v.count("lessons.tools", u.Judged, u.Succeeded, u.Repaired, u.Measured)
		for _, d := range []time.Duration{u.P50, u.P95, u.P99} {
			v.count("lessons.tools", int(d))
		}
		v.evidence(u.Calls)
		v.cited(u.SucceededIn, u.FailedIn, u.RepairedIn, u.MeasuredIn)
	}
	for _, x := range p.Errors {
		v.name("lessons.errors.tool", x.Tool, true)
		v.name("lessons.errors.method", x.Method, true)
		v.outcome("lessons.errors.outcome", x.Outcome)
		v.excerpt("lessons.errors.cause", x.Cause)
		v.evidence(x.Calls)
	}
	v.length("lessons.ways", len(p.Ways), maxEntries)
	for _, w := range p.Ways {
		v.name("lessons.ways.domain", w.Domain, false)
		v.length("lessons.ways.tools", len(w.Tools), wayTools)
		v.names("lessons.ways.tools", w.Tools)
		v.count("lessons.ways", w.Succeeded)
		v.share("lessons.ways.confidence", w.Confidence)
		v.evidence(w.Turns)
		v.cited(w.SucceededIn)
	}
	for _, x := range p.Patterns {
		v.name("lessons.patterns.domain", x.Domain, true)
		v.names("lessons.patterns.tools", x.Tools)
		v.excerpt("lessons.patterns.quote", x.Quote)
		v.evidence(x.Corrected)
	}
}

func (v *validity) evidence(list ...Evidence) {
	for _, e := range list {
		v.count("lessons.count", e.Count)
		v.cited(e.Turns)
	}
}

func (v *validity) cited(lists ...[]string) {
	for _, turns := range lists {
		v.length("lessons.turns", len(turns), maxEvidenceTurns)
		v.names("lessons.turns", turns)
	}
}

func (v *validity) excerpt(field string, x Excerpt) {
	v.name(field+".turn", x.Turn, true)
	v.name(field+".session", x.Session, true)
	v.text(field, x.Text)
}
