package session

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Limits on the sentences of a conversation: the maximum length of a sentence that can be a
// fact, in bytes; the number of sentences that are considered as facts; and the number of
// facts about one subject that are compared with each other.
const (
	maxSentence   = 400
	maxCandidates = 4 * maxNewFacts
	maxRivals     = 8
)

// replacedBy begins the reason for the retraction of a corrected fact.
const replacedBy = "replaced by "

// kind is the reason to remember a sentence, in descending order of value.
type kind int

const (
	asked      kind = iota // the user asked to remember it
	correction             // the user corrected something
	decision
	definition
	figure   // a number together with a subject
	answered // a question by the user with its answer
	none
	withdrawn // corrected later; not used even in the summary
)

// spoken is a sentence in a message.
type spoken struct {
	message int
	role    string
	text    string
	kind    kind
	fact    string // the text to remember, if the kind is declared before the constant none
	about   string // the request that the fact begins with, if any
}

// take splits messages into sentences and classifies each of them. Only sentences by the
// user and the assistant can become facts, not the results of tools.
func (d Distiller) take(messages []agent.Message) []spoken {
	var out []spoken
	for i, m := range messages {
		memory.EachSentence(m.Content, func(s string) bool {
			if s = clean(unlisted(s)); s != "" {
				k, fact := classify(s, m.Role)
				out = append(out, spoken{message: i, role: m.Role, text: s, kind: k, fact: fact})
			}
			return true
		})
	}
	return d.corrected(out)
}

// classify returns the kind of a sentence and the part of it to remember.
func classify(s, role string) (kind, string) {
	if len(s) > maxSentence || strings.HasSuffix(s, "?") || role != "user" && role != "assistant" {
		return none, ""
	}
	lower := strings.ToLower(s)
	if len(lower) != len(s) { // some letters change their length in lower case, so the indexes would not match
		lower = s
	}
	if role == "user" {
		for _, cue := range []string{
			"remember that ", "remember: ", "keep in mind that ", "note that ", "don't forget that ", "for the record, ", "please remember ",
		} {
			if i := strings.Index(lower, cue); i >= 0 && i < 24 && worded(s[i+len(cue):]) {
				return asked, s[i+len(cue):]
			}
		}
		if rest, ok := corrects(s, lower); ok {
			return correction, rest
		}
	}
	if !worded(s) || commands(lower) {
		return none, ""
	}
	for _, cue := range []string{
		"we decided", "we agreed", "we chose", "we will use", "we'll use", "let's use", "let's go with", "decision:", "settled on",
		"we are going with", "we're going with", "i decided", "i've decided", "i prefer", "we prefer",
	} {
		if strings.Contains(lower, cue) {
			return decision, s
		}
	}
	if _, ok := memory.Subject(s); ok {
		return definition, s
	}
	if strings.ContainsAny(s, "0123456789") {
		return figure, s
	}
	return none, ""
}

// corrects reports whether a sentence begins with words of denial, as a correction does. It
// returns the rest of the sentence, which is empty if nothing follows these words.
func corrects(s, lower string) (rest string, ok bool) {
	rest = s
	for {
		n := denial(lower)
		if n == 0 {
			return rest, ok
		}
		rest, ok = strings.TrimLeft(rest[n:], " ,.:;!-"), true
		lower = lower[len(lower)-len(rest):]
	}
}

// denial returns the length of the phrase at the beginning of a sentence that marks it as a
// correction, such as "no, " or "that's wrong", or 0 if there is none.
func denial(lower string) int {
	for _, cue := range []string{
		"no, ", "no: ", "no - ", "no.", "actually, ", "actually ", "correction: ", "sorry, ", "wait, ", "i meant ", "wrong, ", "wrong.",
	} {
		if strings.HasPrefix(lower, cue) {
			return len(cue)
		}
	}
	for _, who := range []string{"that's ", "that is ", "this is ", "it's ", "it is ", "you're ", "you are "} {
		said, ok := strings.CutPrefix(lower, who)
		for _, fault := range []string{"wrong", "incorrect", "not right", "not correct", "not true", "mistaken"} {
			if rest, has := strings.CutPrefix(said, fault); ok && has && !strings.HasPrefix(rest, " with ") && !startsWord(rest) {
				return len(lower) - len(rest)
			}
		}
	}
	return 0
}

// startsWord reports whether a text begins with a letter or a digit.
func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// worded reports whether a text has at least two words other than stop words.
func worded(s string) bool {
	n := 0
	memory.EachWord(s, func(word string) {
		if !memory.StopWord(word) {
			n++
		}
	})
	return n >= 2
}

