package session

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
)

// Statement is a fact stated in a user's message.
type Statement struct {
	// Message is the index of the message.
	Message int
	Fact    agent.Memory
}

// Stated returns the facts that the user of a conversation asked the agent to remember or
// stated as corrections, in the order of the messages. A correction is combined with the
// request that it refers to, unless it names the subject itself; a correction that is
// replaced by a later one is left out. corrects reports whether a message is a correction,
// even one that [Distiller.Distill] would not recognise by its words.
func (d Distiller) Stated(messages []agent.Message, corrects func(message int) bool) []Statement {
	read := d.read(messages)
	dropped := len(messages) - len(read)
	all := d.take(read)
	var chosen []int
	about := map[string]int{} // request → its last correction
	goal := ""
	for i := range all {
		s := &all[i]
		if s.role != "user" {
			continue
		}
		first := i == 0 || all[i-1].message != s.message
		switch {
		case s.kind == asked || s.kind == correction:
		case !first || s.kind == withdrawn: // the text after a mere "no" was already classified with the "no"
		case goal != "" && corrects(dropped+s.message) && !reproaches(s.text):
			s.complete(d, s.text, goal, "")
		default:
			goal = request(all[i:])
		}
		if s.kind != asked && s.kind != correction {
			continue
		}
		if goal != "" && s.about == goal {
			if earlier, ok := about[goal]; ok {
				chosen = slices.DeleteFunc(chosen, func(j int) bool { return j == earlier })
			}
			about[goal] = i
		}
		chosen = append(chosen, i)
	}
	latest := d.latest(all, chosen, nil)
	var out []Statement
	for _, i := range chosen {
		if m, ok := latest[i]; ok {
			out = append(out, Statement{dropped + all[i].message, m})
		}
	}
	return out
}

// reproaches reports whether a sentence is about something that the agent or the user did,
// which is not a fact.
func reproaches(s string) bool {
	word, _, _ := strings.Cut(strings.ToLower(s), " ")
	return strings.HasSuffix(s, "?") || slices.Contains([]string{"you", "your", "i", "why", "please"}, strings.Trim(word, ",.:;!"))
}
