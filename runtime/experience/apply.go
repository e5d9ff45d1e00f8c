package experience

import (
	"regexp"
	"strings"

	"github.com/kljensen/snowball/english"

	"evolve/runtime/agent"
)

// corrects reports whether the message corrects the agent's preceding message.
func (m written) corrects(before string) bool {
	if m.says(ownMistake) || ownWindow.MatchString(m.text) {
		return false
	}
	if m.statesOtherwise(before) || m.statesValue(before) {
		return true
	}
	clauses := m.clauses[:min(len(m.clauses), maxClauses)]
	if len(clauses) > 0 && task.MatchString(clauses[0].text) {
		clauses = clauses[:1]
	}
	for i, c := range clauses {
		switch {
		case applies(undoes, c.text):
			return true
		case c.question || spared.MatchString(c.text):
			continue
		case c.corrects(before),
			!m.says(rechecks) && applies(doubts, c.text),
			!asksWhat.MatchString(ending(before)) && applies(failures, c.text):
			return true
		}
		if i == 0 && deniesAll(c, before) {
			return true
		}
	}
	return false
}

func (c clause) corrects(before string) bool {
	if applies(corrections, c.text) {
		return true
	}
	// The text that the user denies must occur in the agent's message.
	if found := contrast.FindStringSubmatch(c.text); found != nil {
		denied := found[1] + found[2]
		for _, w := range wordRule.FindAllString(before, -1) {
			if w == denied {
				return !asks.MatchString(ending(before))
			}
		}
	}
	return false
}

// deniesAll reports whether a first clause answers "no" to a message without a question and
// goes on to state what is right instead.
func deniesAll(c clause, before string) bool {
	return before != "" && !asks.MatchString(before) && !strings.Contains(c.lead, "thank") && denial.MatchString(c.lead+" "+c.text) &&
		strings.Contains(c.text, " ") && !harmlessNo.MatchString(c.text) && !ownState.MatchString(c.text) && !approving(c.text)
}

// ending returns the last part of a message, where any question is expected.
func ending(s string) string { return s[max(0, len(s)-200):] }

func applies(list func() []*regexp.Regexp, s string) bool {
	for _, r := range list() {
		if r.MatchString(s) {
			return true
		}
	}
	return false
}

// elsewhere reports whether the message is a request with several content words, none of
// which occurs in the earlier messages. Unless it contains an expression such as "by the
// way", the request must not refer to anything earlier.
func (m written) elsewhere(earlier []agent.Message, before string) bool {
	aside := m.says(besides)
	if !aside && (inquires.MatchString(ending(before)) || m.says(pointing) || !m.says(request)) || aside && !strings.Contains(m.text, "?") {
		return false
	}
	known, content := map[string]bool{}, 0
	for _, e := range earlier {
		for _, w := range wordRule.FindAllString(plain(e.Content), -1) {
			known[english.Stem(w, false)] = true
		}
	}
	for _, w := range m.words {
		if english.IsStopWord(w) {
			continue
		}
		if known[english.Stem(w, false)] {
			return false
		}
		if len(w) > 2 {
			content++
		}
	}
	return content >= otherTopic || aside && content > 0
}
