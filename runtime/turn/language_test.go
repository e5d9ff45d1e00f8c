package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// felt is a situation outside evaluations in which a parameter changes the request to a
// language model, although no evaluation can show the parameter's effect.
type felt struct {
	param    string
	one, two any
	request  agent.Request
	options  Options
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
	beside := func(own float64) Options {
		in := func(score float64) *experience.Experience {
			return &experience.Experience{Domains: []experience.Competence{{Domain: "operations", Score: score, Turns: 9}}}
		}
		return Options{Experience: in(own), Others: map[string]*experience.Experience{"expert": in(.7)}}
	}
	return []felt{
		{
			param: "notes.token_budget", one: int64(200), two: int64(8000),
			request: agent.Request{Task: plain.Task, Session: agent.Session{Notes: []string{strings.Repeat("a", 400), strings.Repeat("b", 400), strings.Repeat("c", 400)}}},
		},
		{param: "delegate.below", one: .3, two: .4, request: plain, options: beside(.35)},
		{param: "delegate.above", one: .6, two: .8, request: plain, options: beside(.1)},
	}
}

// TestParametersOutsideOfEvaluations tests that the parameters that act only in a session
// or alongside other agents change the request to a language model.
// TestParametersOfALanguageModelAct covers all other parameters.
func TestParametersOutsideOfEvaluations(t *testing.T) {
	covered := map[string]bool{}
	for _, f := range feltSituations() {
		covered[f.param] = true
		asked := func(v any) string {
			var seen []model.Request
			o := f.options
			o.ID, o.Language, o.Routes, o.Model = "clerk", true, []string{"default", "code"}, scripted{[]model.Reply{{Answer: "done"}}, nil, &seen}
			o.Space = LanguageSpace([]string{"operations"}, nil, o.Allowed, o.Routes)
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
	for _, p := range LanguageSpace(nil, nil, nil, nil).Params {
		group, _, _ := strings.Cut(p.Name, ".")
		if (group == "notes" || group == "delegate") && !covered[p.Name] {
			t.Errorf("nothing shows that %s matters", p.Name)
		}
	}
}
