package sessions

import (
	"slices"
	"strings"

	"evolve/bench"
)

// ending returns the index of the last approved exchange of a conversation with several
// messages of the user. It returns −1 if no exchange after the first one was approved, or
// if an answer was corrected or refused, because later messages would reply to a wrong
// answer.
func ending(list []judged) int {
	last := -1
	for i, e := range list {
		switch e.fate {
		case corrected, refused:
			return -1
		case approved:
			last = i
		}
	}
	if last < 1 {
		return -1
	}
	return last
}

// script makes one scripted conversation from the exchanges up to the approved end. Earlier
// answers that were also approved are graded, each after its message.
func (b *Builder) script(c *Conversation, list []judged, t *bench.Task, clean *scrubbing) (reason string) {
	answers := map[int]string{}
	for _, e := range list[:len(list)-1] {
		if e.fate == approved {
			answers[e.ask] = strings.TrimSpace(c.Messages[e.answer].Text)
		}
	}
	first := slices.IndexFunc(c.Messages, func(m Message) bool { return m.Role == User })
	t.Goal, t.Fixtures.Turns, t.Tags = "", nil, nil
	clear(clean.given) // the agent itself gives the earlier answers
	before, _ := earlier(c.Messages[:first])
	for _, m := range before {
		m.Content = clean.text(m.Content)
		t.Fixtures.Turns = append(t.Fixtures.Turns, m)
	}
	answered := true
	for i, m := range c.Messages[:list[len(list)-1].ask+1] {
		switch text := strings.TrimSpace(m.Text); {
		case m.Role == Assistant && text != "":
			answered = true
		case m.Role != User || text == "":
		case answered:
			t.Turns, answered = append(t.Turns, bench.Turn{User: clean.text(text)}), false
		default: // another message of the user before an answer
			t.Turns[len(t.Turns)-1].User += "\n" + clean.text(text)
		}
		if answer, ok := answers[i]; ok && b.o.Scrub(answer) == answer && clean.told(answer) {
			answer = clean.text(answer)
			at := &t.Turns[len(t.Turns)-1]
			at.Answer, at.Graders = &answer, b.graders(answer, false)
		}
	}
	switch {
	case len(t.Turns) > bench.MaxTurns:
		return "the conversation is too long"
	case len(t.Turns) < 2:
		return "the conversation has only one message from the user"
	}
	var tools []string
	for _, e := range list {
		tools = append(tools, e.tools...)
	}
	for _, tool := range slices.Compact(slices.Sorted(slices.Values(tools))) {
		t.Tags = append(t.Tags, clean.about("tool "+tool))
	}
	return ""
}
