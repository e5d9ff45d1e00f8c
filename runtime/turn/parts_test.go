package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/tool"
)

// diligent is a model that calls a tool whenever it may, with different arguments each
// time, until it has made the given number of calls (tools) for a goal.
type diligent struct {
	tools int
	seen  *[]model.Request
}

func (d diligent) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	*d.seen = append(*d.seen, *req)
	if req.Synthesis || req.Remaining == 1 || len(req.Steps) >= d.tools {
		return model.Reply{Answer: "found it", Confidence: .9}, nil
	}
	return calls("calculate", fmt.Sprintf(`{"expression":"1+%d"}`, len(*d.seen))), nil
}

const fourParts = "First find the owner of billing, then list the files in docs, then count the orders, and finally summarize the invoices"

// TestEachSubgoalHasItsOwnLimit tests that each of four subgoals may call tools, within the
// config's limit for each subgoal and the operator's limit for all of them.
func TestEachSubgoalHasItsOwnLimit(t *testing.T) {
	for name, c := range map[string]struct {
		limit    int64 // of the config
		hard     int
		tools    int
		want     []int // steps by subgoal
		calls    int   // model calls
		goalType string
	}{
		"default":              {limit: 8, tools: 3, want: []int{4, 4, 4, 4}, calls: 17, goalType: composite},
		"all that it may":      {limit: 5, tools: 100, want: []int{5, 5, 5, 5}, calls: 21, goalType: composite},
		"the hard limit":       {limit: 8, tools: 100, want: []int{8, 8, 5, 2}, calls: 24, goalType: composite},
		"a small hard limit":   {limit: 8, hard: 9, tools: 100, want: []int{2, 2, 2, 2}, calls: 9, goalType: composite},
		"too small for parts":  {limit: 8, hard: 8, tools: 100, calls: 8, goalType: atomic},
		"one call for each":    {limit: 1, tools: 100, want: []int{1, 1, 1, 1}, calls: 5, goalType: composite},
		"every call is needed": {limit: 2, tools: 1, want: []int{2, 2, 2, 2}, calls: 9, goalType: composite},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []model.Request
			a, err := New(Options{Model: diligent{c.tools, &seen}, HardLimits: agent.Limits{MaxIterations: c.hard}})
			if err != nil {
				t.Fatal(err)
			}
			config := a.Space().Default()
			config["loop.max_iterations"] = c.limit
			r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: fourParts}, Config: config})
			if r.Outcome != agent.OK || len(seen) != c.calls || r.Usage.Iterations != c.calls {
				t.Fatalf("%s after %d calls\n%s", r.Outcome, len(seen), story(r))
			}
			plans := kinds(r, agent.EventDecompose)
			var p plan
			if err := json.Unmarshal(plans[len(plans)-1].Data, &p); err != nil || p.GoalType != c.goalType {
				t.Fatalf("%+v, %v", p, err)
			}
			var steps []int
			for _, s := range p.Subgoals {
				steps = append(steps, s.Steps)
			}
			if !slices.Equal(steps, c.want) {
				t.Errorf("steps %v, want %v", steps, c.want)
			}
		})
	}
}

// TestThePlanStandsFirst tests that the plan is recorded before the steps, and that each
// step contains the number of its subgoal.
func TestThePlanStandsFirst(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{Model: diligent{1, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: fourParts}})
	events := r.Transcript.Events
	at := slices.IndexFunc(events, func(e agent.Event) bool { return e.Kind == agent.EventDecompose })
	first := slices.IndexFunc(events, func(e agent.Event) bool { return e.Kind == agent.EventModel || e.Kind == agent.EventTool })
	var p plan
	if at < 0 || at > first || json.Unmarshal(events[at].Data, &p) != nil || len(p.Subgoals) != 4 || p.Subgoals[3].Goal != "summarize the invoices" {
		t.Fatalf("the plan is event %d, the first step event %d\n%s", at, first, story(r))
	}
	var of []int
	for _, e := range events {
		if e.Kind == agent.EventTool {
			of = append(of, e.Subgoal)
		}
	}
	if !slices.Equal(of, []int{1, 2, 3, 4}) || events[len(events)-1].Subgoal != 0 {
		t.Errorf("subgoals of the calls: %v\n%s", of, story(r))
	}
}

