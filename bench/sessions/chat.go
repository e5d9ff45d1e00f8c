package sessions

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	foreign "evolve/runtime/text"
)

// chat reads a record with messages in the format of OpenAI's or Anthropic's API, alone or
// as a logged request and its response.
func (r *reader) chat(rec record) error {
	request, response := rec.fields, rec.fields.inner("response")
	if !request.has("messages") {
		request = rec.fields.inner("request")
	}
	if rec.fields.has("choices") {
		response = rec.fields
	}
	c := Conversation{ID: conversationID(rec.fields), Domain: domainIn(rec.fields), Verdict: verdictIn(rec.fields)}
	if system, _ := content(request.first("system")); system.Text != "" {
		system.Role = System
		c.Messages = append(c.Messages, system)
	}
	messages, err := chatMessages(request.list("messages"))
	if err != nil {
		return err
	}
	c.Messages = append(c.Messages, messages...)
	if answer, err := chatMessage(answerOf(response)); err == nil {
		c.Messages = append(c.Messages, answer)
	}
	return r.give(rec, c)
}

// answerOf returns the message of a logged response: OpenAI's first choice, or Anthropic's
// response itself.
func answerOf(response row) json.RawMessage {
	if choices := response.list("choices"); len(choices) > 0 {
		choice, _ := object(choices[0])
		return choice.first("message")
	}
	if !response.has("content") {
		return nil
	}
	raw, _ := json.Marshal(map[string]any{"role": "assistant", "content": response["content"]}) // of valid parts
	return raw
}

// conversationID returns the id of a conversation under one of its usual names.
func conversationID(r row) string {
	names := []string{"conversation_id", "conversation", "session_id", "session", "thread_id", "thread", "id"}
	if id := r.text(names...); id != "" {
		return id
	}
	return r.inner("metadata").text(names...)
}

func domainIn(r row) string {
	if d := r.text("domain"); d != "" {
		return d
	}
	return r.inner("metadata").text("domain")
}

// chatMessages reads a list of messages.
func chatMessages(list []json.RawMessage) ([]Message, error) {
	if len(list) == 0 {
		return nil, errors.New("has no list of messages")
	}
	if len(list) > maxMessages {
		return nil, errors.New("has too many messages: " + strconv.Itoa(len(list)))
	}
	out := make([]Message, len(list))
	for i, raw := range list {
		m, err := chatMessage(raw)
		if err != nil {
			return nil, errors.New("has a message, number " + strconv.Itoa(i+1) + ", that " + err.Error())
		}
		out[i] = m
	}
	return out, nil
}

// chatMessage reads one message.
func chatMessage(raw json.RawMessage) (Message, error) {
	r, err := object(raw)
	if err != nil {
		return Message{}, err
	}
	m, result := content(r.first("content", "parts"))
	if m.Role, err = roleOf(r.text("role")); err != nil {
		return m, err
	}
	if result && m.Role == User && m.Text == "" && !m.Partial {
		m.Role = Tool // tool results come as messages of the user
	}
	for _, raw := range r.list("tool_calls") {
		call, _ := object(raw)
		m.Tools = append(m.Tools, name(orElse(call.inner("function").text("name"), call.text("name", "function"))))
	}
	if call := r.inner("function_call"); call.has("name") {
		m.Tools = append(m.Tools, name(call.text("name")))
	}
	m.Verdict = verdictIn(r)
	if m.Role == Tool {
		m.Text = ""
	}
	return m, nil
}

func orElse(s, other string) string {
	if s != "" {
		return s
	}
	return other
}

func roleOf(role string) (Role, error) {
	switch strings.ToLower(role) {
	case "user", "human":
		return User, nil
	case "assistant", "ai", "model":
		return Assistant, nil
	case "system", "developer":
		return System, nil
	case "tool", "function":
		return Tool, nil
	}
	return "", errors.New("has the unknown role " + foreign.Quote(role))
}

// content reads the content of a message, which is a text or a list of parts, and reports
// whether it contains the result of a tool.
func content(raw json.RawMessage) (m Message, result bool) {
	if !present(raw) {
		return m, false
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		m.Text = s
		return m, false
	}
	var parts []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil {
		m.Partial = true
		return m, false
	}
	var texts []string
	for _, raw := range parts {
		if json.Unmarshal(raw, &s) == nil {
			texts = append(texts, s)
			continue
		}
		part, _ := object(raw)
		switch part.text("type") {
		case "text", "input_text", "output_text", "":
			text := part.first("text", "content")
			if !present(text) || json.Unmarshal(text, &s) != nil {
				m.Partial = true
				continue
			}
			texts = append(texts, s)
		case "thinking", "redacted_thinking", "reasoning": // not part of an answer
		case "tool_use", "server_tool_use", "tool_call":
			m.Tools = append(m.Tools, name(part.text("name")))
		case "tool_result", "web_search_tool_result", "tool_call_response":
			result = true
		default:
			m.Partial = true
		}
	}
	m.Text = strings.Join(texts, "\n")
	return m, result
}

// verdictIn returns the verdict on an answer that a record or a message contains. The
// verdict is in a field named approved, reward or feedback, at the top level or under
// metadata. The field approved_by names the person who gave the verdict.
func verdictIn(r row) Verdict {
	v := verdictOf(r)
	if !v.Given {
		v = verdictOf(r.inner("metadata"))
	}
	return v
}

func verdictOf(r row) Verdict {
	v := Verdict{By: r.text("approved_by", "reviewed_by")}
	var yes bool
	var share float64
	switch {
	case json.Unmarshal(r.first("approved"), &yes) == nil:
		v.Given, v.Approved, v.How = true, yes, "approved "+strconv.FormatBool(yes)
	case json.Unmarshal(r.first("reward"), &share) == nil:
		return reward(share, v.By)
	case r.has("feedback", "rating"):
		word := strings.ToLower(r.text("feedback", "rating"))
		switch {
		case slices.Contains([]string{"positive", "good", "up", "thumbs_up", "thumbs up", "like", "👍", "approved"}, word):
			v.Given, v.Approved = true, true
		case slices.Contains([]string{"negative", "bad", "down", "thumbs_down", "thumbs down", "dislike", "👎", "rejected"}, word):
			v.Given = true
		default:
			return Verdict{} // the scales differ between logs
		}
		v.How = "feedback " + word
	default:
		return Verdict{}
	}
	return v
}

// reward returns the verdict that a reward stands for; a reward of 1 approves.
func reward(share float64, by string) Verdict {
	return Verdict{Given: true, Approved: share >= 1-1e-6 && share <= 1+1e-6, How: "reward " + strconv.FormatFloat(share, 'g', 4, 64), By: by}
}
