package experience

import (
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Signal is what a message of a user means for the turn before it in a conversation.
type Signal string

// The signals. None is that of a first message.
const (
	None      Signal = ""
	Corrects  Signal = "correction"    // the answer, or what was done, was wrong
	Approves  Signal = "approval"      // it was right, or the user ends with thanks
	FollowsUp Signal = "follow_up"     // all else: an answer, a detail, a further request
	NewTopic  Signal = "topic_change"  // a request on another topic
	Repeats   Signal = "repetition"    // the same request again: the answer did not help
	Complains Signal = "complaint"     // dissatisfaction that names no fault of the answer
	GivesUp   Signal = "abandonment"   // the user stops, or wants another person or way
	Clarifies Signal = "clarification" // asks what the answer means, or whether it is sure
)

const (
	// maxMessage is the length of the part of a message that its signal depends on, and
	// maxEarlier the number of earlier messages, the last ones.
	maxMessage, maxEarlier = 2000, 12
	// maxClauses is the number of clauses in which a correction may stand. Pasted text
	// follows what the user writes about it.
	maxClauses = 4
	// sameRequest is the share of common words among all words of two messages from which
	// the second repeats the first. It must have at least sameWords words.
	sameRequest, sameWords = .75, 4
	// otherTopic is the least number of content words of a message on another topic,
	// which has no word of the earlier ones.
	otherTopic = 4
)

// Classify returns the signal of a message after the earlier messages of its conversation,
// oldest first; [None] if no earlier one is of the user. It follows rules for English and
// the first words of a correction in four other languages, without a model: the first of
// correction, abandonment, repetition, complaint, clarification, approval and topic change
// whose rule applies, else a follow-up.
//
// A correction is stated: a clause of the message begins by calling the answer wrong, by
// what was left out or not asked for, or by what was meant instead. Quotations and code
// count for nothing, nor do questions, mistakes of the user's own, and a "no" that answers
// the agent's question. The rules are made to miss a correction rather than to find a false
// one, because a correction lowers the agent's competence.
//
// An approval is a message that is praise of the answer or thanks, and nothing else but a
// request about something else: an approved answer becomes the reference of a task, so that
// a false approval costs more than a missed one.
//
// The time is linear in the message's first 2,000 bytes and as much of each of the last 12
// earlier ones; of the agent's last message it reads the end, where a question stands.
func Classify(message string, earlier []agent.Message) Signal {
	signal, _ := Interpret(message, earlier)
	return signal
}

// Interpret returns the signal of a message as [Classify] does and, of an approval that goes
// on with a request about something else, the request: of "Perfect. Now what about Faust?"
// the question. A message has the same meaning in use and for the tasks of a suite.
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

// before returns the end of the agent's last message, as the rules read it.
func before(earlier []agent.Message) string {
	for _, e := range slices.Backward(earlier) {
		if e.Role == "assistant" {
			return plain(e.Content[max(0, len(e.Content)-maxMessage):])
		}
	}
	return ""
}
