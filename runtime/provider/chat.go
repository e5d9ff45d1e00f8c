package provider

import (
	"encoding/json"

	"evolve/runtime/model"
)

// Chat is a request as a conversation, independent of the protocol.
type Chat struct {
	// System holds the parts of the system prompt. They are the same in every turn with the
	// same config, so that the providers' prompt caches take effect.
	System []Block `json:"system"`
	// Messages alternates between the roles, and begins and ends with a message from the
	// user.
	Messages []Message `json:"messages"`
	// Tools are the offered tools.
	Tools []Tool `json:"tools,omitempty"`
	// Final forbids further tool calls. Tools to which the messages contain calls are
	// still listed, because some providers require this.
	Final bool `json:"final,omitempty"`

	// form is the requested form of an answer.
	form  model.AnswerForm
	names names
	// refers reports whether the tool refer is the runtime's own.
	refers bool
	// shown is the number of solved examples.
	shown int
	// calls is the number of calls in the messages; the ids of further calls continue from
	// this number.
	calls int
}

// Block is a part of the system prompt.
type Block struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Role is the sender of a message.
type Role string

// The roles.
const (
	User      Role = "user"
	Assistant Role = "assistant"
)

// Message is one turn of a conversation. If it contains results, they precede its text.
type Message struct {
	Role    Role     `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`   // of the assistant
	Results []Result `json:"results,omitempty"` // from the user, one for each call in the message before
}

// Call is a tool call in the form that a provider needs: the name fits the provider's
// pattern, and the arguments are a JSON object.
type Call struct {
	ID        string          `json:"id"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
}

// Result is the result of a call. Its text is a JSON object.
type Result struct {
	ID     string `json:"id"`
	Text   string `json:"text"`
	Failed bool   `json:"failed,omitempty"`
}

// Tool is an offered tool.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"`
}

// add adds a text to the conversation. If the last message has the same role and no calls,
// add extends that message.
func (c *Chat) add(role Role, text string) {
	if n := len(c.Messages); n > 0 && c.Messages[n-1].Role == role && len(c.Messages[n-1].Calls) == 0 {
		m := &c.Messages[n-1]
		if m.Text != "" {
			m.Text += "\n\n"
		}
		m.Text += text
		return
	}
	c.Messages = append(c.Messages, Message{Role: role, Text: text})
}

// scrubbed returns a copy of the chat in which every text that is sent has passed through
// scrub.
func (c Chat) scrubbed(scrub func(string) string) Chat {
	out := c
	out.System = make([]Block, len(c.System))
	for i, b := range c.System {
		b.Text = scrub(b.Text)
		out.System[i] = b
	}
	out.Messages = make([]Message, len(c.Messages))
	for i, m := range c.Messages {
		m.Text = scrub(m.Text)
		calls, results := m.Calls, m.Results
		m.Calls, m.Results = nil, nil
		for _, call := range calls {
			call.Arguments = object(scrub(string(call.Arguments)))
			m.Calls = append(m.Calls, call)
		}
		for _, r := range results {
			r.Text = scrub(r.Text)
			m.Results = append(m.Results, r)
		}
		out.Messages[i] = m
	}
	out.Tools = make([]Tool, len(c.Tools))
	for i, t := range c.Tools {
		t.Description, t.Schema = scrub(t.Description), schema(json.RawMessage(scrub(string(t.Schema))))
		out.Tools[i] = t
	}
	return out
}

// size returns the approximate number of bytes that a provider will read.
func (c Chat) size() int {
	n := 0
	for _, b := range c.System {
		n += len(b.Text)
	}
	for _, m := range c.Messages {
		n += len(m.Text)
		for _, call := range m.Calls {
			n += len(call.Tool) + len(call.Arguments)
		}
		for _, r := range m.Results {
			n += len(r.Text)
		}
	}
	for _, t := range c.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}
