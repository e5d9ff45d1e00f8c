package sessions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
)

// exchange is a message of a user with the answer to it.
type exchange struct {
	// ask and answer are indexes of messages; next is that of the user's next message, -1
	// for none.
	ask, answer, next int
	// goal is the request: the message, without an approval of the answer before it.
	goal string
	// tools are those called for the answer.
	tools []string
	// reply reports whether the message asks for nothing: it consents, or answers the
	// agent.
	reply bool
	// partial reports whether a message up to the answer has parts that are not text.
	partial bool
}

// exchanges returns the answered messages of a user, and whether the last message of a
// user led to calls of tools and to no answer. An answer is the last text of the assistant,
// after all calls of tools.
func exchanges(messages []Message) (out []exchange, acted bool) {
	open, partial := exchange{ask: -1}, false
	done := func(next int) {
		if open.ask >= 0 && open.answer >= 0 {
			open.next = next
			out = append(out, open)
		}
	}
	for i, m := range messages {
		partial = partial || m.Partial
		switch m.Role {
		case User:
			done(i)
			open = exchange{ask: i, answer: -1, partial: partial}
		case Assistant:
			open.tools = append(open.tools, m.Tools...)
			open.answer, open.partial = -1, partial
			if len(m.Tools) == 0 && strings.TrimSpace(m.Text) != "" {
				open.answer = i
			}
		case Tool:
			open.answer = -1
		}
	}
	done(-1)
	return out, open.answer < 0 && len(open.tools) > 0
}

// fate is the verdict on an answer.
type fate int

const (
	undecided fate = iota // no verdict
	approved
	corrected
	refused // by the log itself
)

// judged is an exchange with the verdict on its answer.
type judged struct {
	exchange
	fate fate
	// how and by are the words of the provenance.
	how, by string
	// stated is the right answer, if a correction states it.
	stated string
	// acted reports whether the log approves of the actions after this answer.
	acted bool
	// target are the answers that the log itself accepts; untargeted reports whether the
	// target of the log answers another message.
	target     []string
	untargeted bool
}

// judge decides on each exchange of a conversation: by the log's verdict on its answer or,
// for the last answer, on the conversation; else by the user's next message. A correction
// outweighs an approval that precedes it on the same topic. The reference is the target of
// the log, where it has one.
func judge(c *Conversation) []judged { return withTarget(c, fates(c)) }

func fates(c *Conversation) []judged {
	list, acted := exchanges(c.Messages)
	if c.refused() { // whatever the user says
		out := make([]judged, len(list))
		for i, e := range list {
			e.goal = strings.TrimSpace(c.Messages[e.ask].Text)
			out[i] = judged{exchange: e, fate: refused, how: c.Verdict.How}
		}
		return out
	}
	j := judging{c: c}
	j.read()
	out := make([]judged, len(list))
	last := -1
	for i := range list {
		e := &list[i]
		if e.goal = strings.TrimSpace(c.Messages[e.ask].Text); j.requests[e.ask] != "" {
			e.goal = strings.TrimSpace(j.requests[e.ask])
		}
		e.reply = j.replies[e.ask] && j.requests[e.ask] == ""
		if !j.closing(*e) {
			last = i
		}
	}
	for i, e := range list {
		out[i] = j.one(e, i == last)
		out[i].acted = acted && i == last && out[i].fate == approved && !c.Messages[e.answer].Verdict.Given
	}
	return out
}

// refused reports whether the log refuses a conversation and approves of no answer in it.
func (c *Conversation) refused() bool {
	return c.Verdict.Given && !c.Verdict.Approved && !slices.ContainsFunc(c.Messages, func(m Message) bool { return m.Verdict.Given })
}

// judging decides on the exchanges of a conversation by the meanings of the user's
// messages, each by its index.
type judging struct {
	c *Conversation
	// signals are the signals of the messages, as in a live conversation. requests has the
	// request of each message that approves and continues with another request; replies are
	// messages that ask for nothing.
	signals  map[int]experience.Signal
	requests map[int]string
	replies  map[int]bool
}

// read reads the messages of the user as a live turn does.
func (j *judging) read() {
	j.signals, j.requests, j.replies = map[int]experience.Signal{}, map[int]string{}, map[int]bool{}
	var said []agent.Message
	for i, m := range j.c.Messages {
		if m.Text == "" || m.Role != User && m.Role != Assistant {
			continue
		}
		if m.Role == User {
			j.signals[i], j.requests[i] = experience.Interpret(m.Text, said)
			j.replies[i] = experience.Replies(m.Text, said)
		}
		said = append(said, agent.Message{Role: string(m.Role), Content: m.Text})
	}
}

// courtesy matches the answer to thanks.
var courtesy = regexp.MustCompile(`(?i)^(?:(?:you['’]?re|you are) (?:very |most |so )?welcome|my pleasure|no problem|any ?time|glad (?:i could|to) )\b`)

// closing reports whether an exchange only ends a conversation: thanks, and the answer to
// them.
func (j *judging) closing(e exchange) bool {
	if len(e.tools) > 0 || strings.Contains(j.c.Messages[e.ask].Text, "?") {
		return false
	}
	return j.signals[e.ask] == experience.Approves && j.requests[e.ask] == "" || courtesy.MatchString(strings.TrimSpace(j.c.Messages[e.answer].Text))
}

func (j *judging) one(e exchange, last bool) judged {
	out := judged{exchange: e}
	verdict := j.c.Messages[e.answer].Verdict
	if !verdict.Given && (last || j.c.Verdict.Given && !j.c.Verdict.Approved) {
		verdict = j.c.Verdict
	}
	next := j.signals[e.next]
	switch {
	case j.closing(e):
		return out
	case verdict.Given && !verdict.Approved:
		out.fate, out.how = refused, verdict.How
		return out
	case next == experience.Corrects || next == experience.Complains:
		out.fate = corrected
		if next == experience.Corrects && !j.correctedFrom(e.next+1) {
			out.stated = stated(j.c.Messages[e.next].Text)
			out.how, out.by = fmt.Sprintf("message %d states the answer", e.next+1), string(User)
		}
		return out
	case verdict.Given:
		out.fate, out.how, out.by = approved, verdict.How, verdict.By
	case j.c.Verdict.Given: // of which only the last answer is approved
		return out
	case next == experience.Approves:
		out.fate, out.how, out.by = approved, fmt.Sprintf("message %d approves", e.next+1), string(User)
	default:
		return out
	}
	if e.next >= 0 && j.correctedFrom(e.next) {
		out.fate = corrected
	}
	return out
}

// correctedFrom reports whether a message from an index on corrects, before the topic
// changes.
func (j *judging) correctedFrom(from int) bool {
	for i := from; i < len(j.c.Messages); i++ {
		switch j.signals[i] {
		case experience.Corrects:
			return true
		case experience.NewTopic:
			return false
		}
	}
	return false
}
