package experience

import (
	"regexp"

	"evolve/runtime/agent"
)

var (
	// assent matches the beginning of a message that consents, and consent matches a whole
	// sentence that allows the agent to proceed.
	assent  = regexp.MustCompile(`^(?:[a-z' ]{1,40}, (?:then )?)??(?:yes|yeah|yep|yup|sure|ok|okay|absolutely|correct|that (?:sounds|works)|sounds good|(?:yes, |sure, )?(?:please )?(?:go ahead|proceed))\b`)
	consent = regexp.MustCompile(`^(?:please |you (?:can|may) |i(?:'d| would) like (?:you )?to )?(?:go ahead|proceed|do (?:it|that|so)|i confirm|confirmed)\b[^.!?;\n]*[.!;\n]*$`)
	// further is a pattern for the part of a consenting message that makes a further
	// request.
	further = regexp.MustCompile(`\?|\b(?:also|another|instead|but|can you|could you|would you|will you|how about|what about|one more)\b`)
	// wants matches the part of a message that asks for something.
	wants = regexp.MustCompile(`\?|\b(?:please|can you|could you|would you|will you|i(?:'d| would) like|i(?:'m| am) (?:looking|trying)|i (?:also |really )?(?:want|need)|help me|let's|let us|tell me|show me|give me|how about|what about|instead|cancel|change|add|remove|send|refund|return|exchange|upgrade|find|book)\b`)
)

// Replies reports whether a message only consents, gives thanks or answers the agent's
// question. Such a message makes no request of its own and is meaningless without the
// agent's question.
func Replies(message string, earlier []agent.Message) bool {
	before := before(earlier)
	if before == "" {
		return false
	}
	rest, _ := praised(message) // or what follows "yes"
	if rest == "" {
		return true
	}
	text := plain(message)
	switch {
	case consent.MatchString(plain(rest)) && !further.MatchString(text):
		return true
	case !awaits(before):
		return false
	case assent.MatchString(text) && !further.MatchString(text):
		return true
	}
	return !wants.MatchString(text) && !request.MatchString(text) && !order.MatchString(text)
}
