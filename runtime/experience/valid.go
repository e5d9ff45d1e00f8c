package experience

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"evolve/runtime/agent"
)

// Limits that [Experience.Valid] enforces. The limits that Learn enforces are no higher.
const (
	mostName  = 1 << 10  // bytes of a name
	mostText  = 16 << 10 // bytes of a text
	mostCount = 1 << 50
	mostNames = 500 // names in one record
)

// Valid returns an error that names the first value that no version of evolve would write.
// An experience from an external source must be validated before it is used.
func (e *Experience) Valid() error {
	v := &validity{}
	v.count("turns", e.Turns, e.LastFeedback)
	v.times("updated", e.Updated)
	v.capsules(e.Capsules)
	v.signatures(e.Signatures)
	v.domains(e.Domains)
	v.length("stated", len(e.Stated), maxStated)
	for _, s := range e.Stated {
		v.name("stated.turn", s.Turn, true)
		v.name("stated.domain", s.Domain, true)
		v.share("stated.confidence", s.Confidence)
	}
	v.length("corrections", len(e.Corrections), maxCorrections)
	for _, c := range e.Corrections {
		v.name("corrections.turn", c.Turn, true)
		v.name("corrections.by", c.By, true)
		v.name("corrections.domain", c.Domain, true)
		v.names("corrections.tools", c.Tools)
		v.text("corrections.text", c.Text)
		v.times("corrections.time", c.Time)
	}
	v.length("recent", len(e.Recent), maxRecent)
	for _, r := range e.Recent {
		v.name("recent.session", r.Session, false)
		v.name("recent.turn", r.Turn, true)
		v.name("recent.domain", r.Domain, true)
		v.name("recent.topic", r.Topic, true)
		v.length("recent.calls", len(r.Calls), mostNames)
		for _, c := range r.Calls {
			v.name("recent.calls.tool", c.Tool, true)
			v.name("recent.calls.method", c.Method, true)
			v.count("recent.calls", c.Calls, c.OK)
		}
		v.name("recent.outcome", string(r.Outcome), true)
		v.share("recent.confidence", r.Confidence)
		v.week("recent.week", r.Week)
	}
	v.feedback(e.Feedback, e.LastFeedback)
	v.lessons(e.Lessons)
	return v.err
}

// validity stores the first error.
type validity struct{ err error }

func (v *validity) refuse(field string, value any) {
	if v.err == nil {
		v.err = fmt.Errorf("field %s cannot be %.80q", field, fmt.Sprint(value))
	}
}

func (v *validity) length(field string, n, limit int) {
	if n > limit && v.err == nil {
		v.err = fmt.Errorf("field %s has %d values, but at most %d are allowed", field, n, limit)
	}
}

func (v *validity) count(field string, list ...int) {
	for _, n := range list {
		if n < 0 || n > mostCount {
			v.refuse(field, n)
		}
	}
}

// share refuses a number that is not in [0,1].
func (v *validity) share(field string, x float64) {
	if math.IsNaN(x) || x < 0 || x > 1 {
		v.refuse(field, x)
	}
}

func (v *validity) competence(field string, x float64) {
	if !(x >= leastCompetence && x <= topCompetence) {
		v.refuse(field, x)
	}
}

func (v *validity) recency(r *Recency) {
	if r == nil {
		return
	}
	v.week("capsules.recency.week", r.Week)
	if !(r.Judged >= 0 && r.Judged <= mostCount && r.Good >= 0 && r.Good <= r.Judged) {
		v.refuse("capsules.recency", *r)
	}
}

func (v *validity) week(field string, n int) {
	if n < -1<<20 || n > 1<<20 {
		v.refuse(field, n)
	}
}

func (v *validity) times(field string, t time.Time) {
	if !t.IsZero() && (t.Year() < 1970 || t.Year() > 2261) {
		v.refuse(field, t)
	}
}

func (v *validity) text(field, s string) {
	if len(s) > mostText || !utf8.ValidString(s) {
		v.refuse(field, s)
	}
}

