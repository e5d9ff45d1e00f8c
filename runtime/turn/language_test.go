package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// felt is a situation in which a parameter that affects only a language model changes
// the model's request.
type felt struct {
	param    string
	one, two any
	request  agent.Request
	options  Options
	replies  []model.Reply
}

func longTalk(n, size int) []agent.Message {
	var out []agent.Message
	for i := range n {
		role := []string{"user", "assistant"}[i%2]
		out = append(out, agent.Message{Role: role, Content: fmt.Sprintf("%d %s", i, strings.Repeat("the depot of Lisbon closes at six. ", size))})
	}
	return out
}

func feltSituations() []felt {
	plain := agent.Request{Task: agent.Task{Goal: "what is open", Domain: "operations"}}
	talk := func(n, size int) agent.Request {
		return agent.Request{Task: agent.Task{Goal: "and now?", Domain: "operations", Messages: longTalk(n, size)}}
	}
	weak := Options{Competence: func(string) (float64, map[string]float64) { return .35, map[string]float64{"expert": .7} }}
	return []felt{
		{param: "temperature.operations", one: .2, two: .9, request: plain},
		{param: "routes.operations", one: "default", two: "code", request: plain},
		{param: "distill.threshold_tokens", one: int64(20_000), two: int64(200_000), request: talk(20, 150)},
		{param: "distill.threshold_messages", one: int64(20), two: int64(500), request: talk(30, 1)},
		{
			param: "notes.token_budget", one: int64(200), two: int64(8000),
			request: agent.Request{Task: plain.Task, Session: agent.Session{Notes: []string{strings.Repeat("a", 400), strings.Repeat("b", 400), strings.Repeat("c", 400)}}},
		},
		{
			param: "bootstrap.token_budget", one: int64(4000), two: int64(100_000), request: plain,
			options: Options{Bootstrap: map[string]string{"SOUL.md": "be kind", "GOALS.md": strings.Repeat("g ", 20_000)}},
		},
		{param: "delegate.below", one: .3, two: .4, request: plain, options: weak},
		{param: "delegate.above", one: .6, two: .8, request: plain, options: Options{
			Competence: func(string) (float64, map[string]float64) { return .1, map[string]float64{"expert": .7} },
		}},
		{param: "tools.expire_turns", one: int64(1), two: int64(9), request: plain, replies: []model.Reply{
			calls("enable_tool", `{"name":"repo_index"}`), calls("note", `{"text":"a"}`), calls("note", `{"text":"b"}`), {Answer: "done"},
		}},
	}
}

// TestEveryParameterIsFelt tests that each parameter of the default space either
// decides a task for the heuristic (TestEveryParameterFlipsATask) or changes the
// rendered request to a language model.
func TestEveryParameterIsFelt(t *testing.T) {
	covered := map[string]bool{}
	for _, s := range situations() {
		covered[s.param] = true
	}
	for _, f := range feltSituations() {
		covered[f.param] = true
		asked := func(v any) string {
			var seen []model.Request
			o := f.options
			if f.replies == nil {
				f.replies = []model.Reply{{Answer: "done"}}
			}
			o.ID, o.Language, o.Routes, o.Model = "clerk", true, []string{"default", "code"}, scripted{f.replies, nil, &seen}
			o.Space = DefaultSpace([]string{"operations"}, nil, o.Routes)
			a, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			req := f.request
			req.Config = a.Space().Default()
			req.Config[f.param] = v
			if res := a.Run(context.Background(), req); res.Outcome != agent.OK {
				t.Fatalf("%s: %s\n%s", f.param, res.Outcome, story(res))
			}
			var out strings.Builder
			for i := range seen {
				chat, err := json.Marshal([]any{provider.Render(&seen[i]), seen[i].Sampling})
				if err != nil {
					t.Fatal(err)
				}
				out.Write(chat)
			}
			return out.String()
		}
		one, two := asked(f.one), asked(f.two)
		if one == two {
			t.Errorf("%s: %v and %v ask the same", f.param, f.one, f.two)
		}
		if again := asked(f.one); again != one {
			t.Errorf("%s: the same value asks something else the second time", f.param)
		}
	}
	for _, p := range DefaultSpace([]string{"operations"}, nil, []string{"default", "code"}).Params {
		if !covered[p.Name] {
			t.Errorf("nothing shows that %s matters", p.Name)
		}
	}
}
