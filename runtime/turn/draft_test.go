package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/model"
	"evolve/runtime/safety"
	"evolve/runtime/tool"
)

// drawn is a tool that a draft describes. When called, the tool returns its own
// description.
type drawn struct {
	name, text string
	effect     tool.Effect
	origin     string // empty means the origin of tools that agents wrote
	withheld   string
}

func (d drawn) Spec() tool.Spec {
	return tool.Spec{
		Name: d.name, Description: d.text, Schema: json.RawMessage(`{"type":"object"}`), Effect: d.effect, Origin: cmp.Or(d.origin, "authored"), Category: tool.Available,
	}
}

func (d drawn) Withheld() string { return d.withheld }

func (d drawn) Call(context.Context, *tool.Env, json.RawMessage) (tool.Result, error) {
	return tool.OK(d.text), nil
}

// author accepts every draft except those whose description begins with "bad".
func author(_ context.Context, raw json.RawMessage) (tool.Tool, tool.Result) {
	var d struct{ Name, Description string }
	if json.Unmarshal(raw, &d) != nil || strings.HasPrefix(d.Description, "bad") {
		return nil, tool.Failed(agent.ContractViolation, "two: it returned %s", d.Description)
	}
	q := safety.NewRequest("tool", d.Name, "tool_create", "the agent wrote a tool", raw)
	res := tool.OK("it passes")
	res.Request = &q
	return drawn{name: d.Name, text: d.Description, effect: tool.Read}, res
}

func draftOf(name, description string) model.Reply {
	return calls("tool_create", fmt.Sprintf(`{"name":%q,"description":%q,"schema":{"type":"object"},"source":"x","tests":[{"name":"a","args":{}},{"name":"b","args":{}}]}`, name, description))
}

// writer returns an agent that may write tools and whose model gives the replies in order.
func writer(t *testing.T, foreign []tool.Tool, replies ...model.Reply) (*Agent, *[]model.Request) {
	t.Helper()
	seen := &[]model.Request{}
	a, err := New(Options{
		ID: "clerk", Language: true, Level: autonomy.Draft, Allowed: []string{"tool_create"}, Author: author, Foreign: foreign,
		Model: scripted{replies: append([]model.Reply{calls("enable_tool", `{"name":"tool_create"}`)}, replies...), seen: seen},
		Space: DefaultSpace([]string{"_global"}, nil, nil),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a, seen
}

func write(t *testing.T, a *Agent) agent.Result {
	t.Helper()
	return a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "say so"}, Live: true, Config: agent.Config{"loop.max_iterations": int64(12)}})
}

// events returns the events of one kind as "name [outcome] text".
func events(res agent.Result, kind string) []string {
	var out []string
	for _, e := range res.Transcript.Events {
		if e.Kind == kind {
			out = append(out, fmt.Sprintf("%s [%s] %s", e.Name, e.Outcome, e.Text))
		}
	}
	return out
}

func TestDraftIsCallableInItsTurn(t *testing.T) {
	a, seen := writer(t, nil, draftOf("echo", "first"), calls("echo", `{}`), model.Reply{Answer: "done"})
	res := write(t, a)
	if res.Outcome != agent.OK || !slices.Contains(events(res, agent.EventTool), "echo [ok] first") {
		t.Fatalf("%+v", res)
	}
	offered := func(i int) bool {
		return slices.ContainsFunc((*seen)[i].Tools, func(s tool.Spec) bool { return s.Name == "echo" })
	}
	if offered(1) || !offered(2) {
		t.Errorf("before the draft: %t, after it: %t", offered(1), offered(2))
	}
	want := []string{"echo [ok] callable until this turn ends", "echo [] calls in the turn that wrote it: 1, ok: 1"}
	if got := events(res, agent.EventDraft); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if len(res.Requests) != 1 || res.Requests[0].Target != "echo" || !strings.Contains(res.Requests[0].Reason, "wrote it: 1, ok: 1") {
		t.Errorf("%+v", res.Requests)
	}
	// The next turn of the same agent does not have the tool.
	*seen = nil
	a.model = scripted{replies: []model.Reply{calls("enable_tool", `{"name":"echo"}`), calls("echo", `{}`), {Answer: "done"}}, seen: seen}
	next := write(t, a)
	if got := events(next, agent.EventTool); len(got) != 2 || !strings.Contains(got[0], `[denied] there is no tool "echo"`) || !strings.HasPrefix(got[1], "echo [denied]") {
		t.Errorf("%q", got)
	}
}

func TestDraftThatDidNotHelpLeavesNoRequest(t *testing.T) {
	for name, replies := range map[string][]model.Reply{
		"never called":          {draftOf("echo", "first"), {Answer: "done"}},
		"its arguments refused": {draftOf("echo", "first"), calls("echo", `[]`), {Answer: "done"}},
		"the turn failed":       {draftOf("echo", "first"), calls("echo", `{}`), {Unsure: true}},
		"never passed":          {draftOf("echo", "bad"), calls("echo", `{}`), {Answer: "done"}},
	} {
		t.Run(name, func(t *testing.T) {
			a, _ := writer(t, nil, replies...)
			if res := write(t, a); len(res.Requests) > 0 {
				t.Errorf("%+v", res.Requests)
			}
		})
	}
}

