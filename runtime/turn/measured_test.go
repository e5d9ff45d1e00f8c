package turn

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/tool"
)

// slow is a server tool that advances a clock by 2.5 ms with each call.
type slow struct{ now *time.Time }

func (slow) Spec() tool.Spec {
	return tool.Spec{
		Name: "shop__orders", Description: "orders of the shop", Effect: tool.Read, Origin: "mcp:shop", Category: tool.Available,
		Schema: json.RawMessage(`{"type":"object","properties":{"action":{"enum":["list","count"]},"limit":{"type":"integer"}}}`),
	}
}

func (s slow) Call(context.Context, *tool.Env, json.RawMessage) (tool.Result, error) {
	*s.now = s.now.Add(2500 * time.Microsecond)
	return tool.OK("3 orders"), nil
}

// TestCallsAreMeasured tests that the event for a call has the method, the origin, and
// the duration measured by the injected clock. A repair must be recorded before that
// event.
func TestCallsAreMeasured(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	var seen []model.Request
	a := speaking(t, &seen, Options{Clock: func() time.Time { return now }, Foreign: []tool.Tool{slow{&now}}},
		calls("shop__orders", `{"action":"count","limit":"3"}`), calls("calculate", `{"expression":"1+1"}`), model.Reply{Answer: "3", Confidence: .7, Stated: true})
	r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "How many orders?"}, Live: true})
	got := kinds(r, agent.EventTool)
	if len(got) != 2 {
		t.Fatal(story(r))
	}
	orders, sum := got[0], got[1]
	if orders.Outcome != agent.OK || orders.MS != 3 || orders.Method != "count" || orders.Origin != "mcp:shop" {
		t.Errorf("%+v", orders)
	}
	if sum.MS != 0 || sum.Method != "" || sum.Origin != "" {
		t.Errorf("%+v", sum)
	}
	if len(kinds(r, agent.EventRepair)) != 1 || r.Confidence != .7 {
		t.Errorf("confidence %g\n%s", r.Confidence, story(r))
	}
}
