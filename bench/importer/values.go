package importer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"evolve/bench"
	"evolve/runtime/agent"
)

// row is one object of a JSONL file or a JSON list.
type row map[string]json.RawMessage

// eachObject calls f for the objects of a JSONL file or a JSON list. Other values are
// left out with a note. number counts objects from 1; line is 0 inside a list.
func (c *collector) eachObject(data []byte, f func(line, number int, r row) error) error {
	var list []json.RawMessage
	if json.Unmarshal(data, &list) == nil {
		for i, raw := range list {
			c.object(0, i+1, raw, f)
		}
		return nil
	}
	number, line := 0, 0
	for text := range bytes.Lines(data) {
		line++
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		number++
		c.object(line, number, text, f)
	}
	return nil
}

func (c *collector) object(line, number int, raw []byte, f func(line, number int, r row) error) {
	what := ""
	if line == 0 {
		what = fmt.Sprintf("item %d ", number)
	}
	var r row
	if err := json.Unmarshal(raw, &r); err != nil || r == nil {
		c.note(line, "%sleft out: it is not a JSON object", what)
		return
	}
	if err := f(line, number, r); err != nil {
		c.leaveOut(line, number, what, err)
	}
}

// find returns the first of the named values that is present; null counts as absent.
func (r row) find(names ...string) (json.RawMessage, bool) {
	key, ok := r.key(names...)
	return r[key], ok
}

// key returns the first of the names that has a value.
func (r row) key(names ...string) (string, bool) {
	for _, name := range names {
		if raw, ok := r[name]; ok && !bytes.Equal(raw, []byte("null")) {
			return name, true
		}
	}
	return "", false
}

// text returns a scalar as text: the value of a string, or a number or boolean as written.
func text(raw json.RawMessage) (string, bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, true
	}
	switch raw = bytes.TrimSpace(raw); {
	case len(raw) == 0, raw[0] == '{', raw[0] == '[', bytes.Equal(raw, []byte("null")):
		return "", false
	}
	return string(raw), true
}

// texts returns a scalar or a list of scalars as texts.
func texts(raw json.RawMessage) ([]string, bool) {
	if s, ok := text(raw); ok {
		return []string{s}, true
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	out := make([]string, len(list))
	for i, item := range list {
		s, ok := text(item)
		if !ok {
			return nil, false
		}
		out[i] = s
	}
	return out, len(out) > 0
}

// foreignID returns the value of the named field as text, or "".
func (r row) foreignID(name string) string {
	raw, ok := r.find(name)
	if !ok {
		return ""
	}
	id, _ := text(raw)
	return id
}

// scalar returns the value of the named field as text, or "". A value that is not a scalar
// is recorded as unused.
func (c *collector) scalar(within string, r row, name string) string {
	raw, ok := r.find(name)
	if !ok {
		return ""
	}
	s, isScalar := text(raw)
	if !isScalar && !hollow(raw) {
		c.unread[within+name]++
	}
	return s
}

// conversation sets goal or messages from a text or a list of chat messages. A single user
// message becomes the goal. within is the prefix that notes put before the keys of
// messages.
func (c *collector) conversation(t *bench.Task, within string, raw json.RawMessage) error {
	if s, ok := text(raw); ok {
		t.Goal = s
		return nil
	}
	messages, err := c.chat(within, raw)
	if err != nil {
		return err
	}
	if len(messages) == 1 && messages[0].Role == "user" {
		t.Goal = messages[0].Content
		return nil
	}
	t.Messages = messages
	return nil
}

// chat returns the messages in a list of chat messages, of which it reads the role and the
// text.
func (c *collector) chat(within string, raw json.RawMessage) ([]agent.Message, error) {
	list := rowsOf(raw)
	if len(list) == 0 {
		return nil, errors.New("has an input that is neither text nor a list of messages")
	}
	messages := make([]agent.Message, len(list))
	for i, m := range list {
		c.ignore(within, m, "role", "content")
		content, err := c.messageText(within, m["content"])
		if err != nil {
			return nil, err
		}
		role, ok := text(m["role"])
		if !ok && !hollow(m["role"]) {
			return nil, errors.New("has an input that is neither text nor a list of messages")
		}
		messages[i] = agent.Message{Role: role, Content: content}
	}
	return messages, nil
}

// messageText returns the content of a chat message: text, or a list of text parts.
func (c *collector) messageText(within string, raw json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s, nil
	}
	parts := rowsOf(raw)
	if len(parts) == 0 {
		return "", errors.New("has a message without text")
	}
	var b strings.Builder
	for _, p := range parts {
		if typ, _ := text(p["type"]); typ != "text" {
			return "", fmt.Errorf("has a message with a part of type %s, but only text can be read", show(typ))
		}
		c.ignore(within+"content.", p, "type", "text")
		part, _ := text(p["text"])
		b.WriteString(part)
	}
	return b.String(), nil
}
