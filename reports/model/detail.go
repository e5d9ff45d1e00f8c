package model

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"evolve/archive"
	"evolve/runtime/agent"
)

// Limits on the details that are shown, to keep a page readable.
const (
	maxRegressions = 12
	maxGains       = 6
	maxEvents      = 60
	maxEvent       = 400 // characters
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// SplitTasks divides the changed tasks into regressions and gains, each with the largest
// first.
func SplitTasks(tasks []TaskPair) (regressions, gains []TaskPair) {
	for _, p := range tasks {
		switch d := p.Difference(); {
		case d < -Tolerance:
			regressions = append(regressions, p)
		case d > Tolerance:
			gains = append(gains, p)
		}
	}
	order := func(sign float64) func(a, b TaskPair) int {
		return func(a, b TaskPair) int {
			return cmp.Or(cmp.Compare(sign*b.Difference(), sign*a.Difference()), strings.Compare(a.Task, b.Task))
		}
	}
	slices.SortFunc(regressions, order(-1))
	slices.SortFunc(gains, order(1))
	return regressions, gains
}

// detail adds the details of the largest regressions, and then of the largest gains.
func (b *builder) detail() error {
	regressions, gains := SplitTasks(b.out.Tasks)
	for _, p := range slices.Concat(First(regressions, maxRegressions), First(gains, maxGains)) {
		d, err := b.look(p)
		if err != nil {
			return err
		}
		b.out.Details = append(b.out.Details, d)
	}
	return nil
}

func First[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// look returns the detail of the first repeat in which the sides differ in the same
// direction as their means.
func (b *builder) look(p TaskPair) (Detail, error) {
	d := Detail{TaskPair: p, Diverge: -1, Differs: -1}
	q, err := b.src.Question(b.ctx, b.plan.SuiteHash, p.Task)
	if err != nil && !errors.Is(err, archive.ErrNotFound) {
		return d, err
	}
	d.Goal, d.Expected = clip(q.Goal, maxGoal), clip(q.Expected, maxAnswer)
	for _, r := range b.tally.repeats(p.Task) {
		x, y := b.tally.champion[p.Task][r], b.tally.variant[p.Task][r]
		if p.Difference()*(y.score-x.score) > 0 {
			d.Repeat = r
			break
		}
	}
	before, after := b.tally.champion[p.Task][d.Repeat], b.tally.variant[p.Task][d.Repeat]
	var eventsA, eventsB []agent.Event
	if d.Before, eventsA, err = b.attempt(before); err != nil {
		return d, err
	}
	if d.After, eventsB, err = b.attempt(after); err != nil {
		return d, err
	}
	d.Steps, d.Diverge = steps(First(calls(eventsA), maxEvents), First(calls(eventsB), maxEvents))
	d.Transcript, d.Differs = pairUp(First(eventsA, maxEvents), First(eventsB, maxEvents))
	return d, nil
}

// attempt returns one side of a detail, and all events from its transcript.
func (b *builder) attempt(a attempt) (Attempt, []agent.Event, error) {
	out := Attempt{Score: a.score, Pass: a.pass, Outcome: a.outcome, Reason: a.reason, Answer: a.answer, Error: a.err}
	t, err := b.src.Transcript(b.ctx, a.key)
	if errors.Is(err, archive.ErrNotFound) {
		return out, nil, nil
	}
	if err != nil {
		return out, nil, err
	}
	events := Unfolded(t.Events)
	for _, e := range First(events, maxEvents) {
		out.Events = append(out.Events, bounded(e))
	}
	out.Omitted = t.Dropped + len(events) - len(out.Events)
	return out, events, nil
}

// bounded truncates an event's texts. Truncated data is not valid JSON, so it is appended
// to the text.
func bounded(e agent.Event) agent.Event {
	e.Kind, e.Name, e.Method, e.Outcome = clip(e.Kind, 40), clip(e.Name, 80), clip(e.Method, 80), agent.Outcome(clip(string(e.Outcome), 40))
	e.Text = clip(e.Text, maxEvent)
	if len(e.Data) > maxEvent || !json.Valid(e.Data) {
		if len(e.Data) > 0 {
			e.Text = strings.TrimSpace(e.Text + " " + clip(string(e.Data), maxEvent))
		}
		e.Data = nil
	}
	return e
}
