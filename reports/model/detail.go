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

// TaskPair is the result on one holdout task for the champion and the variant, over the
// repeats that were scored on both sides.
type TaskPair struct {
	Task     string  `json:"task"`
	Domain   string  `json:"domain,omitempty"`
	Repeats  int     `json:"repeats"`
	PassA    int     `json:"champion_passes"`
	PassB    int     `json:"variant_passes"`
	Champion float64 `json:"champion"`
	Score    float64 `json:"score"`
	// Values holds each side's mean of the metric that the scores measure; it is nil if
	// there is no metric or if a side has no value.
	Values *TaskValues `json:"values,omitempty"`
	// Steady is "consistent" if on each side all repeats passed or all failed, "flaky" if
	// the repeats of at least one side had different results, and "once" if there was only
	// one repeat.
	Steady string `json:"steady"`
}

// TaskValues are the values of a metric on one case.
type TaskValues struct {
	Champion float64 `json:"champion"`
	Variant  float64 `json:"variant"`
}

// Difference is the variant's mean score minus the champion's.
func (t TaskPair) Difference() float64 { return t.Score - t.Champion }

// Detail shows one regression or gain in detail: one repeat of one task.
type Detail struct {
	TaskPair
	// Goal is the request of the task, with credentials removed; Expected is the task's
	// reference answer and its graders. Both are empty in runs made before they were
	// recorded.
	Goal     string  `json:"goal,omitempty"`
	Expected string  `json:"expected,omitempty"`
	Repeat   int     `json:"repeat"`
	Before   Attempt `json:"before"`
	After    Attempt `json:"after"`
	Steps    []Step  `json:"steps,omitempty"`
	Diverge  int     `json:"diverge"`
	// Transcript aligns the events of both attempts. Differs is the index of the first step
	// at which the attempts differ, or −1 if they do not.
	Transcript []EventPair `json:"transcript,omitempty"`
	Differs    int         `json:"differs"`
}

// Attempt is one evaluation in a detail, with texts of bounded length.
type Attempt struct {
	Score   float64       `json:"score"`
	Pass    bool          `json:"pass"`
	Outcome agent.Outcome `json:"outcome"`
	Reason  string        `json:"reason,omitempty"`
	Answer  string        `json:"answer,omitempty"`
	Error   string        `json:"error,omitempty"`
	// Events is the transcript; Omitted is the number of its events that are left out.
	Events  []agent.Event `json:"events,omitempty"`
	Omitted int           `json:"omitted,omitempty"`
}

// Step is one position in the aligned sequences of tool calls; a side is "" if it has no
// call there.
type Step struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// Limits on the details that a report shows, to keep the page readable.
const (
	maxRegressions = 12
	maxGains       = 6
	maxEvents      = 60
	maxEvent       = 400 // characters
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// SplitTasks divides the tasks whose score changed into regressions and gains, each sorted
// by the size of the change, largest first.
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

// look returns the detail of a task, for the first repeat in which the scores of the two
// sides differ in the same direction as their means.
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

// attempt returns one side of a detail, and all events from that side's transcript.
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

// bounded truncates an event's texts. JSON data that is too long would no longer be valid
// once truncated, so it is appended to the text instead.
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