// commands reports, judging by the first word, whether a sentence asks for work or is a
// question without a question mark.
func commands(lower string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(lower, "please "), " ")
	switch strings.Trim(word, ",:") {
	case "calculate", "compute", "find", "list", "count", "read", "open", "show", "tell", "give", "write", "summarize", "summarise",
		"compare", "multiply", "add", "subtract", "divide", "convert", "explain", "describe", "search", "look", "check", "say", "name",
		"what", "which", "who", "when", "where", "how", "why", "can", "could", "would", "do", "does", "did", "is", "are", "if",
		"thanks", "thank", "hello", "hi", "ok", "okay", "sure", "i'm", "i'll", "let":
		return true
	}
	return false
}

// corrected resolves references to the preceding message: a short answer becomes a fact
// together with its question, and a correction replaces the assistant's statement.
func (d Distiller) corrected(all []spoken) []spoken {
	goal := ""                  // the user's last message that contains no correction, if it is short
	question, subject := "", "" // the user's last question; the subject of a correction
	said := -1                  // index of the assistant's last message
	for i := range all {
		s := &all[i]
		first := i == 0 || all[i-1].message != s.message
		switch s.role {
		case "assistant":
			if first {
				if said = s.message; question != "" && d.answers(question, s.text) {
					s.kind, s.fact, s.about = answered, question+" "+s.text, question
				}
			}
		case "user":
			bare := !first && all[i-1].kind == withdrawn // the preceding sentence was a mere "no"
			switch {
			case s.kind == correction && first:
				subject = withdraw(all[:i], said)
			case bare && s.kind != correction && !strings.HasSuffix(s.text, "?"):
				s.kind, s.fact = correction, s.text
			case first:
				goal, question, subject = request(all[i:]), "", ""
			}
			if s.kind == correction {
				s.complete(d, s.fact, cmp.Or(goal, question), subject)
			}
			if strings.HasSuffix(s.text, "?") && len(s.text) <= maxSentence/2 {
				question = s.text
			}
		}
	}
	return all
}

// withdraw marks all sentences of an assistant's message as withdrawn, because a
// correction refers to the message; said is the index of the message. It returns the
// subject of the last of these sentences that has a subject.
func withdraw(all []spoken, said int) (subject string) {
	for i := len(all) - 1; i >= 0 && said >= 0 && all[i].message >= said; i-- {
		if s := &all[i]; s.message == said {
			if about, ok := memory.Subject(s.text); ok && subject == "" {
				subject = about
			}
			s.kind, s.fact = withdrawn, ""
		}
	}
	return subject
}

// request returns the message at the beginning of all as one text, or "" if it is long or
// has fewer than two content words.
func request(all []spoken) string {
	text := all[0].text
	for _, s := range all[1:] {
		if s.message != all[0].message {
			break
		}
		if text += " " + s.text; len(text) > maxSentence/2 {
			return ""
		}
	}
	if len(text) > maxSentence/2 || !worded(text) {
		return ""
	}
	return text
}

// complete turns the sentence into a correction that states a fact, including its subject.
func (s *spoken) complete(d Distiller, fact, request, subject string) {
	s.kind, s.fact = d.complete(fact, request, subject)
	if request != "" && strings.HasPrefix(s.fact, request+" ") {
		s.about = request
	}
}

// complete adds the subject to a correction, because often only the request or the
// corrected sentence contains the subject. A correction that contains half of the
// request's words needs no addition. Without the subject, any other correction would
// apply to every request.
func (d Distiller) complete(fact, request, subject string) (kind, string) {
	if strings.Trim(fact, " .!") == "" {
		return withdrawn, ""
	}
	_, stated := memory.Subject(fact)
	switch {
	case stated && (request == "" || d.covers(fact, request)):
		return correction, fact
	case request != "" && len(request)+len(fact) < MaxFactBytes:
		return correction, request + " " + fact
	case subject != "" && !stated:
		return correction, subject + ": " + fact
	}
	return none, ""
}

// covers reports whether text contains at least half of the given terms (of).
func (d Distiller) covers(text, of string) bool {
	own, n := d.Lexicon.Terms(nil, text), 0
	terms := d.Lexicon.Terms(nil, of)
	for _, t := range terms {
		if slices.Contains(own, t) {
			n++
		}
	}
	return 2*n >= len(terms)
}

