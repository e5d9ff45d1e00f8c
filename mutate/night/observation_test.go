package night

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
)

func TestObservation(t *testing.T) {
	trial := mutate.Trial{N: 3, Task: "t"}
	e := bench.Evaluation{
		Scored: true, Score: 0.5, Outcome: agent.Execution, Error: "it fell over", Latency: 1500 * time.Millisecond, Usage: agent.Usage{CostUSD: 0.02},
		Grades: []bench.Grade{{Pass: true, Reason: "fine"}, {Reason: "41 is not 42"}, {}},
		Transcript: &agent.Transcript{Events: []agent.Event{
			{Kind: agent.EventModel, Name: "small"},
			{Kind: agent.EventTool, Name: "grep", Outcome: agent.OK},
			{Kind: agent.EventTool, Name: "sum"},
			{Kind: agent.EventTool, Name: "read", Outcome: agent.Timeout},
			{Kind: agent.EventTool, Name: "web", Outcome: agent.WrongToolBoundary},
		}},
	}
	want := mutate.Observation{
		Trial: trial, Scored: true, Score: 0.5, CostUSD: 0.02, Seconds: math.NaN(), Outcome: agent.Execution, Reason: "41 is not 42; it fell over",
		Calls: []mutate.Call{{Tool: "grep"}, {Tool: "sum"}, {Tool: "read", Failed: true}, {Tool: "web"}},
	}
	if d := cmp.Diff(want, observation(trial, e, false), cmpopts.EquateNaNs()); d != "" {
		t.Error(d)
	}
	answered := bench.Evaluation{Outcome: agent.OK, Latency: e.Latency}
	if got := observation(trial, answered, false).Seconds; got != 1.5 {
		t.Errorf("an answer took %v seconds", got)
	}
	answered.Started = true
	if got := observation(trial, answered, false).Seconds; !math.IsNaN(got) {
		t.Errorf("an answer with the start of a process took %v seconds", got)
	}
	e.Answer = "41"
	if got := observation(trial, e, false).Answer; got != "" {
		t.Errorf("the answer %q of a failed evaluation may be demonstrated", got)
	}
	e.Pass = true
	if got := observation(trial, e, false).Answer; got != "41" {
		t.Errorf("the answer of a passed evaluation is %q", got)
	}
	if got := observation(trial, e, true); got.Seconds != 0 {
		t.Errorf("an ordered search is told of %v seconds, which no seed repeats", got.Seconds)
	}
	e.Error, e.Transcript = strings.Repeat("long ", 1000), nil
	if got := observation(trial, e, true); len(got.Reason) > maxReason || got.Calls != nil {
		t.Errorf("a reason of %d bytes, calls %v", len(got.Reason), got.Calls)
	}
}
