package experience

import (
	"cmp"
	"encoding/json"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// MaxCalls is the maximum number of calls that are learned of one turn.
const MaxCalls = 200

// maxLearnedCause bounds the cause of a call, in bytes.
const maxLearnedCause = 300

// CallsOf returns the calls of tools in a transcript, and in a program's own transcript
// those that have the same form.
func CallsOf(events []agent.Event) []Call {
	var calls []Call
	repaired := map[string]bool{} // tools whose next call is the repaired one
	for _, e := range events {
		switch e.Kind {
		case agent.EventRepair:
			repaired[e.Name] = true
		case agent.EventForeign:
			calls = append(calls, CallsOf(reported(e.Data))...)
		case agent.EventTool:
			if e.Name == "" || e.Outcome != "" && !e.Outcome.Valid() {
				continue
			}
			call := Call{
				Tool: e.Name, Method: e.Method, Origin: cmp.Or(e.Origin, "local"), Outcome: cmp.Or(e.Outcome, agent.OK),
				Latency: time.Duration(min(max(0, e.MS), int64(24*time.Hour/time.Millisecond))) * time.Millisecond, Repaired: repaired[e.Name],
			}
			delete(repaired, e.Name)
			if call.Outcome != agent.OK {
				call.Cause = text.Clip(text.OneLine(e.Text), maxLearnedCause)
			}
			if call.Outcome == agent.WrongToolBoundary {
				var b tool.Boundary
				if json.Unmarshal(e.Data, &b) == nil {
					if b, err := b.Normalize(); err == nil {
						call.Axes = b.Axes
					}
				}
				if call.Axes == nil { // a program's own; the runtime records none without evidence
					call.Outcome = agent.ContractViolation
				}
			}
			calls = append(calls, call)
		}
	}
	return calls[:min(len(calls), MaxCalls)]
}

// reported returns the calls of tools in a program's own transcript, where that is a list of
// events. Other events may have any form.
func reported(data json.RawMessage) []agent.Event {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	var events []agent.Event
	for _, item := range list {
		var e agent.Event
		if json.Unmarshal(item, &e) == nil && e.Kind == agent.EventTool {
			events = append(events, e)
		}
	}
	return events
}