func TestDraftTriesAreBounded(t *testing.T) {
	replies := []model.Reply{draftOf("echo", "good")}
	for i := range maxTries {
		replies = append(replies, draftOf("echo", "bad "+strings.Repeat("x", i)))
	}
	a, _ := writer(t, nil, append(replies, calls("echo", `{}`), model.Reply{Answer: "done"})...)
	res := write(t, a)
	got := events(res, agent.EventTool)
	all := strings.Join(got, "\n")
	for i := 2; i <= maxTries; i++ {
		if !strings.Contains(all, fmt.Sprintf("[contract_violation] try %d of %d: two: it returned bad", i, maxTries)) {
			t.Errorf("try %d: %q", i, got)
		}
	}
	if !strings.Contains(all, "[denied] at most 5 drafts are checked") {
		t.Errorf("%q", got)
	}
	// A failed draft does not change the draft that passed.
	if !strings.Contains(all, "echo [ok] good") {
		t.Errorf("%q", got)
	}
}

func TestDraftTakesNoOtherName(t *testing.T) {
	mine := []tool.Tool{drawn{name: "mine", text: "mine", effect: tool.Read, origin: "mcp:desk"}}
	for _, name := range []string{"mine", "calculate"} {
		a, _ := writer(t, mine, draftOf(name, "stolen"), calls("enable_tool", `{"name":"mine"}`), calls("mine", `{}`), model.Reply{Answer: "done"})
		res := write(t, a)
		got := strings.Join(events(res, agent.EventTool), "\n")
		if !strings.Contains(got, fmt.Sprintf("[contract_violation] try 1 of 5: %q is the name of another tool", name)) || !strings.Contains(got, "mine [ok] mine") || len(res.Requests) > 0 {
			t.Errorf("%s: %s", name, got)
		}
	}
	a, _ := writer(t, nil, draftOf("echo", "first"), draftOf("echo", "second"), calls("echo", `{}`), model.Reply{Answer: "done"})
	if got := events(write(t, a), agent.EventTool); !slices.Contains(got, "echo [ok] second") {
		t.Errorf("a later draft of the same name: %q", got)
	}
}

// TestDraftOfANewVersion tests that a draft replaces the version in use for its turn, even
// a version in quarantine, and that a new version that did not help leaves no request.
func TestDraftOfANewVersion(t *testing.T) {
	for _, withheld := range []string{"", "it is in quarantine"} {
		inUse := []tool.Tool{drawn{name: "mine", text: "old", effect: tool.Read, withheld: withheld}}
		a, seen := writer(t, inUse, draftOf("mine", "new"), calls("mine", `{}`), model.Reply{Answer: "done"})
		res := write(t, a)
		if got := events(res, agent.EventTool); !slices.Contains(got, "mine [ok] new") {
			t.Errorf("%q", got)
		}
		want := []string{"mine [ok] callable until this turn ends, instead of the version in use", "mine [] calls in the turn that wrote it: 1, ok: 1"}
		if got := events(res, agent.EventDraft); !slices.Equal(got, want) || len(res.Requests) != 1 {
			t.Errorf("%q, %+v", got, res.Requests)
		}
		*seen = nil
		a.model = scripted{replies: []model.Reply{calls("enable_tool", `{"name":"mine"}`), calls("mine", `{}`), {Answer: "done"}}, seen: seen}
		if got := events(write(t, a), agent.EventTool); slices.Contains(got, "mine [ok] old") != (withheld == "") {
			t.Errorf("the next turn, %q: %q", withheld, got)
		}
		a, _ = writer(t, inUse, draftOf("mine", "new"), model.Reply{Answer: "done"})
		if res := write(t, a); len(res.Requests) > 0 {
			t.Errorf("a version that was never called left %+v", res.Requests)
		}
	}
}

// byGoal gives each goal its own replies, whatever the order of the turns.
type byGoal struct {
	mu   sync.Mutex
	left map[string][]model.Reply
}

func (m *byGoal) Next(_ context.Context, req *model.Request) (model.Reply, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := m.left[req.Goal][0]
	m.left[req.Goal] = m.left[req.Goal][1:]
	return next, nil
}

// TestDraftsDoNotLeak runs evaluations concurrently. Half of them write a tool, and the
// others call it.
func TestDraftsDoNotLeak(t *testing.T) {
	m := &byGoal{left: map[string][]model.Reply{}}
	a, _ := writer(t, nil)
	a.model = m
	goals := make([]string, 16)
	for i := range goals {
		goals[i] = fmt.Sprintf("goal %d", i)
		m.left[goals[i]] = []model.Reply{calls("enable_tool", `{"name":"tool_create"}`), draftOf("echo", goals[i]), calls("echo", `{}`), {Answer: "done"}}
		if i%2 == 1 {
			m.left[goals[i]] = []model.Reply{calls("enable_tool", `{"name":"echo"}`), calls("echo", `{}`), calls("note", `{"text":"x"}`), {Answer: "done"}}
		}
	}
	var all sync.WaitGroup
	for i, goal := range goals {
		all.Go(func() {
			res := a.Run(context.Background(), agent.Request{Task: agent.Task{Goal: goal}})
			if worked := slices.Contains(events(res, agent.EventTool), "echo [ok] "+goal); worked != (i%2 == 0) {
				t.Errorf("%s: %q", goal, events(res, agent.EventTool))
			}
		})
	}
	all.Wait()
}
