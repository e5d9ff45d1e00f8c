package safety

import (
	"strings"
	"testing"
)

func TestIncomplete(t *testing.T) {
	for _, c := range []struct{ question, answer, want string }{
		{"List three risks of the plan", "- delay\n- cost", "2 of the 3 risks"},
		{"List three risks of the plan", "- delay\n- cost\n- weather", ""},
		{"List three risks of the plan.", "Delay and cost.", "2 of the 3"},
		{"List three risks of the plan.", "Delay, cost and weather.", ""},
		{"Please name the 5 largest files", "a.go, b.go, c.go", "3 of the 5 largest files"},
		{"Give me two examples", `["one"]`, "1 of the 2"},
		{"Give me two examples", `["one", "two"]`, ""},
		{"Name two colours", "red", "1 of the 2"},
		{"Name two colours", "red/blue", ""},
		{"Name three colours", "red green blue", ""},
		{"Name three colours", "red green", "2 of the 3"},
		{"Name three colours.", "1. red", "1 of the 3 colours"},
		{"Name three colours.", "1. red\n2. blue", "2 of the 3 colours"},
		{"Name three risks.", "The main risk is inflation.", "1 of the 3 risks"},
		{"Which intent is this: list 3 alarms for tomorrow", "timer", ""},
		{"Translate to French: name three colours.", "nommez trois couleurs", ""},
		{"Label the message.\nMessage: please list 3 alarms", "alarms", ""},
		{"Read the plan. Then list four risks", "1. delay\n2. cost", "2 of the 4"},
		{"Read the plan and list four risks", "1. delay\n2. cost\n3. rain", "3 of the 4"},
		{"Suggest three names for the boat. Say why.", "Nora, because she sails. Ida, because she floats. Eva is short.", ""},
		{"Give at least two reasons", "It is cheap. It is fast.", ""},
		{"List the orders", "A1", ""},
		{"Give 20 days of leave to Ana", "done", ""},
		{"Write two sentences about cats", "Cats sleep.", ""},
		{"List 2024 sales", "none", ""},
		{"How many orders are open?", "2", ""},
		{"Who lists three risks?", "Ana", ""},
		{"Classify: \"list three risks\"", "risk", ""},
		{"1. Who runs it? 2. When does it close?", "1. Ana Ruiz", "question 2"},
		{"1. Who runs it? 2. When does it close?", "1. Ana Ruiz 2. at six", ""},
		{"a) Who runs it?\nb) When does it close?", "a) Ana Ruiz", "question b"},
		{"1. Who runs it? 2. When does it close?", "Ana Ruiz, at six", ""},
		{"Who runs the depot? How many work there?", "The depot is run by Ana Ruiz.", "no number"},
		{"Who runs the depot? How many work there?", "Ana Ruiz runs it, with twelve people.", ""},
		{"Who runs the depot? When does it close?", "The depot is run by Ana Ruiz.", "no date or time"},
		{"Who runs the depot? When does it close?", "Ana Ruiz runs it; it closes at six in the evening.", ""},
		{"Where is my card? When will it come?", "card_arrival", ""}, // a label
		{"When does it close?", "The depot is run by Ana Ruiz.", ""},
	} {
		got := incomplete(c.answer, c.question)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%q: %q: %q, want %q", c.question, c.answer, got, c.want)
		}
	}
}
