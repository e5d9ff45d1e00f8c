package sessions

import (
	"errors"
	"strconv"
)

// plainTurns are the conversations of plain transcripts. Lines with the same session belong
// together; lines without a session belong to a conversation that ends at a blank line.
type plainTurns struct {
	list   []*heldConversation
	of     map[string]*heldConversation
	breaks int
}

// pause ends the conversation to which lines without a session belong.
func (p *plainTurns) pause() { p.breaks++ }

// at returns the conversation of a session, or the current one if there is no session.
func (p *plainTurns) at(rec record, session string) *heldConversation {
	key := "session " + session
	if session == "" {
		key = "part " + strconv.Itoa(p.breaks)
	}
	if c, ok := p.of[key]; ok {
		return c
	}
	if p.of == nil {
		p.of = map[string]*heldConversation{}
	}
	rec.fields, rec.head = nil, nil
	c := &heldConversation{at: rec, Conversation: Conversation{ID: session}}
	p.of[key], p.list = c, append(p.list, c)
	return c
}

func (p *plainTurns) conversations() []heldConversation {
	out := make([]heldConversation, len(p.list))
	for i, c := range p.list {
		out[i] = *c
	}
	return out
}

// plainRecord reads a line with the texts user and assistant, or with role and content. A
// verdict in the line is a verdict on its answer.
func (r *reader) plainRecord(rec record) error {
	var messages []Message
	if rec.fields.has("role") {
		m, err := chatMessage(mustMarshal(rec.fields))
		if err != nil {
			return err
		}
		messages = append(messages, m)
	} else if !rec.fields.has("user", "assistant") {
		return errors.New("has neither user and assistant nor role and content")
	} else {
		question, _ := content(rec.fields.first("user"))
		question.Role = User
		answer, _ := content(rec.fields.first("assistant"))
		answer.Role, answer.Verdict = Assistant, verdictIn(rec.fields)
		messages = append(messages, question, answer)
	}
	if err := r.hold(rec.size); err != nil {
		return err
	}
	session := conversationID(rec.fields)
	c := r.plain.at(rec, session)
	c.Messages = append(c.Messages, messages...)
	c.Domain = orElse(c.Domain, domainIn(rec.fields))
	return nil
}
