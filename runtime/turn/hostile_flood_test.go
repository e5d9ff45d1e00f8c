package turn

import (
	"context"
	"encoding/json"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/tool"
)

// floods returns attempts that contain too much of something.
func floods() []attempt {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	refer := func(b *tool.Boundary) foreign {
		f := served("refer", tool.Read, "")
		f.call = func(context.Context, json.RawMessage) (tool.Result, error) {
			return tool.Result{Outcome: agent.WrongToolBoundary, Boundary: b}, nil
		}
		return f
	}
	crash := served("crash", tool.Read, "")
	crash.call = func(context.Context, json.RawMessage) (tool.Result, error) { panic(canary) }
	odd := served("odd", tool.Read, "")
	odd.call = func(context.Context, json.RawMessage) (tool.Result, error) {
		return tool.Result{Outcome: "splendid", Output: canary}, nil
	}
	hang := served("hang", tool.Read, "")
	hang.call = func(ctx context.Context, _ json.RawMessage) (tool.Result, error) {
		<-ctx.Done()
		return tool.OK("late"), nil
	}
	return []attempt{
		{name: "flood", calls: one("flood", `{}`), foreign: []tool.Tool{served("flood", tool.Read, strings.Repeat("x", 10<<20))}, outcomes: []agent.Outcome{agent.OK}},
		{name: "bytes that are no text", calls: one("noise", `{}`), foreign: []tool.Tool{served("noise", tool.Read, "\xff\xfe\x00\x1b[2J")}, outcomes: []agent.Outcome{agent.OK}},
		{name: "long arguments", calls: one("calculate", `{"expression":"`+strings.Repeat("1+", 20000)+`1"}`), outcomes: []agent.Outcome{violation}},
		{name: "deep arguments", calls: one("calculate", `{"expression":`+deep+`}`), outcomes: []agent.Outcome{violation}},
		{name: "no JSON", calls: one("calculate", `{"expression":`), outcomes: []agent.Outcome{violation}},
		{name: "deep expression", calls: one("calculate", `{"expression":"`+strings.Repeat("(", 3000)+"1"+strings.Repeat(")", 3000)+`"}`), outcomes: []agent.Outcome{violation}},
		{name: "power bomb", calls: one("calculate", `{"expression":"9^9^9^9^9"}`), outcomes: []agent.Outcome{violation}},
		{name: "pattern bomb", calls: one("grep", `{"pattern":"(a{1000}){1000}"}`), outcomes: []agent.Outcome{violation}},
		{name: "long answer", replies: []model.Reply{{Answer: strings.Repeat("x", 10<<20)}}, ends: spent},
		{name: "many calls", replies: []model.Reply{{Calls: make([]model.Call, 1000)}}, ends: violation},
		{name: "referral without evidence", calls: one("refer", `{}`), foreign: []tool.Tool{refer(&tool.Boundary{Axes: []string{"x"}, Shape: "y"})}, outcomes: []agent.Outcome{violation}},
		{name: "referral of nothing", calls: one("refer", `{}`), foreign: []tool.Tool{refer(nil)}, outcomes: []agent.Outcome{violation}},
		{name: "crash", calls: one("crash", `{}`), foreign: []tool.Tool{crash}, outcomes: []agent.Outcome{execution}},
		{name: "outcome of its own", calls: one("odd", `{}`), foreign: []tool.Tool{odd}, outcomes: []agent.Outcome{violation}},
		{name: "hang", calls: one("hang", `{}`), foreign: []tool.Tool{hang}, outcomes: []agent.Outcome{agent.Timeout}},
	}
}

// loops returns attempts whose turns would not end.
func loops() []attempt {
	again := func(calls ...[]model.Call) []model.Call {
		var out []model.Call
		for range 10 {
			for _, c := range calls {
				out = append(out, c...)
			}
		}
		return out
	}
	return []attempt{
		{name: "same call", calls: again(one("calculate", `{"expression":"1+1"}`)), outcomes: []agent.Outcome{agent.OK, agent.OK}, ends: execution},
		{name: "same call, other spacing", calls: again(one("calculate", `{"expression":"1+1"}`), one("calculate", `{ "expression" : "1+1" }`)), outcomes: []agent.Outcome{agent.OK, agent.OK}, ends: execution},
		{
			name:     "failing again and again",
			calls:    append(append(path("read_file", "a"), path("read_file", "b")...), append(path("read_file", "c"), path("read_file", "d")...)...),
			outcomes: []agent.Outcome{execution, execution, execution, execution}, ends: execution,
		},
		{name: "never an answer", replies: []model.Reply{{Calls: path("read_file", "plain.txt")}, {Calls: path("list_directory", ".")}, {Calls: one("grep", `{"pattern":"a"}`)}, {Calls: one("grep", `{"pattern":"b"}`)}, {Calls: one("grep", `{"pattern":"c"}`)}, {Calls: one("grep", `{"pattern":"d"}`)}, {Calls: one("grep", `{"pattern":"e"}`)}, {Calls: one("grep", `{"pattern":"f"}`)}, {Calls: one("grep", `{"pattern":"g"}`)}}, ends: spent, outcomes: []agent.Outcome{agent.OK, agent.OK, agent.OK, agent.OK, agent.OK, agent.OK, agent.OK}},
	}
}
