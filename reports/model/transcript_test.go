package model

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/runtime/agent"
)

func TestUnfolded(t *testing.T) {
	foreign := func(data string) agent.Event {
		return agent.Event{Kind: agent.EventForeign, Data: json.RawMessage(data)}
	}
	for _, c := range []struct {
		data string
		want []agent.Event
	}{
		{`[{"kind":"tool","name":"sql","outcome":"ok","ms":5,"args":{"q":"a\nb"},"text":"2 rows"},{"role":"user","content":"hello"},{"n":1}]`, []agent.Event{
			{Kind: "tool", Name: "sql", Outcome: agent.OK, MS: 5, Text: "2 rows", Data: json.RawMessage(`{"args":{"q":"a\nb"}}`)},
			{Kind: "user", Text: "hello"},
			{Kind: "step", Data: json.RawMessage(`{"n":1}`)},
		}},
		{`[{"kind":7,"content":[1]}]`, []agent.Event{{Kind: "step", Data: json.RawMessage(`{"content":[1],"kind":7}`)}}},
		{`{"steps":1}`, []agent.Event{foreign(`{"steps":1}`)}},
		{`["a"]`, []agent.Event{foreign(`["a"]`)}},
		{`[null]`, []agent.Event{foreign(`[null]`)}},
		{`[]`, []agent.Event{foreign(`[]`)}},
	} {
		if diff := cmp.Diff(c.want, Unfolded([]agent.Event{foreign(c.data)})); diff != "" {
			t.Errorf("%s (-want +got)\n%s", c.data, diff)
		}
	}
}

func TestPairUp(t *testing.T) {
	call := func(name, args, text string) agent.Event {
		return agent.Event{Kind: agent.EventTool, Name: name, Data: json.RawMessage(args), Text: text}
	}
	loaded := func(s string) agent.Event { return agent.Event{Kind: agent.EventBootstrap, Text: s} }
	reply := func(s string) agent.Event { return agent.Event{Kind: agent.EventModel, Text: s} }
	grep := call("grep", `{"q":"a"}`, "1")
	for _, c := range []struct {
		name          string
		before, after []agent.Event
		want          []EventPair
		differs       int
	}{
		{"nothing differs", []agent.Event{grep, reply("a")}, []agent.Event{grep, reply("a")}, []EventPair{{0, 0, true}, {1, 1, true}}, -1},
		{"the arguments of a call", []agent.Event{reply("x"), grep}, []agent.Event{reply("y"), call("grep", `{"q":"b"}`, "1")}, []EventPair{{0, 0, false}, {1, 1, false}}, 1},
		{"its result", []agent.Event{grep}, []agent.Event{call("grep", `{"q":"a"}`, "2")}, []EventPair{{0, 0, false}}, 0},
		{"a further call", []agent.Event{grep, reply("a")}, []agent.Event{grep, call("read", `{}`, ""), reply("a")}, []EventPair{{0, 0, true}, {-1, 1, false}, {1, 2, true}}, 1},
		{"another call", []agent.Event{grep}, []agent.Event{call("read", `{}`, "")}, []EventPair{{0, 0, false}}, 0},
		{"words after the same calls", []agent.Event{loaded("A"), grep, reply("a")}, []agent.Event{loaded("B"), grep, reply("b")}, []EventPair{{0, 0, false}, {1, 1, true}, {2, 2, false}}, 2},
		{"preparations alone", []agent.Event{loaded("A"), grep}, []agent.Event{loaded("B"), grep}, []EventPair{{0, 0, false}, {1, 1, true}}, -1},
		{"one side has none", nil, []agent.Event{grep}, []EventPair{{-1, 0, false}}, 0},
	} {
		got, differs := pairUp(c.before, c.after)
		if diff := cmp.Diff(c.want, got); diff != "" || differs != c.differs {
			t.Errorf("%s: differs at %d, want %d (-want +got)\n%s", c.name, differs, c.differs, diff)
		}
	}
}
