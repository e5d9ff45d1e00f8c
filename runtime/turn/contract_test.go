package turn

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/provider"
)

// recording is a chat completions server that stores the requests. Its model makes the
// calls that a goal spells out, and answers in two lines. It gives no answer if the goal
// demands silence.
type recording struct{ sent bytes.Buffer }

func (s *recording) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var asked struct {
		Model    string
		Messages []struct{ Role, Content string }
		Tools    []any
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	if !provider.TakesTemperature(provider.OpenAI, asked.Model) { // the temperature is 1, whether stated or not
		body = bytes.Replace(body, []byte(`,"temperature":1`), nil, 1)
	}
	s.sent.Write(body)
	s.sent.WriteByte('\n')
	goal, results := "", 0
	for _, m := range asked.Messages {
		if _, after, ok := strings.Cut(m.Content, "Goal:\n"); ok && m.Role == "user" {
			goal, results = after, 0
		}
		if m.Role == "tool" {
			results++
		}
	}
	message := map[string]any{"role": "assistant", "content": fmt.Sprintf("seven\nor %d", len(asked.Messages))}
	if strings.Contains(goal, "in silence") {
		message["content"] = ""
	}
	calls := []string{`enable_tool {"name":"repo_index"}`, `note {"text":"a"}`, `note {"text":"b"}`, `memory_search {"query":"gate code"}`}
	if strings.Contains(goal, "step by step") && results < len(calls) && len(asked.Tools) > 0 {
		name, arguments, _ := strings.Cut(calls[results], " ")
		message = map[string]any{"role": "assistant", "content": "", "tool_calls": []any{
			map[string]any{"id": "1", "type": "function", "function": map[string]any{"name": name, "arguments": arguments}},
		}}
	}
	reply, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}},
		"usage":   map[string]any{"prompt_tokens": len(body) / 4, "completion_tokens": 5},
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(bytes.NewReader(reply)), Request: r}, nil
}

// values returns values for a parameter that cover its range.
func values(p agent.Param) []any {
	switch p.Kind {
	case agent.Float:
		return []any{p.Min, (3*p.Min + p.Max) / 4, (p.Min + p.Max) / 2, p.Max}
	case agent.Int:
		return []any{int64(p.Min), int64(p.Min + 1), int64((p.Min + p.Max) / 2), int64(p.Max)}
	case agent.Bool:
		return []any{false, true}
	case agent.Choice:
		return p.Values
	case agent.Subset:
		return []any{[]string{}, p.Of[:min(1, len(p.Of))], p.Of}
	case agent.Text:
		if p.Use == agent.Demonstrations {
			return []any{"", agent.FormatDemonstrations([]agent.Demonstration{{Task: "two and two", Answer: "four"}})}
		}
		return []any{"", "Write in capital letters."}
	}
	return nil
}

// trace runs the tasks with a language model and returns everything that was sent to the
// model, and the results.
func trace(t *testing.T, o Options, tasks []agent.Task, space agent.Space, c agent.Config) string {
	t.Helper()
	var server recording
	routes := make([]provider.Route, len(o.Routes))
	for i, name := range o.Routes {
		routes[i] = provider.Route{Name: name, Provider: "lm", Model: name}
	}
	router, err := provider.NewRouter(provider.Options{
		Endpoints: []provider.Endpoint{{Name: "lm", Kind: provider.OpenAI, BaseURL: "http://model/v1", HTTP: &http.Client{Transport: &server}}},
		Routes:    routes, Default: o.Routes[0],
	})
	if err != nil {
		t.Fatal(err)
	}
	defer router.Close()
	o.ID, o.Language, o.Model, o.Space = "clerk", true, router, space
	a, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	var results strings.Builder
	for _, task := range tasks {
		res := a.Run(context.Background(), agent.Request{Task: task, Config: c})
		fmt.Fprintln(&results, res.Outcome, answer(res), res.Usage.Iterations)
	}
	return server.sent.String() + results.String()
}

