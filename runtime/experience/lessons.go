package experience

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/agent"
)

// Lessons is what the turns since the last night, and those of a week, have shown. Seen and
// WeekSince determine the turns that the next [Experience.Review] regards; no text depends
// on them.
type Lessons struct {
	// Night regards the turns since the night before, and stays until there are others. Week
	// regards those of seven days. It is made when there are more of these than of the night,
	// and again every seven days. Nil means no turns.
	Night *Period `json:"night,omitempty"`
	Week  *Period `json:"week,omitempty"`
	// Seen is the number of the last regarded turn.
	Seen int `json:"seen,omitempty"`
	// WeekSince is the time of the last weekly review.
	WeekSince time.Time `json:"week_since,omitzero"`
}

// Excerpt is a quotation of what a person or a tool wrote in a turn.
type Excerpt struct {
	Turn    string `json:"turn"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text"`
}

// week is the time between two weekly reviews, and the time that each regards.
const week = 7 * 24 * time.Hour

// Regards reports whether a review at a time regards a stored turn: one that no earlier review
// has seen, or that is at most seven days old. The first review regards seven days.
func (l Lessons) Regards(id string, at, now time.Time) bool {
	return at.After(now.Add(-week)) || l.fresh(id)
}

func (l Lessons) fresh(id string) bool { return l.Seen > 0 && turnNumber(id) > l.Seen }

// Review replaces the lessons by those of a night at now. The turns are the stored ones with
// their calls, oldest first; only those that are newer than the last review, or at most seven
// days old, count. Without newer turns the nightly lessons stay, so that what evaluations read
// stays the same. A week without turns ends all lessons.
func (e *Experience) Review(turns []Turn, now time.Time) {
	now = now.Round(0).UTC()
	l := e.Lessons
	var fresh, recent []Turn
	seen := l.Seen
	for _, t := range turns {
		if !l.Regards(t.ID, t.Time, now) {
			continue
		}
		if n := turnNumber(t.ID); n > l.Seen {
			fresh, seen = append(fresh, t), max(seen, n)
		}
		if t.Time.After(now.Add(-week)) {
			recent = append(recent, t)
		}
	}
	l.Seen = seen
	if len(fresh) > 0 {
		l.Night = e.period(fresh)
	}
	first := l.Week == nil && len(fresh) > 0 && len(recent) > len(fresh)
	again := l.Week != nil && now.Sub(l.WeekSince) >= week
	switch {
	case len(fresh) == 0 && len(recent) == 0:
		l.Night, l.Week, l.WeekSince = nil, nil, time.Time{}
	case len(recent) > 0 && (first || again):
		l.Week, l.WeekSince = e.period(recent), now
	}
	e.Lessons = l
}

// turnNumber returns the number of a stored turn, such as 12 of T12; 0 for another id.
func turnNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "T"))
	if err != nil {
		return 0
	}
	return n
}

// Any reports whether there are lessons.
func (l Lessons) Any() bool { return l.Night != nil || l.Week != nil }

// CorrectionLines returns those of [Period.CorrectionLines] of the night, and then of the week.
func (l Lessons) CorrectionLines() []string {
	var out []string
	for _, p := range []*Period{l.Night, l.Week} {
		if p == nil {
			continue
		}
		for _, line := range p.CorrectionLines() {
			out = append(out, p.days()+": "+line)
		}
	}
	return out
}

// Basis describes what the lessons rest on, such as "3 corrections, 2 tool errors and 9 turns";
// empty without lessons. It regards the night or the week, whichever has more of each.
func (l Lessons) Basis() string {
	corrections, errors, turns := 0, 0, 0
	for _, p := range []*Period{l.Night, l.Week} {
		if p == nil {
			continue
		}
		failed := 0
		for _, x := range p.Errors {
			if x.Outcome != agent.WrongToolBoundary {
				failed += x.Calls.Count
			}
		}
		corrections, errors, turns = max(corrections, p.Corrected.Count), max(errors, failed), max(turns, p.Turns)
	}
	var parts []string
	if corrections > 0 {
		parts = append(parts, counted(corrections, "correction"))
	}
	if errors > 0 {
		parts = append(parts, counted(errors, "tool error"))
	}
	if turns == 0 {
		return ""
	}
	if len(parts) == 0 {
		return counted(turns, "turn")
	}
	return strings.Join(parts, ", ") + " and " + counted(turns, "turn")
}

// forEvaluations returns the lessons without the fields that can change while the text
// stays the same.
func (l Lessons) forEvaluations() Lessons { return Lessons{Night: l.Night, Week: l.Week} }

// Without returns the lessons without the quotations for which gone reports true. Counts stay.
func (l Lessons) Without(gone func(Excerpt) bool) Lessons {
	l.Night, l.Week = l.Night.without(gone), l.Week.without(gone)
	return l
}

func (p *Period) without(gone func(Excerpt) bool) *Period {
	if p == nil {
		return nil
	}
	out := *p
	out.Patterns, out.Errors = slices.Clone(p.Patterns), slices.Clone(p.Errors)
	drop := func(x *Excerpt) {
		if x.Text != "" && gone(*x) {
			x.Text = ""
		}
	}
	for i := range out.Patterns {
		drop(&out.Patterns[i].Quote)
	}
	for i := range out.Errors {
		drop(&out.Errors[i].Cause)
	}
	return &out
}
