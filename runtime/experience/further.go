package experience

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/kljensen/snowball/english"

	"evolve/runtime/agent"
)

// A further request after praise is about something else if each of its sentences is a
// request in English, if no sentence is a yes-or-no question (which may express doubt),
// if no sentence refers back, doubts, denies or asks for a repair, and if the request's
// subject differs from the subject of the question and the answer.
var (
	sentences = regexp.MustCompile(`[^.!?;\n]+[.!?;\n]*`)
	linking   = regexp.MustCompile(`^(?:(?:and|now|next|then|ok|okay|also|please|(?:another|next|one more) question)[ ,:]+)+`)
	inquiry   = regexp.MustCompile(`^(?:what|how|when|where|who|whose|which)\b`)
	order     = regexp.MustCompile(`^(?:(?:can|could|would|will) you(?: please)? |i(?:'d| would) (?:also )?like (?:you )?to (?:know )?|let me |please )*(?:tell(?: me)?|find|show(?: me)?|give me|list|name|translate|calculate|compute|summari[sz]e|compare|write|draft|plan|explain|describe|recommend|suggest|create|define)\b|^i (?:also |now also )(?:need|want)\b`)
	// doubtful matches words, in addition to those of [spoils], that express doubt, denial,
	// contrast or repair, or that refer to the agent itself or to the answer as such.
	doubtful = regexp.MustCompile(`\b(?:right|correct|true|truth|truly|actual|actually|real|really|sure|surely|certain|certainly|proper|properly|exact|exactly|valid|seriously|honestly|why|come|says?|said|told|shorter|longer|better|simpler|clearer|less|change|fix|cancel|revert|remove|rewrite|rephrase|you|your|answer|reply|response|source|sources|version|format|first|last|previous|above|earlier|such|so|former|latter|where|who|opinion|second|apology|apologi[sz]e|proof|prove|evidence|alternatives?|possible|mistaken)\b`)
	// pending matches a request by the agent that the user's message may answer, and offers
	// matches an agent's question about whether the user wants anything else.
	pending = regexp.MustCompile(`\?|\bplease (?:provide|confirm|share|specify|tell|choose|select|reply|answer|send)\b|\blet me know (?:which|what|how|when|where|whether|if you(?:'d| would) like to)\b|\bconfirm (?:if|whether)\b`)
	offers  = regexp.MustCompile(`[^.!?\n]*\b(?:anything else|(?:any|some)(?: other| further| more| additional)? (?:questions?|requests?|assistance|help)|further (?:assistance|help|questions|requests)|else can i)\b[^.!?\n]*[.!?]*`)
)

// awaits reports whether an answer ends with a request to the user other than a question
// about what else they want. Praise after such an answer is consent to the next step, not
// approval of the answer.
func awaits(before string) bool {
	return pending.MatchString(offers.ReplaceAllString(ending(before), " "))
}

// asksElse reports whether a text is a further request about something other than the
// preceding exchange.
func asksElse(rest string, earlier []agent.Message) bool {
	text := plain(rest)
	if strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) || r >= 0x2600 }) || strings.Contains(text, "/s") {
		return false
	}
	var topic []string
	for _, s := range sentences.FindAllString(text, -1) {
		question := strings.Contains(s, "?")
		s = strings.TrimSpace(s)
		s = s[len(linking.FindString(s)):]
		ordered := order.FindString(s)
		about := strings.TrimSpace(s[len(ordered):])
		if !strings.HasPrefix(ordered, "show") { // "show me where it is" asks for proof
			about = inquiry.ReplaceAllString(about, "")
		}
		switch {
		case !wordRule.MatchString(s):
			continue
		case ordered == "" && (!question || !inquiry.MatchString(s)):
			return false
		case pointing.MatchString(about), spoils.MatchString(about), doubtful.MatchString(about):
			return false
		}
		topic = append(topic, wordRule.FindAllString(about, -1)...)
	}
	return isNew(topic, earlier)
}

// isNew reports whether at least half of the content words of a request do not occur in the
// last question, and none of them occurs only in the answer.
func isNew(words []string, earlier []agent.Message) bool {
	asked, answered := map[string]bool{}, map[string]bool{}
	for _, e := range earlier {
		switch e.Role {
		case "user":
			asked, answered = stems(e.Content), map[string]bool{}
		case "assistant":
			answered = stems(e.Content)
		}
	}
	fresh, known := 0, 0
	for _, w := range words {
		switch stem := english.Stem(w, false); {
		case english.IsStopWord(w):
		case asked[stem]:
			known++
		case answered[stem]:
			return false
		default:
			fresh++
		}
	}
	return fresh > 0 && fresh >= known
}

func stems(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range wordRule.FindAllString(plain(text), -1) {
		set[english.Stem(w, false)] = true
	}
	return set
}
