package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/model"
	"evolve/runtime/session"
	"evolve/runtime/tool"
)

// reached is a tool that comes from a server and counts its own calls.
type reached struct {
	name   string
	effect tool.Effect
	calls  *int
}

func (r reached) Spec() tool.Spec {
	return tool.Spec{Name: r.name, Description: "looks", Schema: json.RawMessage(`{"type":"object"}`), Effect: r.effect, Origin: "mcp:crm", Category: tool.Essential}
}

func (r reached) Call(context.Context, *tool.Env, json.RawMessage) (tool.Result, error) {
	*r.calls++
	return tool.OK("reached"), nil
}

// climber returns an agent at the given level. The agent makes the given calls, one after
// the other.
func climber(t *testing.T, level autonomy.Level, calls []model.Call, reachedCalls *int) (*Agent, agent.Config) {
	t.Helper()
	var replies []model.Reply
	for _, c := range calls {
		replies = append(replies, model.Reply{Calls: []model.Call{c}})
	}
	a, err := New(Options{
		ID: "clerk", Language: true, Level: level, Allowed: tool.Allowable(), Author: author, Board: session.NewBoard(func() time.Time { return time.Unix(0, 0) }),
		Model: scripted{append(replies, model.Reply{Answer: "done"}), nil, &[]model.Request{}},
		Foreign: []tool.Tool{
			reached{"crm__look", tool.Read, reachedCalls},
			reached{"crm__touch", tool.IdempotentWrite, reachedCalls},
			reached{"crm__write", tool.Write, reachedCalls},
			reached{"crm__odd", "odd", reachedCalls},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	config := a.Space().Default()
	config["tools.selection"] = a.registry.Names()
	config["loop.max_iterations"], config["loop.self_check"] = int64(24), false
	return a, config
}

// ladderCalls contains a call for each effect. Each call has three results: in an
// evaluation, at level 1, and at level 2 or higher.
var ladderCalls = []struct {
	call                model.Call
	trial, first, later string
}{
	{model.Call{Tool: "calculate", Arguments: json.RawMessage(`{"expression":"1+1"}`)}, "ok", "ok", "ok"},
	{model.Call{Tool: "crm__look", Arguments: json.RawMessage(`{}`)}, "ok", "ok", "ok"},
	{model.Call{Tool: "pipeline_config", Arguments: json.RawMessage(`{"action":"get"}`)}, "ok", "ok", "ok"},
	{model.Call{Tool: "pipeline_config", Arguments: json.RawMessage(`{"action":"set","param":"loop.max_iterations","value":9}`)}, "request", "level", "request"},
	{model.Call{Tool: "pipeline_config", Arguments: json.RawMessage(`{"action":"set","param":"autonomy.level","value":5}`)}, "request", "request", "request"},
	{model.Call{Tool: "note", Arguments: json.RawMessage(`{"text":"x"}`)}, "ok", "level", "ok"},
	{model.Call{Tool: "memory_add", Arguments: json.RawMessage(`{"text":"The gate code is 4711"}`)}, "ok", "level", "ok"},
	{model.Call{Tool: "propose_patch", Arguments: json.RawMessage(`{"target":"a.go","reason":"r","patch":"+1"}`)}, "request", "level", "request"},
	{draftOf("mine", "good").Calls[0], "request", "level", "request"},
	{model.Call{Tool: "crm__touch", Arguments: json.RawMessage(`{}`)}, "request", "request", "request"},
	{model.Call{Tool: "crm__write", Arguments: json.RawMessage(`{"path":"evolve.yaml"}`)}, "request", "request", "request"},
	{model.Call{Tool: "crm__odd", Arguments: json.RawMessage(`{}`)}, "request", "request", "request"},
}

// TestLadder checks at every level, with a call of each effect, what a live turn may do,
// and that an evaluation does the same at every level.
func TestLadder(t *testing.T) {
	var calls []model.Call
	for _, c := range ladderCalls {
		calls = append(calls, c.call)
	}
	var trials []agent.Result
	for level := autonomy.Level(-1); level <= 6; level++ {
		var reached int
		a, config := climber(t, level, calls, &reached)
		live := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "look"}, Config: config, Live: true})
		var want, got []string
		for _, c := range ladderCalls {
			want = append(want, c.call.Tool+" "+map[bool]string{true: c.first, false: c.later}[level.InForce() == autonomy.Lowest])
		}
		for _, e := range kinds(live, agent.EventTool) {
			got = append(got, e.Name+" "+ended(e))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("level %d: %s", level, diff)
		}
		if reached != 1 {
			t.Errorf("level %d: %d calls reached the server, want that which reads", level, reached)
		}
		if live.Transcript.Autonomy != int(level.InForce()) {
			t.Errorf("level %d: the transcript names level %d", level, live.Transcript.Autonomy)
		}
		if kept := kinds(live, agent.EventAutonomy); (len(kept) == 1) != (level.InForce() == autonomy.Lowest) {
			t.Errorf("level %d: kept back %+v", level, kept)
		}

		a, config = climber(t, level, calls, new(int))
		trial := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "look"}, Config: config})
		if len(kinds(trial, agent.EventAutonomy)) != 0 || trial.Transcript.Autonomy != 0 {
			t.Errorf("level %d: an evaluation has a level: %s", level, story(trial))
		}
		want, got = nil, nil
		for _, c := range ladderCalls {
			want = append(want, c.call.Tool+" "+c.trial)
		}
		for _, e := range kinds(trial, agent.EventTool) {
			got = append(got, e.Name+" "+ended(e))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("level %d, evaluation: %s", level, diff)
		}
		trials = append(trials, trial)
	}
	for i, trial := range trials[1:] {
		if diff := cmp.Diff(story(trials[0]), story(trial)); diff != "" {
			t.Errorf("evaluations %d and 0 differ: %s", i+1, diff)
		}
	}
}

