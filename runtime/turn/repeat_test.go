package turn

import (
	"strings"
	"testing"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/provider"
)

// TestRepeatedCallIsTold checks that a model that makes the same call twice is warned
// before a third call ends the turn. The warning is in the next request and in no earlier
// one.
func TestRepeatedCallIsTold(t *testing.T) {
	sum, other := calls("calculate", `{"expression":"1+1"}`), calls("calculate", `{"expression":"1+2"}`)
	for name, c := range map[string]struct {
		replies []model.Reply
		told    []bool // by request
		want    agent.Outcome
	}{
		"once":                      {[]model.Reply{sum, {Answer: "2"}}, []bool{false, false}, agent.OK},
		"other arguments":           {[]model.Reply{sum, other, {Answer: "3"}}, []bool{false, false, false}, agent.OK},
		"twice":                     {[]model.Reply{sum, sum, {Answer: "2"}}, []bool{false, false, true}, agent.OK},
		"twice with another":        {[]model.Reply{sum, other, sum, {Answer: "2"}}, []bool{false, false, false, true}, agent.OK},
		"three times":               {[]model.Reply{sum, sum, sum}, []bool{false, false, true}, agent.Execution},
		"two in parallel, and once": {[]model.Reply{{Calls: append(sum.Calls, sum.Calls...)}, {Answer: "2"}}, []bool{false, false}, agent.OK},
	} {
		t.Run(name, func(t *testing.T) {
			seen := []model.Request{}
			a, err := New(Options{Language: true, Model: scripted{c.replies, nil, &seen}})
			if err != nil {
				t.Fatal(err)
			}
			r := a.Run(t.Context(), agent.Request{Task: agent.Task{Goal: "do it"}})
			if r.Outcome != c.want || len(seen) != len(c.told) {
				t.Fatalf("%s after %d requests\n%s", r.Outcome, len(seen), story(r))
			}
			for i := range seen {
				var all strings.Builder
				for _, m := range provider.Render(&seen[i]).Messages {
					all.WriteString(m.Text)
				}
				if got := strings.Contains(all.String(), `Runtime: you called "calculate" again with the same arguments`); got != c.told[i] {
					t.Errorf("request %d: told %v", i, got)
				}
			}
		})
	}
}