// answers reports whether a text answers the question, has content, and cannot be
// understood without the question.
func (d Distiller) answers(question, text string) bool {
	if len(text) > maxSentence/2 || strings.HasSuffix(text, "?") {
		return false
	}
	lower := strings.ToLower(text)
	for _, unsure := range []string{"unknown", "i don't know", "i do not know", "not sure", "cannot", "can't", "sorry", "i could not"} {
		if strings.Contains(lower, unsure) {
			return false
		}
	}
	return len(d.Lexicon.Terms(nil, text)) > 0 && !d.covers(text, question)
}

// unlisted removes the list marker from a line.
func unlisted(s string) string {
	return strings.TrimLeft(s, "-*•#> \t")
}

// facts returns memories of the best sentences, in the order of the sentences. Of two
// sentences that contradict each other, only the later one becomes a memory. If a
// sentence contradicts an earlier distilled fact of the session, that fact is retracted.
func (d Distiller) facts(all []spoken, s agent.Session) ([]agent.Memory, map[string]string) {
	best := make([]int, 0, len(all))
	for i := range all {
		if all[i].kind < none {
			best = append(best, i)
		}
	}
	byWorth := func(i, j int) int { // the best first; of equally good ones, the newest first
		return cmp.Or(cmp.Compare(all[i].kind, all[j].kind), j-i)
	}
	slices.SortFunc(best, byWorth)
	best = best[:min(len(best), maxCandidates)]
	slices.Sort(best)

	known, earlier := d.earlier(s)
	fresh := d.latest(all, best, known)
	chosen := slices.Collect(maps.Keys(fresh))
	slices.SortFunc(chosen, byWorth)
	chosen = chosen[:min(len(chosen), maxNewFacts)]
	slices.Sort(chosen)
	retracted := map[string]string{}
	var out []agent.Memory
	for _, i := range chosen {
		m := fresh[i]
		c := d.Lexicon.Claim(m.Text)
		for _, e := range earlier[c.About()] {
			if e.claim.Contradicts(c) {
				retracted[e.id] = replacedBy + m.ID
			}
		}
		out = append(out, m)
	}
	return out, retracted
}

// earlier returns the ids of the session's facts, and its distilled facts, keyed by
// subject. It leaves out facts that have been replaced.
func (d Distiller) earlier(s agent.Session) (known map[string]bool, distilled map[string][]rival) {
	known, distilled = map[string]bool{}, map[string][]rival{}
	for _, f := range s.Facts {
		if strings.HasPrefix(s.Retracted[f.ID], replacedBy) {
			continue
		}
		known[f.ID] = true
		if f.Source == Distilled {
			c := d.Lexicon.Claim(f.Text)
			distilled[c.About()] = append(distilled[c.About()], rival{id: f.ID, claim: c})
		}
	}
	return known, distilled
}

// latest returns the memories of those candidates that are new and that no later
// candidate repeats or contradicts, keyed by the candidate's index in the list all.
func (d Distiller) latest(all []spoken, candidates []int, known map[string]bool) map[int]agent.Memory {
	fresh := map[int]agent.Memory{}
	later := map[string][]rival{}
	for _, i := range slices.Backward(candidates) {
		m := d.memory(all[i])
		c := d.Lexicon.Claim(m.Text)
		about := c.About()
		if len(later[about]) >= maxRivals || slices.ContainsFunc(later[about], func(r rival) bool {
			return r.id == m.ID || r.claim.Same(c) || r.claim.Contradicts(c)
		}) {
			continue
		}
		later[about] = append(later[about], rival{id: m.ID, claim: c})
		if !known[m.ID] {
			fresh[i] = m
		}
	}
	return fresh
}

// rival is a fact about the same subject.
type rival struct {
	id    string
	claim memory.Claim
}

// memory returns a memory of a sentence. Equal facts have the same id.
func (d Distiller) memory(s spoken) agent.Memory {
	text := memory.Cut(strings.TrimSpace(s.fact), MaxFactBytes)
	sum := sha256.Sum256([]byte("\x00" + text))
	return agent.Memory{
		ID: "d-" + hex.EncodeToString(sum[:8]), Text: text, About: s.about, Source: Distilled, Time: d.Now, Confidence: s.confidence(),
	}
}

// confidence returns the confidence in a sentence, which is higher for the user's sentences
// than for the assistant's.
func (s *spoken) confidence() float64 {
	switch {
	case s.role != "user":
		return .8
	case s.kind <= decision:
		return 1
	}
	return .95
}
