package night

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
	"evolve/bench/stats"
	"evolve/mutate"
	"evolve/runtime/agent"
)

// TestSummaryHasIntervals checks that the summary of a route has the mean gain of its
// evaluated drafts with an interval, or no mean gain if there are too few drafts.
func TestSummaryHasIntervals(t *testing.T) {
	a := &author{purse: newPurse(Reflect{})}
	var gains []mutate.DraftGain
	for i, g := range []float64{.1, -.05, .02, .03, .1, .3} {
		id := agent.ConfigID(string(rune('a' + i)))
		a.notes = append(a.notes, DraftNote{Draft: id, Route: "writer", Form: "rewrite", Component: "strategy"})
		gains = append(gains, mutate.DraftGain{Variant: id, Gain: g, SE: .04, Evaluations: 3})
	}
	gains[5].Evaluations = 0 // not evaluated tonight
	a.notes[4].Form = "example"
	s := a.summary(gains)
	route, form := s.Tally("route", "writer"), s.Tally("form", "rewrite")
	want := stats.MeanGain([]float64{.1, -.05, .02, .03, .1}, []float64{.04, .04, .04, .04, .04})
	if route.Measured != 5 || route.Evaluations != 15 || route.Drafts != 6 || route.Mean == nil || *route.Mean != *want {
		t.Errorf("%+v, want the mean %+v", route, want)
	}
	if form.Measured != 4 || form.Mean != nil {
		t.Errorf("%+v, want too few", form)
	}
}

// TestTriedChangesThatFailed checks that a brief states how earlier changes failed on
// search cases, the first of them by name, and nothing about held-out cases.
func TestTriedChangesThatFailed(t *testing.T) {
	failing := func(task, text string, outcome agent.Outcome) bench.Evaluation {
		return bench.Evaluation{Task: task, Outcome: outcome, Error: text, Scored: true}
	}
	a := &author{purse: newPurse(Reflect{}), night: &night{tasks: map[string]*bench.Task{"a": {Split: bench.Search}, "b": {Split: bench.Search}, "h": {Split: bench.Holdout}}}}
	a.seen = map[caseID]bench.Evaluation{
		{"v1", "b", 0}: failing("b", "later", agent.Execution), {"v1", "a", 0}: failing("a", "ZeroDivisionError", agent.Execution),
		{"v2", "a", 0}: failing("a", "", agent.OK), {"v3", "h", 0}: failing("h", "secret", agent.Timeout),
	}
	var got []string
	for _, c := range a.failed([]mutate.TriedChange{{Variant: "v1"}, {Variant: "v2"}, {Variant: "v3"}, {Refused: "no"}}) {
		got = append(got, c.Failed)
	}
	if d := cmp.Diff([]string{"case a: execution\nZeroDivisionError", "", "", ""}, got); d != "" {
		t.Error(d)
	}
}
