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
	// ask and answer are indexes of messages; next is the index of the user's next message,
	// or -1 if there is none.
	ask, answer, next int
	// goal is the request: the message without the part, if any, that approves the
	// previous answer.
	goal string
	// tools are the names of the tools called for the answer.
	tools []string
	// reply reports whether the message makes no request: it gives consent, or answers the
	// agent.
	reply bool
	// partial reports whether a message up to the answer has parts that are not text.
	partial bool
}

// exchanges returns the answered messages of a user, and reports whether the last message
// of a user led to tool calls but to no answer. An answer is the assistant's last text
// after all tool calls.
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
	// how and by describe the verdict in the provenance of the task: how the answer was
	// approved, and by whom.
	how, by string
	// stated is the right answer, if a correction states it.
	stated string
	// acted reports whether the approval in the log concerns actions after this answer
	// rather than the answer itself.
	acted bool
	// target holds the answers that the log itself accepts; untargeted reports whether the
	// target of the log answers another message.
	target     []string
	untargeted bool
}

// judge determines the verdict on each exchange of a conversation. It uses the log's
// verdict on the answer or, for the last answer, the log's verdict on the conversation.
// If the log has no such verdict, it uses the user's next message. A correction outweighs
// an approval that precedes it on the same topic. The reference is the target of the log,
// if it has one.
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
// messages, which are keyed by message index.
type judging struct {
	c *Conversation
	// signals holds the signals of the messages, as in a live conversation. requests holds
	// the request of each message that approves and continues with another request; replies
	// holds the messages that ask for nothing.
	signals  map[int]experience.Signal
	requests map[int]string
	replies  map[int]bool
}

// read interprets the messages of the user as they are interpreted in a live turn.
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

// courtesy matches the assistant's reply to thanks.
var courtesy = regexp.MustCompile(`(?i)^(?:(?:you['’]?re|you are) (?:very |most |so )?welcome|my pleasure|no problem|any ?time|glad (?:i could|to) )\b`)

// closing reports whether an exchange only ends a conversation: the user gives thanks,
// and the agent replies to that.
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
	case j.c.Verdict.Given: // approval of a conversation approves only its last answer
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

// correctedFrom reports whether a message at index from or later is a correction, up to the
// next change of topic.
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
