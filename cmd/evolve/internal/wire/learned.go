package wire

import (
	"cmp"
	"encoding/json"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/text"
	"evolve/runtime/tool"
	"evolve/runtime/turn"
)

// Bounds on what is learned of one turn: its calls, and the bytes of a cause.
const (
	maxLearnedCalls = 200
	maxLearnedCause = 300
)

// Learned returns what a live turn that ended now shows of the agent and its tools. The
// calls of an operator's own agent are those that its transcript reports. The texts of the
// result are without credentials.
func (f *AgentFactory) Learned(t Turn, res TurnResult) *experience.Turn {
	scrub := f.Sandbox.Scrubber.String
	message := scrub(t.Task.Goal)
	return &experience.Turn{
		Session: t.Session, Domain: domainOf(t, res.Transcript), Message: message, Signal: experience.Classify(message, t.Earlier.Messages),
		Outcome: res.Outcome, Confidence: res.Confidence, Calls: callsOf(res.Transcript.Events), Time: f.host.Now(),
	}
}

// domainOf returns the domain of a turn: the one that the runtime used, or that it would
// have used for an operator's own agent.
func domainOf(t Turn, transcript agent.Transcript) string {
	if t.Agent.Adapter.Kind == workspace.KindBuiltin {
		for _, e := range transcript.Events {
			if e.Kind == agent.EventDomain {
				return e.Name
			}
		}
	}
	return cmp.Or(t.Task.Domain, turn.Classify(t.Agent.Domains, t.Task.Goal))
}

// callsOf returns the calls of tools in a transcript, and in a program's own transcript
// those that have the same form.
func callsOf(events []agent.Event) []experience.Call {
	var calls []experience.Call
	repaired := map[string]bool{} // tools whose next call is the repaired one
	for _, e := range events {
		switch e.Kind {
		case agent.EventRepair:
			repaired[e.Name] = true
		case agent.EventForeign:
			calls = append(calls, callsOf(reported(e.Data))...)
		case agent.EventTool:
			if e.Name == "" || e.Outcome != "" && !e.Outcome.Valid() {
				continue
			}
			call := experience.Call{
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
	return calls[:min(len(calls), maxLearnedCalls)]
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
