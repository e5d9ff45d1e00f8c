package experience

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Lessons holds what the turns since the previous night and the turns of the past week
// have shown. Seen and WeekSince determine which turns the next [Experience.Review]
// considers; no text depends on them.
type Lessons struct {
	// Night covers the turns since the night before, and is retained until there are new
	// ones. Week covers the turns of seven days. It is first created when the past seven
	// days have more turns than the time since the night before, and then renewed every
	// seven days. Nil means that there are no turns.
	Night *Period `json:"night,omitempty"`
	Week  *Period `json:"week,omitempty"`
	// Seen is the number of the last turn that a review considered.
	Seen int `json:"seen,omitempty"`
	// WeekSince is the time of the last weekly review.
	WeekSince time.Time `json:"week_since,omitzero"`
}

// Excerpt is a quotation from what a person or a tool wrote in a turn.
type Excerpt struct {
	Turn    string `json:"turn"`
	Session string `json:"session,omitempty"`
	Text    string `json:"text"`
}

// week is both the time between two weekly reviews and the period that each of them covers.
const week = 7 * 24 * time.Hour

// Regards reports whether a review at the given time (now) would consider a stored turn.
// A review considers turns that no earlier review has considered, and turns that are less
// than seven days old. The first review considers only the past seven days.
func (l Lessons) Regards(id string, at, now time.Time) bool {
	return at.After(now.Add(-week)) || l.fresh(id)
}

func (l Lessons) fresh(id string) bool { return l.Seen > 0 && turnNumber(id) > l.Seen }

// Review replaces the lessons with those of this night; now is the current time. The
// given turns are the stored turns with their calls, oldest first; only turns that are
// newer than the last review, or less than seven days old, count. If no turn is newer
// than the last review, the nightly lessons stay, so what evaluations read does not
// change. A week without turns removes all lessons.
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

// turnNumber returns the number of a stored turn, such as 12 for T12, or 0 for any other
// id.
func turnNumber(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "T"))
	if err != nil {
		return 0
	}
	return n
}

// Any reports whether there are lessons.
func (l Lessons) Any() bool { return l.Night != nil || l.Week != nil }

// CorrectionLines returns [Period.CorrectionLines] of the night, followed by those of the
// week.
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

// Basis describes what the lessons are based on, such as "3 corrections, 2 tool errors and
// 9 turns"; it is empty without lessons. Each number is the larger of the night's and the
// week's.
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
		parts = append(parts, text.Count(corrections, "correction"))
	}
	if errors > 0 {
		parts = append(parts, text.Count(errors, "tool error"))
	}
	if turns == 0 {
		return ""
	}
	if len(parts) == 0 {
		return text.Count(turns, "turn")
	}
	return strings.Join(parts, ", ") + " and " + text.Count(turns, "turn")
}

// forEvaluations returns the lessons without the fields that can change while the text
// stays the same.
func (l Lessons) forEvaluations() Lessons { return Lessons{Night: l.Night, Week: l.Week} }

// Without returns the lessons without the quotations for which gone returns true. Counts
// stay.
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
