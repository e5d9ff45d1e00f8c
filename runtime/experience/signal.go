package experience

import (
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Signal is what a user's message means for the turn before it in a conversation.
type Signal string

// The signals. None is the signal of a first message.
const (
	None      Signal = ""
	Corrects  Signal = "correction"    // the answer, or what was done, was wrong
	Approves  Signal = "approval"      // the answer was right, or the user ends with thanks
	FollowsUp Signal = "follow_up"     // everything else: an answer, a detail, a further request
	NewTopic  Signal = "topic_change"  // a request on another topic
	Repeats   Signal = "repetition"    // the same request again: the answer did not help
	Complains Signal = "complaint"     // dissatisfaction that names no fault in the answer
	GivesUp   Signal = "abandonment"   // the user gives up, or wants another person or another method
	Clarifies Signal = "clarification" // asks what the answer means, or whether it is certain
)

const (
	// maxMessage is the maximum length of the part of a message that is examined, in bytes,
	// and maxEarlier is the maximum number of earlier messages considered, counted back
	// from the last.
	maxMessage, maxEarlier = 2000, 12
	// maxClauses is the number of clauses, counted from the beginning of a message, that
	// are searched for a correction. A user's comments on pasted text come before that
	// text.
	maxClauses = 4
	// sameRequest is the minimum share of common words, out of all words in two messages,
	// for the second message to count as a repetition of the first. The second message must
	// have at least sameWords words.
	sameRequest, sameWords = .75, 4
	// otherTopic is the minimum number of content words in a message on another topic. A
	// message with that many counts as being on another topic if it has no word in common
	// with the earlier messages.
	otherTopic = 4
)

// Classify returns the signal of a message, given the earlier messages of its conversation,
// oldest first. It returns [None] if none of them is from the user. It uses rules instead
// of a model. The rules are for English, and also cover the first words of a correction in
// four other languages. They are tried in the order correction, abandonment, repetition,
// complaint, clarification, approval and topic change. The first rule that applies
// determines the signal; if none applies, the message is a follow-up.
//
// A correction must be explicit: a clause of the message begins by calling the answer
// wrong, by naming what was left out or not requested, or by naming what was meant instead.
// Quotations, code, questions, the user's own mistakes, and a "no" that answers the agent's
// question do not count. The rules are chosen to miss a correction rather than find a false
// one, because a correction lowers the agent's competence.
//
// An approval is a message that consists of praise for the answer or thanks, and of nothing
// else except a request about something else. An approved answer becomes the reference of a
// task, so a false approval costs more than a missed one.
//
// Classify takes time linear in the message's first 2,000 bytes and in as many bytes of
// each of the last 12 earlier messages. Of the agent's last message it reads the end, where
// any question is expected.
func Classify(message string, earlier []agent.Message) Signal {
	signal, _ := Interpret(message, earlier)
	return signal
}

// Interpret returns the signal of a message as [Classify] does. If the message is an
// approval followed by a request about something else, Interpret also returns that request:
// for "Perfect. Now what about Faust?", it returns the question. Live messages and messages
// in the tasks of a suite are interpreted in the same way.
func Interpret(message string, earlier []agent.Message) (signal Signal, request string) {
	if !slices.ContainsFunc(earlier, func(m agent.Message) bool { return m.Role == "user" }) {
		return None, ""
	}
	earlier = newest(earlier, maxEarlier)
	m := read(message)
	before := before(earlier)
	switch {
	case correctsElsewhere(m.text, before), m.corrects(before):
		return Corrects, ""
	case m.says(givesUp) && !m.says(wantsNone):
		return GivesUp, ""
	case m.says(repeats) || m.sameAs(earlier):
		return Repeats, ""
	case m.says(complains) && !m.says(noComplaint):
		return Complains, ""
	case m.says(clarifies):
		return Clarifies, ""
	}
	if rest, ok := praised(text.Clip(message, maxMessage)); ok && !awaits(before) && (rest == "" || asksElse(rest, earlier)) {
		return Approves, rest
	}
	if m.says(changesTopic) || m.elsewhere(earlier, before) {
		return NewTopic, ""
	}
	return FollowsUp, ""
}

// before returns the end of the agent's last message, in the normalised form that the rules
// match, or "" if there is no such message.
func before(earlier []agent.Message) string {
	for _, e := range slices.Backward(earlier) {
		if e.Role == "assistant" {
			return plain(e.Content[max(0, len(e.Content)-maxMessage):])
		}
	}
	return ""
}
