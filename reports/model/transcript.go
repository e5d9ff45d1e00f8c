package model

import (
	"bytes"
	"encoding/json"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// EventPair is one position in the alignment of two transcripts.
type EventPair struct {
	// Before and After are the indices of the events in the transcripts of the two
	// attempts; −1 means that a side has no event there.
	Before int `json:"before"`
	After  int `json:"after"`
	// Same reports whether the two events are equal in everything except the time they
	// took.
	Same bool `json:"same,omitempty"`
}

// Unfolded replaces a transcript from a program with one event for each step, if the
// transcript is a list of steps. Any other transcript from a program remains one event.
func Unfolded(events []agent.Event) []agent.Event {
	var out []agent.Event
	for _, e := range events {
		var steps []map[string]json.RawMessage
		if e.Kind != agent.EventForeign || json.Unmarshal(e.Data, &steps) != nil || len(steps) == 0 || slices.ContainsFunc(steps, func(s map[string]json.RawMessage) bool { return s == nil }) {
			out = append(out, e)
			continue
		}
		for _, s := range steps {
			out = append(out, stepOf(s))
		}
	}
	return out
}

// stepOf builds an event from a step. It reads the parts whose names programs commonly use,
// and stores all other parts as data.
func stepOf(step map[string]json.RawMessage) agent.Event {
	take := func(names ...string) string {
		for _, name := range names {
			var s string
			if json.Unmarshal(step[name], &s) == nil && s != "" {
				delete(step, name)
				return s
			}
		}
		return ""
	}
	e := agent.Event{Kind: take("kind", "role", "type"), Name: take("name", "tool"), Method: take("method"), Outcome: agent.Outcome(take("outcome")), Text: take("text", "content")}
	if e.Kind == "" {
		e.Kind = "step"
	}
	if json.Unmarshal(step["ms"], &e.MS) == nil {
		delete(step, "ms")
	}
	if len(step) > 0 {
		e.Data, _ = text.Marshal(step) // cannot fail, because step maps strings to raw JSON
	}
	return e
}

// calls lists the names of the called tools in the order of the calls.
func calls(events []agent.Event) []string {
	return agent.Transcript{Events: events}.Tools()
}

// pairUp aligns two transcripts by the kinds and names of their events. differs is the
// index of the first step at which the two runs diverge, or −1 if they do not. This step is
// the first tool call, with its arguments and its result, that only one side made. If all
// calls are the same, it is the first other event after the preparations that differs.
func pairUp(before, after []agent.Event) (list []EventPair, differs int) {
	i, j := 0, 0
	var a, b []int
	flush := func() {
		for n := range max(len(a), len(b)) {
			p := EventPair{-1, -1, false}
			if n < len(a) {
				p.Before = a[n]
			}
			if n < len(b) {
				p.After = b[n]
			}
			list = append(list, p)
		}
		a, b = nil, nil
	}
	for _, e := range align(eventNames(before), eventNames(after)) {
		switch {
		case e.same():
			flush()
			list = append(list, EventPair{i, j, sameEvent(before[i], after[j])})
			i, j = i+1, j+1
		case e.hasA:
			a, i = append(a, i), i+1
		default:
			b, j = append(b, j), j+1
		}
	}
	flush()
	kinds := func(p EventPair) (out []string) {
		if p.Before >= 0 {
			out = append(out, before[p.Before].Kind)
		}
		if p.After >= 0 {
			out = append(out, after[p.After].Kind)
		}
		return out
	}
	differs = slices.IndexFunc(list, func(p EventPair) bool { return !p.Same && slices.Contains(kinds(p), agent.EventTool) })
	if differs < 0 {
		differs = slices.IndexFunc(list, func(p EventPair) bool {
			return !p.Same && !slices.ContainsFunc(kinds(p), func(k string) bool { return slices.Contains(preparations, k) })
		})
	}
	return list, differs
}

// preparations are kinds of events: those that the config causes before the agent acts,
// and those that only record the settings of a call.
var preparations = []string{agent.EventDomain, agent.EventRecall, agent.EventTools, agent.EventBootstrap, agent.EventDecompose, agent.EventPolicy, agent.EventInert, agent.EventRoute}

func eventNames(events []agent.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = e.Kind + "\x00" + e.Name + "\x00" + e.Method
	}
	return out
}

func sameEvent(a, b agent.Event) bool {
	return a.Kind == b.Kind && a.Name == b.Name && a.Method == b.Method && a.Outcome == b.Outcome && a.Text == b.Text && bytes.Equal(a.Data, b.Data)
}
