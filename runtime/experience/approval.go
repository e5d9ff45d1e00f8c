package experience

import (
	"regexp"
	"strings"

	"evolve/runtime/agent"
)

// AfterApproval returns what follows the approval with which a message begins, if that is a
// further request: of "Perfect. Now what about Faust?" it returns the question. It returns ""
// for a message that approves and goes on with nothing, and for praise before a doubt, a
// complaint or a change of the answer ("Great, but …", "Perfect. Are you sure?", "Nice. Make
// it shorter."): an approved answer becomes the reference of a task.
func AfterApproval(message string, earlier []agent.Message) string {
	at := praised(message)
	rest := strings.TrimLeft(message[at:], " \t\r\n,;:.!-–—")
	if at == 0 || rest == "" || strings.ContainsAny(message[:at], "\"`“«>") { // a quotation is no praise
		return ""
	}
	switch Classify(message, earlier) {
	case FollowsUp, NewTopic, Approves:
	default:
		return ""
	}
	switch Classify(rest, earlier) {
	case FollowsUp, NewTopic:
	case Approves: // of a short request: "Now list the gates."
		if read(rest).says(praise) {
			return ""
		}
	default:
		return ""
	}
	if pending.MatchString(offers.ReplaceAllString(ending(before(earlier)), " ")) || !goesOn(rest) {
		return ""
	}
	return rest
}

// maxPraise bounds the part of a message in which the approval stands.
const maxPraise = 300

var (
	// sentenceEnd ends a sentence of praise, and pause a part of one, which only the
	// beginning of a request may follow.
	sentenceEnd = regexp.MustCompile(`[.!…]+(?:\s+|$)|[.!]*\s*(?:👍|👌|🙏|🎉|🙂|😀|😊|✅|💯|:-?\))+\s*|[;\n]+\s*|\s+[-–—]+\s+|—`)
	pause       = regexp.MustCompile(`^[^.!?\n]{1,60}?,\s+`)
	begins      = regexp.MustCompile(`(?i)^(?:(?:and|now|next|then|ok|okay|so)[ ,]+)*(?:now|next|what|how|when|where|who|which|whose|tell|find|show|list|translate|calculate|compute|summari[sz]e|compare|write|draft|plan|please|can you|could you|would you|let's|i(?:'d| would) (?:also )?like|i (?:also |now )?(?:need|want))\b`)
	// product is what praise may name beside its own words.
	product = regexp.MustCompile(`\b(?:me|us|here|right|what|translation|summary|explanation|solution|plan|list|table|code|script|text|draft|e-?mail|letter|report|overview|poem|story|recipe|result|reply|response|version|find|suggestion)\b`)
	// pending is what an agent asks for, to which a request may be the answer, and offers are
	// questions whether the user wants more.
	pending = regexp.MustCompile(`\?|\bplease (?:provide|confirm|share|specify|tell|choose|select|reply|answer|send)\b|\blet me know (?:which|what|how|when|where|whether|if you(?:'d| would) like to)\b|\bconfirm (?:if|whether)\b`)
	offers  = regexp.MustCompile(`[^.!?\n]*\b(?:anything else|(?:any|some)(?: other| further| more| additional)? (?:questions?|requests?|assistance|help)|further (?:assistance|help|questions|requests)|else can i)\b[^.!?\n]*[.!?]*`)
	// challenges begin a question on the answer itself.
	challenges = regexp.MustCompile(`^(?:right|sure|really|correct|seriously|honestly|or|are you|did(?:n't)? you|have(?:n't)? you|(?:is|was|are|were)(?:n't)? (?:it|that|this|those|these|there)(?: \w+)? (?:right|correct|true|sure|so|all|everything|complete|it|wrong|missing)|(?:isn't|wasn't|aren't|shouldn't|doesn't|didn't)|do you (?:think|believe)|why (?:did|do|have|are|is (?:it|that|this)|not)|how (?:come|sure|certain|do you|did you))\b`)
	// changes are requests to make the answer another one.
	changes = regexp.MustCompile(`\b(?:fix|change|correct|redo|rewrite|rephrase|shorten|simplify|improve|adjust|edit|replace|remove|drop|delete|undo|revert|cancel|add|include|expand|extend|format|make|turn|put|convert|do|try|run|move)\b[^.!?]*\b(?:it|that|this|them|these|those|one|ones|line|answer|second|first|last|again|shorter|longer|better|instead|too)\b`)
)

// praised returns the end of the sentences of praise and thanks at the beginning of a
// message, 0 if there is none.
func praised(message string) int {
	end := 0
	for end < min(len(message), maxPraise) {
		part := message[end:min(len(message), end+maxPraise)]
		if stop := sentenceEnd.FindStringIndex(part); stop != nil && stop[0] > 0 && praises(part[:stop[0]], end > 0) {
			end += stop[1]
			continue
		}
		if stop := pause.FindStringIndex(part); stop != nil && begins.MatchString(part[stop[1]:]) && praises(part[:stop[1]], end > 0) {
			end += stop[1]
		}
		break
	}
	return end
}

// praises reports whether a sentence is praise or thanks and nothing else; after one, also
// whether it is a courtesy.
func praises(sentence string, after bool) bool {
	m := read(sentence)
	if m.approves() {
		return len(wordRule.FindAllString(courtesy.ReplaceAllString(product.ReplaceAllString(praise.ReplaceAllString(m.text, " "), " "), " "), -1)) == 0
	}
	return after && len(m.words) > 0 && len(wordRule.FindAllString(courtesy.ReplaceAllString(m.text, " "), -1)) == 0
}

// goesOn reports whether a text that follows praise is a request of its own.
func goesOn(rest string) bool {
	m := read(rest)
	if len(m.clauses) == 0 || len(m.words) < 2 {
		return false
	}
	first := m.clauses[0]
	text := strings.TrimSpace(first.lead + " " + first.text)
	spoiled := spoils.MatchString(unspoiled.ReplaceAllString(text, " "))
	switch {
	case challenges.MatchString(first.text), changes.MatchString(text):
		return false
	case spoiled && (!first.question || pointing.MatchString(text)):
		return false
	}
	return first.question || begins.MatchString(text)
}
