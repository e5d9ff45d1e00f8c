package experience

import (
	"regexp"
	"strings"

	"evolve/runtime/agent"
)

var (
	// consent is a sentence that lets the agent go on, up to its end.
	consent = regexp.MustCompile(`^(?:(?:yes|yeah|yep|yup|sure|ok|okay|great|perfect|alright|no)[ ,.!]+)*(?:please |you (?:can|may) |i(?:'d| would) like (?:you )?to )?(?:go ahead|proceed|do (?:it|that|so)|(?:i )?confirm(?:ed)?|(?:that|it|this)(?:'s| is| would be| sounds| works| looks)? ?(?:fine|good|great|perfect|okay|ok|correct|right)?(?: with me| for me)?)\b([^.!?;\n]*)[.!?;\n]*`)
	// wants is what a message has that asks for something itself.
	wants = regexp.MustCompile(`\?|\b(?:please|can you|could you|would you|will you|i(?:'d| would) like|i(?:'m| am) (?:looking|trying)|i (?:also )?(?:want|need)|help me|let's|tell me|show me|give me|how about|what about|instead|cancel|change|add|remove|send|refund|return|exchange|upgrade|find|book)\b`)
)

// Replies reports whether a message only consents, thanks or answers what the agent asked:
// it asks for nothing by itself, and means nothing without the question.
func Replies(message string, earlier []agent.Message) bool {
	before := before(earlier)
	if before == "" {
		return false
	}
	if rest, _ := praised(message); rest == "" {
		return true
	}
	text := plain(message)
	if found := consent.FindStringSubmatchIndex(text); found != nil && !wants.MatchString(text[found[2]:found[3]]) {
		if text = strings.TrimSpace(text[found[1]:]); text == "" {
			return true
		}
		if rest, _ := praised(text); rest == "" {
			return true
		}
	}
	return awaits(before) && !wants.MatchString(text) && !request.MatchString(text) && !order.MatchString(text)
}
