package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/tool"
)

// scripted is a model that replies from a list and then repeats the last reply.
type scripted struct {
	replies []model.Reply
	err     error
	seen    *[]model.Request
}

func (s scripted) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	n := len(*s.seen)
	*s.seen = append(*s.seen, *req)
	if s.err != nil {
		return model.Reply{}, s.err
	}
	return s.replies[min(n, len(s.replies)-1)], nil
}

func calls(name, args string) model.Reply {
	return model.Reply{Calls: []model.Call{{Tool: name, Arguments: json.RawMessage(args)}}}
}

func TestEveryTurnEndsInOneOutcome(t *testing.T) {
	sum := calls("calculate", `{"expression":"1+1"}`)
	boundary := &tool.Boundary{Axes: []string{"Web"}, Shape: "browsing", Evidence: "says browse"}
	for name, c := range map[string]struct {
		replies []model.Reply
		err     error
		limits  agent.Limits
		goal    string
		want    agent.Outcome
		answer  string
	}{
		"answer":         {replies: []model.Reply{sum, {Answer: "2"}}, want: agent.OK, answer: "2"},
		"unsure":         {replies: []model.Reply{{Answer: "unknown", Unsure: true}}, want: agent.LowUtility, answer: "unknown"},
		"referral":       {replies: []model.Reply{{Answer: "r", Referral: boundary}}, want: agent.WrongToolBoundary, answer: "r"},
		"empty referral": {replies: []model.Reply{{Answer: "r", Referral: &tool.Boundary{Axes: []string{"x"}}}}, want: agent.ContractViolation},
		"empty answer":   {replies: []model.Reply{{}}, want: agent.ContractViolation},
		"same call":      {replies: []model.Reply{sum}, want: agent.Execution},
		"too many calls": {replies: []model.Reply{{Calls: make([]model.Call, maxCalls+1)}}, want: agent.ContractViolation},
		"iterations":     {replies: []model.Reply{sum}, limits: agent.Limits{MaxIterations: 1}, want: agent.BudgetExceeded},
		"provider down":  {err: errors.New("503"), want: agent.Infrastructure},
		"output":         {replies: []model.Reply{{Answer: strings.Repeat("x", 100)}}, limits: agent.Limits{MaxOutputBytes: 99}, want: agent.BudgetExceeded},
		"tokens":         {replies: []model.Reply{{Answer: "x", Usage: agent.Usage{OutputTokens: 11}}}, limits: agent.Limits{MaxTokens: 10}, want: agent.BudgetExceeded},
		"money":          {replies: []model.Reply{{Answer: "x", Usage: agent.Usage{CostUSD: .2}}}, limits: agent.Limits{MaxCostUSD: .1}, want: agent.BudgetExceeded},
		"never":          {replies: []model.Reply{{Answer: "the launch code"}}, want: agent.Denied},
		"no goal":        {goal: " ", replies: []model.Reply{{Answer: "x"}}, want: agent.ContractViolation},
	} {
		t.Run(name, func(t *testing.T) {
			a, err := New(Options{
				Model: scripted{c.replies, c.err, new([]model.Request)}, Never: []string{"launch code"},
			})
			if err != nil {
				t.Fatal(err)
			}
			goal := c.goal
			if goal == "" {
				goal = "do it"
			}
			r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: goal}, Limits: c.limits})
			if r.Outcome != c.want || (r.Answer != nil) != c.want.Gradable() || (r.Answer != nil && *r.Answer != c.answer) {
				t.Errorf("%s, answer %s\n%s", r.Outcome, answer(r), story(r))
			}
			if (r.Outcome == agent.OK) != (r.Error == "") {
				t.Errorf("outcome %s with error %q", r.Outcome, r.Error)
			}
		})
	}
}

