package sessions

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"evolve/bench"
)

// talk returns a conversation whose messages are alternately those of the user and of the
// assistant. An assistant message with a prefix like "tool NAME:" first calls that tool.
func talk(texts ...string) Conversation {
	c := Conversation{ID: "s", File: "log.jsonl", Line: 3, Format: Plain}
	for i, text := range texts {
		role := User
		if i%2 == 1 {
			role = Assistant
		}
		if name, rest, ok := strings.Cut(text, ":"); ok && role == Assistant && strings.HasPrefix(name, "tool ") {
			c.Messages = append(c.Messages, Message{Role: role, Tools: []string{strings.TrimPrefix(name, "tool ")}}, Message{Role: Tool})
			text = strings.TrimSpace(rest)
		}
		if text != "" {
			c.Messages = append(c.Messages, Message{Role: role, Text: text})
		}
	}
	return c
}

func rewarded(share float64, c Conversation) Conversation {
	c.Verdict = reward(share, "")
	return c
}

// TestGroundTruth checks which exchanges of a conversation become tasks, and with which
// answers.
func TestGroundTruth(t *testing.T) {
	const bay, fits = "How many pallets fit into bay 7 of the depot?", "42 pallets fit."
	verdict := func(c Conversation, at int, yes bool) Conversation {
		c.Messages[at].Verdict = Verdict{Given: true, Approved: yes, How: "feedback", By: "Kim"}
		return c
	}
	for name, c := range map[string]struct {
		talk Conversation
		want []string // goal → answer (approval)
		sum  string
	}{
		"approved by the next message": {talk(bay, fits, "Perfect, thanks!", "You're welcome!"), []string{bay + " → " + fits + " (user: message 3 approves)"}, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused"},
		"approved before a question":   {talk(bay, fits, "Perfect. Now what is the gate code of the depot?", "It is 9.", "Great, thanks!", "Bye."), []string{bay + " → " + fits + " (user: message 3 approves)", "Now what is the gate code of the depot? → It is 9. (user: message 5 approves)"}, "3 exchanges, 2 approved, 0 corrected, 0 stated, 0 refused"},
		"approved before a request":    {talk(bay, fits, "Thanks! Now list the gates.", "North and west.", "Great.", ""), []string{bay + " → " + fits + " (user: message 3 approves)", "Now list the gates. → North and west. (user: message 5 approves)"}, "2 exchanges, 2 approved, 0 corrected, 0 stated, 0 refused"},
		"praise is taken back":         {talk(bay, fits, "Perfect is not the word I would use. What about bay 8?", "7", "Great, but what about bay 9?", "8"), nil, "3 exchanges, 0 approved, 0 corrected, 0 stated, 0 refused"},
		"nothing was said":             {talk(bay, fits, "And what is the gate code of the depot?", "9"), nil, "2 exchanges, 0 approved, 0 corrected, 0 stated, 0 refused"},
		"corrected":                    {talk(bay, fits, "No, that's wrong.", "Sorry."), nil, "2 exchanges, 0 approved, 1 corrected, 0 stated, 0 refused"},
		"the correction states it":     {talk(bay, fits, "No, that's wrong. The correct answer is 40 pallets.", "I see."), []string{bay + " → 40 pallets (user: message 3 states the answer)"}, "2 exchanges, 0 approved, 1 corrected, 1 stated, 0 refused"},
		"and is corrected itself":      {talk(bay, fits, "No, that's wrong. The correct answer is 40 pallets.", "40.", "No, that's wrong. The correct answer is 41 pallets.", "41."), []string{"No, that's wrong. The correct answer is 40 pallets. → 41 pallets (user: message 5 states the answer)"}, "3 exchanges, 0 approved, 2 corrected, 1 stated, 0 refused"},
		"the goal is the answer":       {talk(bay, fits, "No, that's wrong. The correct answer is 40 pallets.", "40 pallets, sorry.", "Perfect, thanks!"), []string{bay + " → 40 pallets (user: message 3 states the answer)"}, "2 exchanges, 1 approved, 1 corrected, 1 stated, 0 refused; the message states the answer itself"},
		"approved, corrected later":    {talk(bay, fits, "Perfect, thanks!", "You're welcome!", "No, that's wrong.", "Sorry."), nil, "3 exchanges, 0 approved, 1 corrected, 0 stated, 0 refused"},
		"the log approves":             {rewarded(1, talk(bay, "tool size: "+fits, "Thanks.", "You're welcome!")), []string{bay + " → " + fits + " (reward 1) tool size"}, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused"},
		"the log approves the end":     {rewarded(1, talk("Are you there today?", "Yes.", bay, fits)), []string{bay + " → " + fits + " (reward 1)"}, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused"},
		"the log refuses":              {rewarded(0, talk(bay, fits, "Perfect, thanks!", "You're welcome!")), nil, "2 exchanges, 0 approved, 0 corrected, 0 stated, 2 refused"},
		"the log approves in part":     {rewarded(.5, talk(bay, fits)), nil, "1 exchanges, 0 approved, 0 corrected, 0 stated, 1 refused"},
		"one answer is approved":       {verdict(talk(bay, fits, "And bay 8 of the depot, how many?", "7"), 1, true), []string{bay + " → " + fits + " (Kim: feedback)"}, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused"},
		"one answer is refused":        {verdict(talk(bay, fits, "Perfect, thanks!", "You're welcome!"), 1, false), nil, "2 exchanges, 0 approved, 0 corrected, 0 stated, 1 refused"},
		"approved and corrected":       {rewarded(1, talk(bay, fits, "No, that's wrong.")), nil, "1 exchanges, 0 approved, 1 corrected, 0 stated, 0 refused"},
		"it ends with an action":       {rewarded(1, talk(bay, fits, "Then a person, please.", "tool transfer:")), nil, "1 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused; the conversation ends with an action, not an answer"},
		"an answer that is repeated":   {rewarded(1, talk(bay, fits, "What did you say about the bay?", fits)), nil, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused; an earlier message is identical to the answer"},
		"a consent is no goal":         {rewarded(1, talk("Book bay 7 for Monday.", "Bay 7 costs 9 euros. Shall I book it?", "Yes, please go ahead.", "tool book: Bay 7 is booked.")), nil, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused; the message only agrees with the agent or answers it, and asks for nothing"},
		"nor is an answer":             {talk("Book bay 7 of the depot.", "For which day?", "For Monday, the 5th.", "Bay 7 is booked.", "Perfect, thanks!"), nil, "2 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused; the message only agrees with the agent or answers it, and asks for nothing"},
		"a credential in the answer":   {rewarded(1, talk("What is the password of the gate server?", "password = hunter2hunter2")), nil, "1 exchanges, 1 approved, 0 corrected, 0 stated, 0 refused; the answer contains a credential"},
	} {
		b := newBuilder(t, Options{PerDomain: 10})
		b.Add(c.talk)
		tasks, s := b.Tasks()
		var got []string
		for _, task := range tasks {
			line := task.Goal + " → " + *task.Answer + " (" + strings.TrimPrefix(task.Source.Author+": "+task.Source.Approval, ": ") + ")"
			got = append(got, strings.TrimSpace(line+" "+strings.Join(task.Tags, " ")))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
		sum := fmt.Sprintf("%d exchanges, %d approved, %d corrected, %d stated, %d refused", s.Exchanges, s.Approved, s.Corrected, s.Stated, s.Refused)
		for reason := range s.LeftOut {
			sum += "; " + reason
		}
		if sum != c.sum {
			t.Errorf("%s: %s\nnot %s", name, sum, c.sum)
		}
	}
}

// TestStated checks that a correction gives the answer only if it states the answer plainly
// and only once.
func TestStated(t *testing.T) {
	for correction, want := range map[string]string{
		"No, that's wrong. The correct answer is Oslo.":                  "Oslo",
		"The right number is 42, not 40.":                                "42",
		"Wrong, it's 17:30.":                                             "17:30",
		"No, it is Anna Berg who wrote it because she signed":            "Anna Berg",
		"It should be \"Gate B\".":                                       "Gate B",
		"the result should be 3.50 instead of 3.05":                      "3.50",
		"The correct answer is Oslo. Again: the correct answer is Oslo!": "Oslo",
		"The correct answer is Oslo. The answer is Bergen.":              "",
		"It should be shorter.":                                          "",
		"It should be in German.":                                        "",
		"No, that's wrong.":                                              "",
		"No, it's not 42.":                                               "",
		"Is the correct answer 42?":                                      "",
		"The correct answer is somewhere in section 4.":                  "",
		"it should be a table with 3 columns":                            "",
		"The answer is " + strings.Repeat("Very ", 20):                   "",
		"Try again, 42 was fine before.":                                 "",
	} {
		if got := stated(correction); got != want {
			t.Errorf("%q: %q, not %q", correction, got, want)
		}
	}
}

// TestTask checks all parts of a task, and checks that they contain no credentials.
func TestTask(t *testing.T) {
	c := talk("Our key is AKIAIOSFODNN7EXAMPLE, keep it in mind for the depot.", "I will.", "Which bay is free for AKIAIOSFODNN7EXAMPLE on Monday?", "tool bays: Bay 7.", "Perfect, thanks!", "")
	c.Messages = append([]Message{{Role: System, Text: "You know the depot."}}, c.Messages...)
	c.ID, c.Domain = "night shift", "depots"
	b := newBuilder(t, Options{PerDomain: 10})
	b.Add(c)
	tasks, s := b.Tasks()
	var got bytes.Buffer
	if err := bench.WriteSuite(&got, tasks); err != nil {
		t.Fatal(err)
	}
	id, digest := tasks[0].ID, digest(c.Messages)
	want := `{"id":"` + id + `","domain":"depots","goal":"Which bay is free for [redacted] on Monday?","fixtures":{"turns":[{"role":"system","content":"You know the depot."},{"role":"user","content":"Our key is [redacted], keep it in mind for the depot."},{"role":"assistant","content":"I will."}]},"graders":[{"answer":["Bay 7","Bay 7."],"ignore_case":true,"type":"exact"}],"answer":"Bay 7.","tags":["tool bays"],"source":{"session":"night shift","author":"user","approval":"message 8 approves","file":"log.jsonl","line":3,"digest":"` + digest + `"},"split":"search"}` + "\n"
	if diff := cmp.Diff(want, got.String()); diff != "" || s.Scrubbed != 1 {
		t.Errorf("%+v\n%s", s, diff)
	}
	// A longer log of the same conversation gives the same task.
	c.Messages = append(c.Messages, Message{Role: Assistant, Text: "You're welcome."})
	longer := newBuilder(t, Options{PerDomain: 10})
	longer.Add(c)
	if again, _ := longer.Tasks(); again[0].ID != id {
		t.Errorf("%s, then %s", id, again[0].ID)
	}
}

// TestGraders checks that a short answer is compared as a whole and a long one by its
// words, and that an answer stated by a user must be contained.
func TestGraders(t *testing.T) {
	b := newBuilder(t, Options{})
	rouge := newBuilder(t, Options{Grader: "rouge_l"})
	for _, c := range []struct {
		b      *Builder
		answer string
		stated bool
		want   string
	}{
		{b, "Oslo.", false, `{"answer":["Oslo","Oslo."],"ignore_case":true,"type":"exact"}`},
		{b, "...", false, `{"answer":"...","ignore_case":true,"type":"exact"}`},
		{b, "It is the one in the north.", false, `{"type":"f1"}`},
		{b, "a\nb", false, `{"type":"f1"}`},
		{b, "40 pallets", true, `{"ignore_case":true,"type":"contains"}`},
		{rouge, "Oslo", true, `{"type":"rouge_l"}`},
	} {
		if got := string(c.b.graders(c.answer, c.stated)[0].Raw); got != c.want {
			t.Errorf("%q: %s, not %s", c.answer, got, c.want)
		}
	}
	if _, err := NewBuilder(Options{Grader: "nonsense"}); err == nil {
		t.Error("an unknown grader was taken")
	}
}

// TestContradiction checks that if short answers to the same request contradict one
// another, all of them are left out, and that a longer form of an answer does not
// contradict it.
func TestContradiction(t *testing.T) {
	b := newBuilder(t, Options{PerDomain: 10})
	b.Add(rewarded(1, talk("Which bay is free on Monday?", "Bay 7.")))
	b.Add(rewarded(1, talk("which bay is free on  Monday", "Bay 9")))
	b.Add(talk("Which bay is free on Monday?", "Bay 8.", "No, that's wrong. The correct answer is Bay 9."))
	b.Add(rewarded(1, talk("Who keeps the key of the tunnel?", "Ada.")))
	b.Add(rewarded(1, talk("Who keeps the key of the tunnel?", "Ada does, Ada.")))
	tasks, s := b.Tasks()
	if len(tasks) != 1 || s.Duplicates != 1 || s.LeftOut["answers to the same request contradict one another"] != 3 {
		t.Errorf("%d tasks, %+v", len(tasks), s)
	}
}

// TestDisputed checks that if one user approves of an answer that another corrects, the
// request has no ground truth, whatever the order, the letter case and the form of the
// feedback.
func TestDisputed(t *testing.T) {
	const asked, reason = "Hi, what is our refund window?", "one user approved an answer that another user corrected"
	liked, wrong := talk(asked, "30 days", "Perfect, thanks!"), talk("Hi, what is our refund  window", "30 Days.", "No, that is wrong. It is 14 days.")
	disliked := talk(asked, "30 days")
	disliked.Messages[1].Verdict = Verdict{Given: true, How: "thumbs down"}
	states := talk(asked, "30 days", "No, that's wrong. The correct answer is 14 days.")
	later := talk("Are you there?", "Yes.", asked, "30 days", "No, that is wrong.")
	long := "What is our refund window for goods that we sold in the sale of spring?"
	for name, c := range map[string]struct {
		talks       []Conversation
		tasks, left int
	}{
		"approved, then corrected":   {[]Conversation{liked, wrong}, 0, 1},
		"corrected, then approved":   {[]Conversation{wrong, liked}, 0, 1},
		"a verdict of the log":       {[]Conversation{liked, disliked}, 0, 1},
		"the right answer is stated": {[]Conversation{liked, states}, 0, 1},
		"it is stated first":         {[]Conversation{states, liked}, 0, 1},
		"after other messages":       {[]Conversation{liked, later}, 1, 0},
		"a long request, after them": {[]Conversation{talk(long, "30 days", "Thanks!"), talk("Are you there?", "Yes.", long, "30 days", "That is wrong.")}, 0, 1},
		"another answer":             {[]Conversation{liked, talk(asked, "40 days", "No, that is wrong.")}, 1, 0},
		"corrected alone":            {[]Conversation{states}, 1, 0},
	} {
		b := newBuilder(t, Options{PerDomain: 10})
		for _, one := range c.talks {
			b.Add(one)
		}
		tasks, s := b.Tasks()
		if len(tasks) != c.tasks || s.LeftOut[reason] != c.left {
			t.Errorf("%s: %d tasks, %+v", name, len(tasks), s.LeftOut)
		}
	}
}