func (v *validity) name(field, s string, empty bool) {
	if s == "" && !empty || len(s) > mostName || !utf8.ValidString(s) {
		v.refuse(field, s)
	}
}

func (v *validity) names(field string, list []string) {
	v.length(field, len(list), mostNames)
	for _, s := range list {
		v.name(field, s, true)
	}
}

func (v *validity) outcome(field string, o agent.Outcome) {
	if !o.Valid() {
		v.refuse(field, o)
	}
}

func (v *validity) capsules(list []Capsule) {
	v.length("capsules", len(list), maxCapsules)
	for i, c := range list {
		v.name("capsules.tool", c.Tool, true)
		v.name("capsules.method", c.Method, true)
		v.name("capsules.domain", c.Domain, false)
		v.name("capsules.origin", c.Origin, true)
		v.count("capsules", c.Calls, c.Corrected, c.Referred, c.Repairs, c.Repaired)
		for o, n := range c.Outcomes {
			v.outcome("capsules.outcomes", o)
			v.count("capsules.outcomes", n)
		}
		v.length("capsules.latencies", len(c.Latencies), maxLatencies)
		for _, d := range c.Latencies {
			v.count("capsules.latencies", int(d))
		}
		v.length("capsules.failures", len(c.Failures), maxFailures)
		for _, f := range c.Failures {
			v.outcome("capsules.failures.outcome", f.Outcome)
			v.text("capsules.failures.cause", f.Cause)
			v.times("capsules.failures.time", f.Time)
			v.name("capsules.failures.turn", f.Turn, true)
		}
		v.length("capsules.axes", len(c.Axes), maxAxes)
		for axis, n := range c.Axes {
			v.name("capsules.axes", axis, false)
			v.count("capsules.axes", n)
		}
		v.length("capsules.referrals", len(c.Referrals), maxReferrals)
		for _, r := range c.Referrals {
			v.names("capsules.referrals.axes", r.Axes)
			v.text("capsules.referrals.cause", r.Cause)
			v.times("capsules.referrals.time", r.Time)
			v.name("capsules.referrals.turn", r.Turn, true)
		}
		v.times("capsules.last", c.Last)
		v.recency(c.Recency)
		if i > 0 && compareCapsules(list[i-1], c) >= 0 {
			v.unsorted("capsules")
		}
	}
}

func (v *validity) signatures(list []Signature) {
	v.length("signatures", len(list), maxSignatures)
	for i, s := range list {
		v.name("signatures.tool", s.Tool, true)
		v.name("signatures.method", s.Method, true)
		v.name("signatures.domain", s.Domain, false)
		v.outcome("signatures.outcome", s.Outcome)
		v.name("signatures.message", s.Message, true)
		v.count("signatures.count", s.Count)
		v.times("signatures.first", s.First)
		v.times("signatures.last", s.Last)
		v.names("signatures.turns", s.Turns)
		if i > 0 && compareSignatures(list[i-1], s) >= 0 {
			v.unsorted("signatures")
		}
	}
}

// compareCapsules orders capsules by tool, method and domain.
func compareCapsules(a, b Capsule) int {
	return cmp.Or(cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Method, b.Method), cmp.Compare(a.Domain, b.Domain))
}

func (v *validity) unsorted(field string) {
	if v.err == nil {
		v.err = errors.New("field " + field + " is not sorted")
	}
}

func (v *validity) domains(list []Competence) {
	v.length("domains", len(list), maxDomains)
	for i, d := range list {
		v.name("domains.domain", d.Domain, false)
		v.competence("domains.score", d.Score)
		v.competence("domains.day_start", d.DayStart)
		if _, err := time.Parse(time.DateOnly, d.Day); err != nil {
			v.refuse("domains.day", d.Day)
		}
		v.count("domains", d.Turns, d.Successes, d.Corrected)
		if i > 0 && list[i-1].Domain >= d.Domain {
			v.unsorted("domains")
		}
	}
}