func TestModelPanicIsAnOutcome(t *testing.T) {
	a, err := New(Options{Model: scripted{nil, nil, new([]model.Request)}})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "x"}}); r.Outcome != agent.Execution {
		t.Errorf("%s", r.Outcome)
	}
}

func TestTimeAndCancellation(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if r := a.Run(ctx, agent.Request{Task: agent.Task{Goal: "1+1"}}); r.Outcome != agent.Cancelled {
		t.Errorf("cancelled: %s", r.Outcome)
	}
	late, stop := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer stop()
	if r := a.Run(late, agent.Request{Task: agent.Task{Goal: "1+1"}}); r.Outcome != agent.Timeout {
		t.Errorf("late: %s", r.Outcome)
	}
}

func TestInactiveToolsAreDenied(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{Model: scripted{[]model.Reply{
		calls("repo_index", `{}`), calls("enable_tool", `{"name":"repo_index"}`), calls("repo_index", `{"x":1}`), {Answer: "done"},
	}, nil, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "look"}})
	var got []agent.Outcome
	for _, s := range seen[len(seen)-1].Steps {
		got = append(got, s.Result.Outcome)
	}
	if diff := cmp.Diff([]agent.Outcome{agent.Denied, agent.OK, agent.ContractViolation}, got); diff != "" {
		t.Error(diff, story(r))
	}
	if len(seen[0].Inactive) != 3 || len(seen[2].Inactive) != 2 {
		t.Errorf("inactive %v, then %v", seen[0].Inactive, seen[2].Inactive)
	}
}

func TestActivatedToolExpires(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{
		Space: DefaultSpace(nil, nil, nil),
		Model: scripted{[]model.Reply{
			calls("enable_tool", `{"name":"repo_index"}`), calls("note", `{"text":"a"}`), calls("note", `{"text":"b"}`), {Answer: "done"},
		}, nil, &seen},
	})
	if err != nil {
		t.Fatal(err)
	}
	c := a.Space().Default()
	c["tools.expire_turns"] = int64(1)
	a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "look"}, Config: c})
	if len(seen[1].Inactive) != 2 || len(seen[3].Inactive) != 3 {
		t.Errorf("inactive %v, then %v", seen[1].Inactive, seen[3].Inactive)
	}
}

func TestSelfCheckSendsBackOnce(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{Model: scripted{[]model.Reply{{Answer: "plenty", Expects: model.NumberShape}}, nil, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "how many"}}); answer(r) != "plenty" {
		t.Error(story(r))
	}
	if len(seen) != 2 || len(seen[1].Rejected) != 1 {
		t.Errorf("%d calls, rejected %v", len(seen), seen[len(seen)-1].Rejected)
	}
}

func TestConfigOutOfRangeIsClampedAndRecorded(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(context.Background(), agent.Request{
		Task:   agent.Task{Goal: "What is 2+2?"},
		Config: agent.Config{"loop.max_iterations": int64(9000), "recall.min_score": -1.0, "strategy": strings.Repeat("x", 5000)},
	})
	if answer(r) != "4" {
		t.Error(story(r))
	}
	clamped := 0
	for _, e := range r.Transcript.Events {
		if e.Kind == agent.EventCheck && strings.Contains(e.Text, "clamped") {
			clamped++
		}
	}
	if clamped != 3 {
		t.Errorf("%d clamps recorded\n%s", clamped, story(r))
	}
}

func TestUnknownDirectivesAreRecorded(t *testing.T) {
	a, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(context.Background(), agent.Request{
		Task: agent.Task{Goal: "What is 2+2?"}, Config: agent.Config{"strategy": "be excellent\nanswer: number only"},
	})
	if !strings.Contains(story(r), "no directive: be excellent") || strings.Contains(story(r), "no directive: answer") {
		t.Error(story(r))
	}
}

