package session

import (
	"encoding/json"
	"slices"

	"evolve/runtime/agent"
	"evolve/runtime/text"
)

// Limits on the messages of a session, in bytes of their JSON. [MaxMessageTokens] is the
// size at which a language model's conversation is distilled, whatever its config, so
// messages are summarised before any are dropped.
const (
	MaxMessageBytes  = 192 << 10
	maxMessage       = 24 << 10
	MaxMessageTokens = MaxMessageBytes / 6
)

// BoundMessages returns the messages of a conversation that are passed to the next turn,
// or that may be taken from untrusted text, such as a stored session. It retains only
// messages from the user and the assistant, limits the length of each, and drops the
// oldest beyond [MaxMessageBytes]. The first message is a user's, because providers
// require that.
func BoundMessages(messages []agent.Message) []agent.Message {
	var kept []agent.Message
	spent := 0
	for _, m := range slices.Backward(messages) {
		if m.Role != "user" && m.Role != "assistant" || m.Content == "" {
			continue
		}
		m.Content = text.Clip(m.Content, maxMessage, text.Ellipsis)
		data, err := json.Marshal(m)
		if err != nil { // cannot happen, because a text can always be encoded
			continue
		}
		if spent += len(data); spent > MaxMessageBytes {
			break
		}
		kept = append(kept, m)
	}
	slices.Reverse(kept)
	first := slices.IndexFunc(kept, func(m agent.Message) bool { return m.Role == "user" })
	if first < 0 {
		return nil
	}
	return kept[first:]
}

// Continue returns the messages of a conversation after a turn. A turn without an answer
// adds no messages: its goal and outcome are in the working state.
func Continue(messages []agent.Message, goal string, answer *string) []agent.Message {
	messages = slices.Clone(messages)
	if answer != nil {
		messages = append(messages, agent.Message{Role: "user", Content: goal}, agent.Message{Role: "assistant", Content: *answer})
	}
	return BoundMessages(messages)
}
