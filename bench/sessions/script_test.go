package sessions

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestScripts checks which conversations become a scripted task, and with which turns.
func TestScripts(t *testing.T) {
	greeted := talk("Which depot has a free bay?", "tool bays: Riga.", "And how many pallets fit into it?", "42 pallets.", "Thanks, bye!")
	greeted.Messages = append([]Message{{Role: System, Text: "be kind"}, {Role: Assistant, Text: "Hello!"}}, greeted.Messages...)
	liked := talk("Which depot has a free bay?", "Riga.", "And how many pallets fit into it?", "42.", "Perfect, thanks!")
	liked.Messages[1].Verdict = Verdict{Given: true, Approved: true, How: "feedback up"}
	double := talk("Hello there, depot.", "Hello.", "One more thing about the bays.", "", "Which one is free today?", "Bay 7.")
	for name, c := range map[string]struct {
		talk   Conversation
		turns  []string // message → answer
		before int
		goal   string // of a task with one exchange
	}{
		"approved at the end": {rewarded(1, greeted), []string{"Which depot has a free bay?", "And how many pallets fit into it?"}, 2, ""},
		"an answer on the way, too": {
			liked,
			[]string{"Which depot has a free bay? → Riga.", "And how many pallets fit into it?"},
			0, "",
		},
		"two messages before an answer": {rewarded(1, double), []string{"Hello there, depot.", "One more thing about the bays.\nWhich one is free today?"}, 0, ""},
		"one message":                   {rewarded(1, talk("Which depot has a free bay?", "Riga.")), nil, 0, "Which depot has a free bay?"},
		"a correction on the way": {
			rewarded(1, talk("Which depot has a free bay?", "Oslo.", "No, that's wrong.", "Riga.", "And how many pallets fit into it?", "42 pallets.")), nil, 4, "And how many pallets fit into it?",
		},
		"a credential": {
			rewarded(1, talk("My key is AKIAIOSFODNN7EXAMPLE, is there a bay?", "Yes.", "How many pallets fit into it?", "42 pallets.")),
			[]string{"My key is [redacted], is there a bay?", "How many pallets fit into it?"},
			0, "",
		},
		"refused": {rewarded(0, talk("Which depot has a free bay?", "Oslo.", "How many pallets fit into it?", "42 pallets.")), nil, 0, ""},
	} {
		b := newBuilder(t, Options{PerDomain: 10, Conversations: true})
		b.Add(c.talk)
		tasks, s := b.Tasks()
		if len(tasks) != min(1, len(c.turns)+len(c.goal)) {
			t.Errorf("%s: %+v", name, tasks)
			continue
		}
		if len(tasks) == 0 {
			continue
		}
		var turns []string
		for _, u := range tasks[0].Turns {
			line := u.User
			if u.Answer != nil {
				line += " → " + *u.Answer
			}
			turns = append(turns, line)
		}
		if diff := cmp.Diff(c.turns, turns); diff != "" || tasks[0].Goal != c.goal || len(tasks[0].Fixtures.Turns) != c.before || (s.Scripted == 1) != (len(c.turns) > 0) {
			t.Errorf("%s: %q before %d, %+v\n%s", name, tasks[0].Goal, len(tasks[0].Fixtures.Turns), s, diff)
		}
		if name == "approved at the end" && (*tasks[0].Answer != "42 pallets." || tasks[0].Tags[0] != "tool bays" || tasks[0].Source.Approval != "reward 1") {
			t.Errorf("%+v", tasks[0])
		}
		if (s.Scrubbed == 1) != strings.Contains(name, "credential") {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// TestScriptsAreBounded checks that a conversation with more turns than a task may have is
// left out.
func TestScriptsAreBounded(t *testing.T) {
	var texts []string
	for range 2000 {
		texts = append(texts, "go on", "ok")
	}
	b := newBuilder(t, Options{PerDomain: 10, Conversations: true})
	b.Add(rewarded(1, talk(append(texts, "And at last?", "The end.")...)))
	tasks, s := b.Tasks()
	if len(tasks) != 0 || s.LeftOut["the conversation is too long"] != 1 {
		t.Errorf("%+v, %+v", tasks, s)
	}
}