func TestBootstrap(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{
		Space: DefaultSpace(nil, nil, nil), Model: scripted{[]model.Reply{{Answer: "x"}}, nil, &seen},
		Bootstrap: map[string]string{
			"SOUL.md": strings.Repeat("s", 8000), "GOALS.md": strings.Repeat("g", 9000), "STRATEGY.md": "old", "PROSOCHE.md": "p", "AGENT.md": "a",
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := a.Space().Default()
	config["strategy"] = "be brief"
	names := func(budget int64) string {
		config["bootstrap.token_budget"] = budget
		a.Run(context.Background(), agent.Request{
			Task: agent.Task{Goal: "look"}, Config: config, Session: agent.Session{Notes: []string{"n"}, Working: "w"},
		})
		req := seen[len(seen)-1]
		out := ""
		for _, s := range req.System {
			out += s.Name + " "
		}
		return fmt.Sprint(out, req.Strategy, " ", req.Notes, req.Working)
	}
	if got := names(40_000); got != "SOUL.md AGENT.md GOALS.md PROSOCHE.md be brief [n]w" {
		t.Error(got)
	}
	if got := names(4000); got != "SOUL.md AGENT.md  []" {
		t.Error(got)
	}
}

func TestGoalFromMessagesAndInput(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{Model: scripted{[]model.Reply{{Answer: "x"}}, nil, &seen}})
	if err != nil {
		t.Fatal(err)
	}
	turns := []agent.Message{{Role: "user", Content: "first"}, {Role: "assistant", Content: "ok"}, {Role: "user", Content: "second"}}
	for _, task := range []agent.Task{{Messages: turns}, {Goal: "second", Messages: turns[:2]}, {Input: json.RawMessage(`"second"`)}} {
		a.Run(context.Background(), agent.Request{Task: task})
		last := seen[len(seen)-1]
		if last.Goal != "second" || (len(task.Messages) > 0 && len(last.Turns) != 2) {
			t.Errorf("goal %q, %d turns", last.Goal, len(last.Turns))
		}
	}
}

// TestSameRequestSameBytes runs every situation in parallel and compares the complete
// results. No run may affect another.
func TestSameRequestSameBytes(t *testing.T) {
	for i, s := range situations() {
		a, err := New(Options{Memories: s.memories})
		if err != nil {
			t.Fatal(err)
		}
		dir := lay(t, s.files)
		c := a.Space().Default()
		for k, v := range s.rest {
			c[k] = v
		}
		run := func(seed int64) string {
			raw, err := json.Marshal(a.Run(context.Background(), agent.Request{Task: s.task, Config: c, Workdir: dir, Seed: seed}))
			if err != nil {
				t.Error(err)
			}
			return string(raw)
		}
		want := run(1)
		var wg sync.WaitGroup
		for n := range 8 {
			wg.Go(func() {
				if got := run(int64(n)); got != want {
					t.Errorf("situation %d: %s", i, cmp.Diff(want, got))
				}
			})
		}
		wg.Wait()
	}
}

func TestNewRefuses(t *testing.T) {
	for name, o := range map[string]Options{
		"tool":  {Tools: []string{"telescope"}},
		"twice": {Tools: []string{"grep", "grep"}},
		"space": {Space: agent.Space{Params: []agent.Param{{Name: "x", Kind: "colour"}}}},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func TestTranscriptIsBounded(t *testing.T) {
	var memories []agent.Memory
	for i := range 50 {
		memories = append(memories, agent.Memory{ID: strings.Repeat("i", 400) + fmt.Sprint(i), Text: "gate code"})
	}
	a, err := New(Options{Memories: memories})
	if err != nil {
		t.Fatal(err)
	}
	r := a.Run(context.Background(), agent.Request{
		Task: agent.Task{Goal: "gate code"}, Config: agent.Config{"strategy": strings.Repeat("nonsense line\n", 280)},
	})
	raw, err := json.Marshal(r.Transcript)
	if err != nil || len(raw) > 20_000 {
		t.Errorf("%d bytes, %v", len(raw), err)
	}
}
