package turn

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// TestConversationIsKept runs the turns of one conversation, each with the session that the
// previous turn left, as `evolve agent run --session` does.
func TestConversationIsKept(t *testing.T) {
	var seen []model.Request
	a, err := New(Options{
		Model: scripted{[]model.Reply{{Answer: "the pass phrase is hunter2 and noted"}}, nil, &seen}, Language: true, Space: DefaultSpace(nil, nil, nil),
		Scrub: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[redacted]") },
	})
	if err != nil {
		t.Fatal(err)
	}
	config := a.Space().Default()
	config["loop.self_check"] = false
	config["distill.threshold_messages"] = int64(20)
	var s agent.Session
	ask := func(goal string) agent.Result {
		return a.Run(t.Context(), agent.Request{ID: "x", Live: true, Session: s, Config: config, Task: agent.Task{Goal: goal, Messages: s.Messages}})
	}
	for i := range 12 {
		res := ask(fmt.Sprintf("The crane of pier %d is hunter2 and out of order since Monday.", i))
		if s = res.Session; res.Outcome != agent.OK {
			t.Fatal(res.Error)
		}
		if i == 1 {
			turns := seen[len(seen)-1].Turns
			if len(turns) != 2 || turns[0].Content != "The crane of pier 0 is [redacted] and out of order since Monday." || !strings.Contains(turns[1].Content, "noted") {
				t.Errorf("the second turn is sent %q", turns)
			}
		}
	}
	last := seen[len(seen)-1]
	if len(last.Turns) >= 20 || last.Summary == "" {
		t.Errorf("after 11 turns the model is sent %d messages and the summary %q", len(last.Turns), last.Summary)
	}
	if stored := fmt.Sprint(s); strings.Contains(stored, "hunter2") {
		t.Error("the session holds a credential")
	}
	if len(s.Facts) == 0 {
		t.Error("no fact was distilled")
	}
	within := agent.Request{ID: "x", Session: s, Config: config, Task: agent.Task{Goal: "And pier 99?", Messages: s.Messages}}
	if res := a.Run(t.Context(), within); len(res.Session.Messages)+len(res.Session.Facts) != 0 {
		t.Errorf("an evaluation leaves a session: %+v", res.Session)
	}
	within.Continues = true
	if res := a.Run(t.Context(), within); len(res.Session.Facts) != len(s.Facts) || res.Session.Messages[len(res.Session.Messages)-2].Content != "And pier 99?" {
		t.Errorf("a turn within an evaluation leaves %+v", res.Session)
	}
	had := len(s.Messages)
	a.model = scripted{nil, errors.New("503"), &seen}
	if res := ask("Which cranes are out of order?"); res.Answer != nil || len(res.Session.Messages) != had {
		t.Errorf("a turn without an answer leaves %d of %d messages", len(res.Session.Messages), had)
	}
}
