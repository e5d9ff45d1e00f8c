package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// Limits of a distillation and of its results in a session.
const (
	MaxSummaryTokens = 1000
	MaxFacts         = 512 // of a session
	MaxFactBytes     = 300
	maxNewFacts      = 128 // of one distillation
	maxReadBytes     = 1 << 20
	maxReadSentences = 10_000
)

// The conditions for an emergency: the prompt takes up at least this share of the model's
// context, and the conversation has at least this many messages.
const (
	emergencyShare    = .9
	emergencyMessages = 10
)

// keptMessages is the maximum number of messages at the end of a conversation that a
// distillation leaves unchanged; fewer stay if they are long. It is less than
// emergencyMessages, so a distillation ends an emergency.
const keptMessages = 6

// Distilled is the source recorded for facts that were extracted from a conversation.
const Distilled = "distilled"

// Thresholds determine when a conversation is distilled. A zero field is not used.
type Thresholds struct {
	// Tokens and Messages hold the parameters distill.threshold_tokens and
	// distill.threshold_messages.
	Tokens   int
	Messages int
	// Context is the size of the model's context window in tokens, and Beside is the number
	// of tokens in the rest of the prompt.
	Context int
	Beside  int
}

// Distiller shortens conversations. The zero value of each field except Lexicon means the
// default.
type Distiller struct {
	Lexicon *memory.Lexicon
	// Now is the time recorded for the facts.
	Now time.Time
	// Scrub removes credentials from each message before it is read.
	Scrub func(string) string
}

// Result is the result of a distillation.
type Result struct {
	// Summary replaces the earlier summary and the removed messages.
	Summary string
	// Facts holds the facts that were found in the removed messages and are new to the
	// session.
	Facts []agent.Memory
	// Retracted contains the earlier distilled facts that new facts correct: it maps
	// their ids to the reasons for the retraction.
	Retracted map[string]string
	// Kept holds the last messages, unchanged.
	Kept []agent.Message
	// Reason describes the threshold that was reached.
	Reason string
}

// Distill shortens a conversation that has reached a threshold: it keeps the last messages,
// extracts facts from the others, and summarises what remains of the others together with
// the session's earlier summary. It returns false if no threshold was reached or no message
// can be removed. The kept messages and the summary together are always smaller than the
// original, so a distilled conversation does not immediately reach a threshold again. The
// messages and the session are not changed; [Result.Apply] returns the next session.
func (d Distiller) Distill(messages []agent.Message, s agent.Session, t Thresholds) (Result, bool) {
	reason := t.due(messages, s)
	if reason == "" || len(messages) == 0 {
		return Result{}, false
	}
	first := t.firstKept(messages)
	if first == 0 {
		return Result{}, false
	}
	r := Result{Kept: slices.Clone(messages[first:]), Reason: reason}
	spoken := d.take(d.read(messages[:first]))
	r.Facts, r.Retracted = d.facts(spoken, s)
	r.Summary = d.summary(spoken, s.Summary, t.summaryBytes(messages[:first], s.Summary))
	return r, true
}

// Apply returns the session after a distillation. Notes and working state are unchanged. If
// there are more than [MaxFacts] facts, the oldest distilled ones are dropped. If a fact
// that was retracted because it had been replaced is stated again, it is no longer
// retracted.
func (r Result) Apply(s agent.Session) agent.Session {
	s.Summary = r.Summary
	fresh := map[string]bool{}
	for _, f := range r.Facts {
		fresh[f.ID] = true
	}
	s.Facts = slices.DeleteFunc(slices.Clone(s.Facts), func(f agent.Memory) bool { return fresh[f.ID] })
	s.Facts = append(s.Facts, r.Facts...)
	s.Retracted = maps.Clone(s.Retracted)
	for id := range fresh {
		if strings.HasPrefix(s.Retracted[id], replacedBy) {
			delete(s.Retracted, id)
		}
	}
	if s.Retracted == nil && len(r.Retracted) > 0 {
		s.Retracted = map[string]string{}
	}
	maps.Copy(s.Retracted, r.Retracted)
	excess := len(s.Facts) - MaxFacts
	s.Facts = slices.DeleteFunc(s.Facts, func(f agent.Memory) bool {
		if excess <= 0 || f.Source != Distilled {
			return false
		}
		excess--
		delete(s.Retracted, f.ID)
		return true
	})
	return s
}

