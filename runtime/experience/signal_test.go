package experience

import (
	"testing"

	"evolve/runtime/agent"
)

// after is a conversation whose last message is the agent's.
func after(answer string) []agent.Message {
	return []agent.Message{{Role: "user", Content: "When does the meeting of the team start?"}, {Role: "assistant", Content: answer}}
}

func TestFirstMessagesHaveNoSignal(t *testing.T) {
	for _, earlier := range [][]agent.Message{nil, {{Role: "system", Content: "Be brief."}}, {{Role: "assistant", Content: "Hello! How can I help?"}}} {
		if got := Classify("That's wrong.", earlier); got != None {
			t.Errorf("%q after %v", got, earlier)
		}
	}
	if got := Classify("That's wrong.", after("It starts at nine.")); got != Corrects {
		t.Errorf("%q", got)
	}
}

func TestTraps(t *testing.T) {
	for message, want := range map[string]Signal{
		"no problem":                            FollowsUp,
		"no, thanks":                            Approves,
		"that is not wrong":                     Approves,
		"actually, great":                       Approves,
		"not bad":                               Approves,
		"wrong number was mentioned in the doc": FollowsUp,
		"thanks but that's wrong":               Corrects,
	} {
		if got := Classify(message, after("It starts at nine.")); got != want {
			t.Errorf("%s: %q, not %q", message, got, want)
		}
	}
}
