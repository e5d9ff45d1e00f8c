package experience

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/text"
	"evolve/runtime/tool"
)

// MaxCalls is the maximum number of calls in one turn from which an Experience learns.
const MaxCalls = 200

// maxLearnedCause is the maximum length of the cause that is recorded for a call, in
// bytes.
const maxLearnedCause = 300

// barredCause is the beginning of the cause that is recorded for a call if a person's
// feedback barred it.
const barredCause = "people want the tool "

// BarredCause returns the cause of a call that is barred by an effect of a person's
// feedback.
func BarredCause(tool string, by Effect) string {
	return fmt.Sprintf("%s%s not to be used here any more: %s", barredCause, tool, by)
}

// barred reports whether a person's feedback barred the call, which is not an error of the
// tool.
func (c Call) barred() bool {
	return c.Outcome == agent.Denied && strings.HasPrefix(c.Cause, barredCause)
}

// CallsOf returns the tool calls in a transcript, including those in a program's own
// transcript that have the same form. A referral by the turn counts for the tools that it
// concerns (see [reading.refer]).
func CallsOf(events []agent.Event) []Call {
	r := reading{repaired: map[string]bool{}}
	for _, e := range events {
		switch e.Kind {
		case agent.EventRepair:
			r.repaired[e.Name] = true
		case agent.EventForeign:
			r.addReported(e.Data)
		case agent.EventTool:
			r.add(e, true)
		case agent.EventCheck:
			if e.Name != agent.Referral || e.Outcome != agent.WrongToolBoundary {
				continue
			}
			if b, ok := boundaryOf(e.Data); ok {
				r.turns = append(r.turns, turnReferral{b, len(r.calls)})
			}
		}
	}
	r.refer()
	calls := make([]Call, 0, len(r.calls))
	for _, c := range r.calls {
		if c.excuse {
			c.Outcome = agent.ContractViolation // a referral without evidence does not count as one
		}
		calls = append(calls, c.Call)
	}
	return calls[:min(len(calls), MaxCalls)]
}

// add adds the call of an event. own reports whether the event comes from the runtime.
func (r *reading) add(e agent.Event, own bool) {
	if e.Name == "" || e.Outcome != "" && !e.Outcome.Valid() {
		return
	}
	c := readCall{Call: Call{
		Tool: e.Name, Method: e.Method, Origin: cmp.Or(e.Origin, "local"), Outcome: cmp.Or(e.Outcome, agent.OK),
		Latency: time.Duration(min(max(0, e.MS), int64(24*time.Hour/time.Millisecond))) * time.Millisecond,
	}}
	if own {
		c.Repaired = r.repaired[e.Name]
		delete(r.repaired, e.Name)
		c.aside = c.Origin == "local" && tool.Aside(c.Tool)
	}
	if c.Origin == agent.Unregistered {
		c.Tool, c.Method = Unregistered, ""
	}
	if c.Outcome != agent.OK {
		c.Cause = text.Clip(text.OneLine(e.Text), maxLearnedCause)
	}
	if c.Outcome == agent.WrongToolBoundary {
		if b, ok := boundaryOf(e.Data); ok {
			c.Axes, c.Cause = b.Axes, cmp.Or(c.Cause, evidenceText(b))
		} else {
			c.excuse = true // unless the turn's own referral provides the evidence
		}
	}
	r.calls = append(r.calls, c)
}

// addReported adds the calls in a program's own transcript. The program's referral, which
// precedes its transcript, concerns these calls.
func (r *reading) addReported(data json.RawMessage) {
	before := len(r.calls)
	for _, e := range reported(data) {
		r.add(e, false)
	}
	if n := len(r.turns); n > 0 && r.turns[n-1].after == before {
		r.turns[n-1].after = len(r.calls)
	}
}

// reported returns the tool calls in a program's own transcript if the transcript is a
// list of events. Items of the list that are not tool calls may have any form. The field
// refer of an event contains the evidence of a referral.
func reported(data json.RawMessage) []agent.Event {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) != nil {
		return nil
	}
	var events []agent.Event
	for _, item := range list {
		var e struct {
			agent.Event
			Refer json.RawMessage `json:"refer"`
		}
		if json.Unmarshal(item, &e) == nil && e.Kind == agent.EventTool {
			if len(e.Refer) > 0 {
				e.Data = e.Refer
			}
			events = append(events, e.Event)
		}
	}
	return events
}