// TestParametersOfALanguageModelAct is the contract for the search space of a language
// model. Under the circumstances that the test creates, each parameter that is not idle
// changes the request to the model, or the result, on some task, and each idle parameter
// changes nothing. The test covers every parameter in the space, so a new parameter
// without an effect fails it.
func TestParametersOfALanguageModelAct(t *testing.T) {
	plain := []agent.Task{{Goal: "Which intent has: freeze my card?", Domain: "operations"}, {Goal: "Answer in silence.", Domain: "operations"}}
	facts := []agent.Memory{
		{ID: "a", Text: "The gate code of the depot is 7734"},
		{ID: "b", Text: "The gate code of the depot is 7734 today"},
		{ID: "c", Text: "Gate code: see the depot's porter"},
		{ID: "d", Text: "The depot has a gate. " + strings.Repeat("It is green and tall. ", 60)},
		{ID: "e", Text: "Gate code and depot. " + strings.Repeat("The clerk has the gate code. ", 40)},
	}
	rich := append([]agent.Task{
		{Goal: "Which of these is it, a hinge or a lock?", Domain: "faq"},
		{Goal: "What is the gate code of the depot?", Domain: "operations", Memories: facts},
		{
			Goal: "What is the vault code that opens Lisbon headquarters tonight?", Domain: "operations",
			Memories: append(background(40), agent.Memory{ID: "v", Text: "The vault code of the Lisbon branch is 7734"}),
		},
		{Goal: "Compare the unit price of LK-204, HG-100 and BT-7", Domain: "operations"},
		{Goal: "and now?", Domain: "operations", Messages: longTalk(30, 100)},
		{Goal: "Go on step by step.", Domain: "operations"},
	}, plain...)
	long := map[string]string{"SOUL.md": "be kind", "GOALS.md": strings.Repeat("g ", 20_000)}
	for name, c := range map[string]struct {
		options Options
		tasks   []agent.Task
		idle    string // number of idle parameters, and of all parameters
	}{
		"a rich agent":                {Options{Routes: []string{"default", "code"}, Bootstrap: long}, rich, "8 of 28"},
		"a classifier":                {Options{Routes: []string{"default"}, Tools: []string{"grep", "calculate", "enable_tool"}}, plain, "18 of 26"},
		"an agent without tools":      {Options{Routes: []string{"default"}, Tools: []string{}}, plain, "14 of 21"},
		"a model without temperature": {Options{Routes: []string{"gpt-5-mini"}}, append(rich[5:6:6], plain...), "18 of 26"},
	} {
		t.Run(name, func(t *testing.T) {
			space := LanguageSpace([]string{"operations", "research"}, c.options.Tools, c.options.Allowed, c.options.Routes)
			untempered := true
			for _, model := range c.options.Routes {
				untempered = untempered && !provider.TakesTemperature(provider.OpenAI, model)
			}
			idle := Idle(space, Circumstances{
				Language: true, Tools: c.options.Tools, Allowed: c.options.Allowed, Bootstrap: c.options.Bootstrap,
				Memories: len(c.options.Memories), Tasks: c.tasks, Untempered: untempered,
			})
			for _, p := range space.Params {
				base := space.Default()
				for other, values := range p.When {
					base[other] = values[0]
				}
				first, acts := "", false
				for i, v := range values(p) {
					config := base.Clone()
					config[p.Name] = v
					got := trace(t, c.options, c.tasks, space, config)
					if i == 0 {
						first = got
					}
					if acts = got != first; acts {
						break
					}
				}
				one := p.Kind == agent.Subset && len(p.Of) == 0
				if why := idle[p.Name]; acts == (why != "" || one) {
					t.Errorf("%s: acts %v, not searched: %q", p.Name, acts, why)
				}
			}
			if got := fmt.Sprintf("%d of %d", len(idle), len(space.Params)); got != c.idle {
				t.Errorf("%s parameters are idle, want %s: %v", got, c.idle, idle)
			}
		})
	}
}