// TestScoresStandBeforeTheCall tests that in the transcript the scores of the tools
// precede the call to the chosen tool, and that the transcript contains a language
// model's own reason.
func TestScoresStandBeforeTheCall(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "What is (412 + 88) * 3?"}})
	events := r.Transcript.Events
	call := slices.IndexFunc(events, func(e agent.Event) bool { return e.Kind == agent.EventTool })
	if call < 1 || !strings.Contains(events[call-1].Text, "scores: calculate 0.900 (pattern 1.00, performance 0.50)") {
		t.Error(story(r))
	}
	var seen []model.Request
	reply := calls("calculate", `{"expression":"1+1"}`)
	reply.Said = "I need the sum"
	r = speaking(t, &seen, Options{}, reply, model.Reply{Answer: "2"}).Run(t.Context(), agent.Request{Task: agent.Task{Goal: "How many?"}})
	if !strings.Contains(story(r), `writes "I need the sum"; calls calculate`) {
		t.Error(story(r))
	}
}

// TestParallelFailuresAreShown tests that a model sees the failures of its parallel
// calls, and that only replies that keep failing end the turn, with the outcome
// "execution".
func TestParallelFailuresAreShown(t *testing.T) {
	var four model.Reply
	for i := range 4 {
		four.Calls = append(four.Calls, model.Call{Tool: "read_file", Arguments: json.RawMessage(fmt.Sprintf(`{"path":"absent%d"}`, i))})
	}
	var seen []model.Request
	r := speaking(t, &seen, Options{}, four, model.Reply{Answer: "none of the four is there"}).
		Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Read them"}, Workdir: t.TempDir()})
	if r.Outcome != agent.OK || len(seen) < 2 || len(seen[1].Steps) != 4 {
		t.Errorf("%s\n%s", r.Outcome, story(r))
	}
	seen = nil
	again := make([]model.Reply, 6)
	for i := range again {
		again[i] = calls("read_file", fmt.Sprintf(`{"path":"absent%d"}`, i))
	}
	r = speaking(t, &seen, Options{}, again...).Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Read them"}, Workdir: t.TempDir()})
	if r.Outcome != agent.Execution || r.Answer != nil || len(seen) != 4 {
		t.Errorf("%s after %d replies\n%s", r.Outcome, len(seen), story(r))
	}
}

// TestALoopInASubgoalEndsOnlyThat tests that the other subgoals still run after a loop in
// one subgoal.
func TestALoopInASubgoalEndsOnlyThat(t *testing.T) {
	same := calls("calculate", `{"expression":"1+1"}`)
	var seen []model.Request
	a, err := New(Options{Model: scripted{[]model.Reply{same, same, same, {Answer: "4"}, {Answer: "only the second: 4"}}, nil, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Design a menu and calculate 3 + 1"}})
	if r.Outcome != agent.OK || answer(r) != "only the second: 4" || !seen[len(seen)-1].Findings[0].Unsure {
		t.Errorf("%s\n%s", r.Outcome, story(r))
	}
}

// TestTheAgentsReasonIsKept tests that a change request contains the reason that the
// agent gave. If the tool is foreign, the cause precedes this reason.
func TestTheAgentsReasonIsKept(t *testing.T) {
	var seen []model.Request
	a := speaking(t, &seen, Options{}, calls("propose_patch", `{"target":"limits.go","reason":"the limit is too low","patch":"+1"}`), model.Reply{Answer: "done"})
	config := a.Space().Default()
	config["tools.selection"] = []string{"propose_patch"}
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "raise it"}, Config: config, Live: true})
	if len(r.Requests) != 1 || r.Requests[0].Reason != "the limit is too low" {
		t.Errorf("%+v", r.Requests)
	}
	foreign := tool.Spec{Name: "shop__refund", Effect: tool.Write, Origin: "mcp:shop"}
	for args, want := range map[string]string{
		`{"reason":"a customer asks"}`: "the tool's effect is write; the agent's reason: a customer asks",
		`{"reason":7}`:                 "the tool's effect is write",
		`{"reason":" "}`:               "the tool's effect is write",
		`[]`:                           "the tool's effect is write",
	} {
		if q := restrict(foreign, json.RawMessage(args)); q == nil || q.Reason != want {
			t.Errorf("%s: %+v", args, q)
		}
	}
}
