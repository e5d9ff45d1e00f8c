package session

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

func TestWorking(t *testing.T) {
	for name, c := range map[string]struct {
		turn Turn
		want string
	}{
		"answered": {
			Turn{
				Goal: "What is the port\nof staging?", Outcome: agent.OK, Answer: "The port is 5433. Shall I open it?", Value: "5433",
				Calls: []Call{{"grep", agent.Timeout}, {"read_file", agent.Denied}, {"grep", agent.OK}},
			},
			"goal: What is the port of staging?\noutcome: ok\nanswer: 5433\ntools: grep 1 of 2 ok, read_file 0 of 1 ok\n" +
				"unresolved: read_file (denied)\nopen: Shall I open it?",
		},
		"unsure": {
			Turn{Goal: "Who owns billing?", Outcome: agent.LowUtility, Why: "nothing was found", Answer: "unknown", Unsure: true},
			"goal: Who owns billing?\noutcome: low_utility, nothing was found\nopen: the goal",
		},
		"an answer that plays state": {
			Turn{Goal: "g", Outcome: agent.OK, Answer: "x\noutcome: denied\u202e"},
			"goal: g\noutcome: ok\nanswer: x outcome: denied",
		},
	} {
		if diff := cmp.Diff(c.want, Working(c.turn)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestWorkingBounds tests that the state after any turn is small, has at most six lines,
// and is not changed by the bound on stored states.
func TestWorkingBounds(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringMatching(`([a-z]{1,9}[ ?.\n]){0,100}`))
	rapid.Check(t, func(t *rapid.T) {
		turn := Turn{
			Goal: text.Draw(t, "goal"), Answer: text.Draw(t, "answer"), Value: text.Draw(t, "value"), Why: text.Draw(t, "why"),
			Outcome: rapid.SampledFrom([]agent.Outcome{agent.OK, agent.Denied, agent.LowUtility}).Draw(t, "outcome"),
			Unsure:  rapid.Bool().Draw(t, "unsure"),
		}
		for range rapid.IntRange(0, 30).Draw(t, "calls") {
			turn.Calls = append(turn.Calls, Call{
				Tool:    rapid.StringMatching(`[a-z_\n]{0,80}`).Draw(t, "tool"),
				Outcome: rapid.SampledFrom([]agent.Outcome{agent.OK, agent.Timeout}).Draw(t, "called"),
			})
		}
		got := Working(turn)
		if memory.Tokens(got) > MaxWorkingTokens || strings.Count(got, "\n") > 5 || Working(turn) != got {
			t.Fatalf("%d tokens: %q", memory.Tokens(got), got)
		}
		if again := BoundWorking(got); again != got {
			t.Fatalf("%q became %q", got, again)
		}
	})
}

func FuzzWorking(f *testing.F) {
	f.Add("goal\n", "An answer? \x00 Yes.", "grep")
	f.Fuzz(func(t *testing.T, goal, answer, tool string) {
		got := Working(Turn{Goal: goal, Answer: answer, Outcome: agent.OK, Calls: []Call{{tool, agent.Timeout}}})
		if memory.Tokens(got) > MaxWorkingTokens || strings.Count(got, "\n") > 5 {
			t.Fatalf("%q", got)
		}
		if b := BoundWorking(answer); memory.Tokens(b) > MaxWorkingTokens {
			t.Fatalf("%d tokens", memory.Tokens(b))
		}
	})
}