// due returns a description of the threshold that a conversation has reached, or "" if it
// has reached none.
func (t Thresholds) due(messages []agent.Message, s agent.Session) string {
	tokens := memory.Tokens(s.Summary) + size(messages)
	switch {
	case t.Tokens > 0 && tokens >= t.Tokens:
		return fmt.Sprintf("%d tokens; the threshold is %d", tokens, t.Tokens)
	case t.Messages > 0 && len(messages) >= t.Messages:
		return fmt.Sprintf("%d messages; the threshold is %d", len(messages), t.Messages)
	case t.Context > 0 && len(messages) >= emergencyMessages && float64(tokens+t.Beside) >= emergencyShare*float64(t.Context):
		return fmt.Sprintf("the context is nearly full: %d of %d tokens", tokens+t.Beside, t.Context)
	}
	return ""
}

// firstKept returns the index of the first message that is kept. Only the last few
// messages are kept, as many as fit into half of the allowed size. They begin with a
// user's message if there is one among them, because providers require that. The last
// message is always kept.
func (t Thresholds) firstKept(messages []agent.Message) int {
	most, tokens := keptMessages, -1
	if t.Messages > 0 {
		most = min(most, t.Messages/2)
	}
	if t.Tokens > 0 {
		tokens = t.Tokens / 2
	}
	if t.Context > 0 {
		room := max(0, (int(emergencyShare*float64(t.Context))-t.Beside)/2)
		if tokens < 0 || room < tokens {
			tokens = room
		}
	}
	first := len(messages) - 1
	spent := size(messages[first:])
	for first > 0 && len(messages)-first < most {
		if spent += memory.Tokens(messages[first-1].Content); spent > tokens {
			break
		}
		first--
	}
	if i := slices.IndexFunc(messages[first:], func(m agent.Message) bool { return m.Role == "user" }); i > 0 {
		first += i
	}
	return first
}

// summaryBytes returns the maximum length of the summary: at most half of the text that it
// replaces.
func (t Thresholds) summaryBytes(removed []agent.Message, earlier string) int {
	bytes := len(earlier)
	for _, m := range removed {
		bytes += len(m.Content)
	}
	most := min(MaxSummaryTokens*4, bytes/2)
	if t.Tokens > 0 {
		most = min(most, t.Tokens) // a quarter of the threshold, at four bytes per token
	}
	return most
}

// read returns the messages for the extraction: scrubbed, each limited in length and, if
// there are very many, only the newest.
func (d Distiller) read(messages []agent.Message) []agent.Message {
	out := make([]agent.Message, 0, len(messages))
	bytes, ends := 0, 0
	for _, m := range slices.Backward(messages) {
		text := m.Content[:min(len(m.Content), maxReadBytes)]
		if d.Scrub != nil { // before cutting, because a credential that is cut in two is not recognised
			text = d.Scrub(text)
		}
		text = head(text)
		bytes += len(text)
		for i := range len(text) {
			if memory.EndsSentence(text[i]) {
				ends++
			}
		}
		if bytes > maxReadBytes || ends > maxReadSentences {
			break
		}
		out = append(out, agent.Message{Role: m.Role, Content: text})
	}
	slices.Reverse(out)
	return out
}

// size returns the number of tokens in messages.
func size(messages []agent.Message) int {
	n := 0
	for _, m := range messages {
		n += memory.Tokens(m.Content)
	}
	return n
}
