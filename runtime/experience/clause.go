package experience

import (
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// written is a message in the form to which the rules are applied.
type written struct {
	text    string // lower case, without code and quotations, with single spaces
	clauses []clause
	words   []string
}

// clause is a part of a message that extends to the end of a sentence or to a "but".
type clause struct {
	text string
	// lead is the beginning of the clause that precedes text, such as "no", "wait" or "I
	// think".
	lead     string
	question bool
}

var (
	fenced     = regexp.MustCompile("(?s)```.*?(?:```|$)")
	quotedLine = regexp.MustCompile(`(?m)^[ \t]*>.*$`)
	inline     = regexp.MustCompile("`[^`\n]*`")
	quoted     = regexp.MustCompile(`"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|(?:^|\s)'[^'\n]{3,}'(?:[\s.,!?]|$)`)
	control    = regexp.MustCompile(`#{2,}\w+#{2,}`)
	spaces     = regexp.MustCompile(`[ \t]+`)
	wordRule   = regexp.MustCompile(`[a-z0-9]+(?:'[a-z]+)?`)
	clauseEnd  = regexp.MustCompile(`[.!;\n]+(?:\s+|$)|\?+[\s!?]*|, so |, (?:can|could|would|will) you |,? (?:but|however|though|although|yet),? |\s[-–—]+\s|—|[:;]-?[()]|\n`)
	leadRule   = regexp.MustCompile(`^(?:(?:no+|nope|nah|wait|hold on|hmm+|um+|uh|oh|ah|well|ok|okay|hey|hi|hello|sorry|actually|but|and|so|also|because|yes|yeah|alright|right,|thanks|thank you(?: so much| very much)?|please|look|honestly|unfortunately|again|i see|i understand|i'm sorry|i am sorry|i appreciate (?:it|that|the help|your help)|i(?:'m| am)(?: pretty| quite| fairly| very)? (?:sure|certain|afraid)(?: that)?|i (?:think|believe|guess|feel like|fear)(?: that)?|it (?:seems|appears|looks like)(?: that| like)?|(?:it )?(?:seems|looks) like|you know)(?:[ ,:-]+|$))+`)
)

// plain returns a text in lower case, without code or quotations.
func plain(s string) string {
	s = text.Clip(s, maxMessage)
	for _, r := range []*regexp.Regexp{fenced, quotedLine} {
		s = r.ReplaceAllString(s, "\n")
	}
	s = strings.NewReplacer("’", "'", "‘", "'", "\r", "\n").Replace(s)
	for _, r := range []*regexp.Regexp{inline, quoted, control, spaces} {
		s = r.ReplaceAllString(s, " ")
	}
	return strings.ToLower(strings.TrimSpace(s))
}

func read(message string) written {
	m := written{text: plain(message)}
	m.words = wordRule.FindAllString(m.text, -1)
	rest := m.text
	for rest != "" {
		end := clauseEnd.FindStringIndex(rest)
		if end == nil {
			end = []int{len(rest), len(rest)}
		}
		m.add(rest[:end[0]], strings.Contains(rest[end[0]:end[1]], "?"))
		rest = rest[end[1]:]
	}
	return m
}

func (m *written) add(s string, question bool) {
	s = strings.Trim(s, " ,-*")
	lead := leadRule.FindString(s)
	if s = strings.TrimSpace(s[len(lead):]); s != "" || lead != "" {
		m.clauses = append(m.clauses, clause{text: s, lead: strings.TrimSpace(lead), question: question})
	}
}

// says reports whether a rule matches anywhere in the message.
func (m written) says(r *regexp.Regexp) bool { return r.MatchString(m.text) }

// consents matches the beginning of an answer to the agent's question. Giving such an
// answer twice does not count as a repetition.
var consents = regexp.MustCompile(`^(?:yes|yeah|yep|sure|ok|okay|no|please (?:proceed|go ahead)|thanks|thank you)\b`)

// sameAs reports whether the message repeats an earlier message from the user.
func (m written) sameAs(earlier []agent.Message) bool {
	own := distinct(m.words)
	if len(own) < sameWords || consents.MatchString(m.text) {
		return false
	}
	return slices.ContainsFunc(earlier, func(e agent.Message) bool {
		if e.Role != "user" {
			return false
		}
		other := distinct(wordRule.FindAllString(plain(e.Content), -1))
		common := 0
		for w := range own {
			if other[w] {
				common++
			}
		}
		return float64(common) >= sameRequest*float64(len(own)+len(other)-common)
	})
}

func distinct(words []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range words {
		set[w] = true
	}
	return set
}