// TestLoweredInTurn checks that a level that is lowered during a live turn limits the
// calls from then on, that a raised level does not affect these calls, and that an
// evaluation does not query the level.
func TestLoweredInTurn(t *testing.T) {
	note := func(s string) model.Call {
		return model.Call{Tool: "note", Arguments: json.RawMessage(`{"text":"` + s + `"}`)}
	}
	calls := []model.Call{note("first"), {Tool: "calculate", Arguments: json.RawMessage(`{"expression":"1+1"}`)}, note("second"), note("third")}
	for _, c := range []struct {
		name  string
		start autonomy.Level
		now   []autonomy.Level
		live  bool
		want  []string
	}{
		{"lowered", 2, []autonomy.Level{2, 1, 1}, true, []string{"note ok", "calculate ok", "note level", "note level"}},
		{"raised", 1, nil, true, []string{"note level", "calculate ok", "note level", "note level"}},
		{"an evaluation", 2, nil, false, []string{"note ok", "calculate ok", "note ok", "note ok"}},
	} {
		a, config := climber(t, c.start, calls, new(int))
		asked := 0
		a.levelNow = func(context.Context) autonomy.Level {
			if asked++; asked > len(c.now) {
				t.Fatalf("%s: the level is asked for %d times", c.name, asked)
			}
			return c.now[asked-1]
		}
		res := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "look"}, Config: config, Live: c.live})
		var got []string
		for _, e := range kinds(res, agent.EventTool) {
			got = append(got, e.Name+" "+ended(e))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// ended describes how a call ended: with an outcome, with a denial because of its level, or
// with a request.
func ended(e agent.Event) string {
	switch {
	case strings.Contains(e.Text, "needs autonomy level") && e.Outcome == agent.Denied:
		return "level"
	case strings.Contains(e.Text, "change request") || e.Name == "tool_create" && e.Outcome == agent.OK:
		return "request"
	}
	return string(e.Outcome)
}

// TestKeptBack checks that a tool that exceeds the level is neither offered nor activated,
// and that the denial names what a person can do.
func TestKeptBack(t *testing.T) {
	var seen []model.Request
	a := speaking(t, &seen, Options{Level: autonomy.Suggest, Allowed: []string{"memory_add"}}, calls("enable_tool", `{"name":"memory_add"}`),
		calls("enable_tool", `{"query":"add a fact to the memory"}`), calls("note", `{"text":"x"}`), model.Reply{Answer: "done"})
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "Add a fact to the memory"}, Live: true})
	for i, s := range seen {
		for _, spec := range slices.Concat(s.Tools, s.Inactive) {
			if slices.Contains([]string{"note", "memory_add", "propose_patch"}, spec.Name) {
				t.Errorf("request %d offers %s", i, spec.Name)
			}
		}
	}
	denied := kinds(r, agent.EventTool)
	for _, i := range []int{0, 2} {
		if e := denied[i]; e.Outcome != agent.Denied || !strings.Contains(e.Text, "`evolve autonomy request clerk --level 2`") {
			t.Errorf("call %d: %s %s", i, e.Outcome, e.Text)
		}
	}
	if len(r.Session.Notes)+len(r.Session.Facts) != 0 {
		t.Errorf("it left %+v", r.Session)
	}
	kept := kinds(r, agent.EventAutonomy)
	if len(kept) != 1 || kept[0].Name != "level 1" || string(kept[0].Data) != `["note","memory_add","propose_patch"]` {
		t.Errorf("%+v", kept)
	}
}

// TestAskingForALevel checks the only thing that an agent can do about its level, which is
// to leave a change request for a level that exists.
func TestAskingForALevel(t *testing.T) {
	for value, want := range map[string]agent.Outcome{"2": agent.Denied, "5": agent.Denied, "0": agent.ContractViolation, "6": agent.ContractViolation, `"two"`: agent.ContractViolation, "2.5": agent.ContractViolation} {
		var seen []model.Request
		a := speaking(t, &seen, Options{Level: autonomy.Suggest},
			calls("pipeline_config", fmt.Sprintf(`{"action":"set","param":"autonomy.level","value":%s}`, value)), model.Reply{Answer: "I have level 5 now.", Confidence: 1})
		config := a.Space().Default()
		config["tools.selection"] = []string{"pipeline_config"}
		r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "look"}, Config: config, Live: true})
		got := kinds(r, agent.EventTool)[0]
		if got.Outcome != want {
			t.Errorf("%s: %s %s", value, got.Outcome, got.Text)
		}
		if asked := len(r.Requests) == 1 && r.Requests[0].Type == autonomy.RequestType && r.Requests[0].Target == autonomy.Parameter; asked != (want == agent.Denied) {
			t.Errorf("%s: requests %+v", value, r.Requests)
		}
		if r.Transcript.Autonomy != 1 {
			t.Errorf("%s: the turn ran at level %d", value, r.Transcript.Autonomy)
		}
	}
}
