package turn

import (
	"context"
	"slices"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestAnswerForm tests that if an answer is not in the requested form, it is requested
// again as often as the config specifies. Each request counts, and an answer whose form
// is still wrong has low utility.
func TestAnswerForm(t *testing.T) {
	bad := func(text string) model.Reply {
		return model.Reply{Answer: text, Formless: true, Usage: agent.Usage{OutputTokens: 10}}
	}
	good := model.Reply{Answer: "7", Said: `{"answer": 7}`, Usage: agent.Usage{OutputTokens: 10}}
	for name, c := range map[string]struct {
		retries, iterations int64
		replies             []model.Reply
		asked               int
		outcome             agent.Outcome
		rejected            []string
	}{
		"in the form":        {3, 8, []model.Reply{good}, 1, agent.OK, nil},
		"no retries":         {0, 8, []model.Reply{bad("a"), good}, 1, agent.LowUtility, nil},
		"one retry":          {1, 8, []model.Reply{bad("a"), good}, 2, agent.OK, []string{"a"}},
		"one is not enough":  {1, 8, []model.Reply{bad("a"), bad("b"), good}, 2, agent.LowUtility, []string{"a"}},
		"two":                {2, 8, []model.Reply{bad("a"), bad("b"), good}, 3, agent.OK, []string{"a", "b"}},
		"the same again":     {3, 8, []model.Reply{bad("a"), bad("a"), good}, 2, agent.LowUtility, []string{"a"}},
		"no iterations left": {3, 2, []model.Reply{bad("a"), bad("b"), good}, 2, agent.LowUtility, []string{"a"}},
		"unsure":             {3, 8, []model.Reply{{Answer: "unknown", Formless: true, Unsure: true}}, 1, agent.LowUtility, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []model.Request
			a := speaking(t, &seen, Options{}, c.replies...)
			config := a.Space().Default()
			config["answer.form"], config["answer.retries"], config["loop.max_iterations"] = "json", c.retries, c.iterations
			r := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "How many?"}, Config: config})
			if r.Outcome != c.outcome || len(seen) != c.asked || r.Usage.Iterations != c.asked {
				t.Fatalf("%s after %d requests, usage %+v\n%s", r.Outcome, len(seen), r.Usage, story(r))
			}
			if last := seen[len(seen)-1]; last.Form != model.JSONForm || !slices.Equal(last.Rejected, c.rejected) {
				t.Errorf("the last request has the form %q and sent back %q", last.Form, last.Rejected)
			}
		})
	}
}

// TestEssentialTools tests that no selection drops an essential tool from a language
// model's request.
func TestEssentialTools(t *testing.T) {
	var seen []model.Request
	a := speaking(t, &seen, Options{}, model.Reply{Answer: "done"})
	for _, selection := range [][]string{{}, {"repo_index"}, {"grep"}} {
		config := a.Space().Default()
		config["tools.selection"] = selection
		a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: "Do it"}, Config: config})
		var have []string
		for _, s := range seen[len(seen)-1].Tools {
			have = append(have, s.Name)
		}
		for _, name := range append(essential(a.registry.Names()), selection...) {
			if !slices.Contains(have, name) {
				t.Errorf("with %v, %s is not offered", selection, name)
			}
		}
	}
}
