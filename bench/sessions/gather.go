package sessions

import (
	"cmp"
	"strings"
)

// maxGathered limits the number of bytes in the conversations that are held for later
// records.
const maxGathered = 256 << 20

// gathering holds the conversations of logged requests, whose records repeat the earlier
// messages. A record that is the beginning of another one belongs to the same conversation,
// in whatever order they come. The time is linear in the length of the records.
type gathering struct {
	held []*gathered
	size int
	// within contains the states of all held conversations. ends maps the last state of
	// each conversation to that conversation; see [states].
	within map[string]bool
	ends   map[string]*gathered
	// verdicts holds, for each state that ends in an answer, the verdict on that answer.
	verdicts map[string]Verdict
}

// gathered is a conversation with its position among all added conversations.
type gathered struct {
	Conversation
	order  int
	states []string
	gone   bool // merged as the beginning of another conversation
}

// logged reports whether the records of a format are logged requests, each of which repeats
// the messages before it.
func (f Format) logged() bool { return f == OpenAI || f == Anthropic || f == OTel }

// add adds a conversation, and returns the number of records that thereby became part of
// another record.
func (g *gathering) add(c Conversation, order int) (repeated int) {
	if g.within == nil {
		*g = gathering{within: map[string]bool{}, ends: map[string]*gathered{}, verdicts: map[string]Verdict{}}
	}
	one := &gathered{Conversation: c, order: order, states: states(c.Messages)}
	last := one.states[len(one.states)-1]
	if g.within[last] {
		same := g.ends[last]
		g.keepVerdicts(one, same == nil)
		if same != nil {
			g.merge(same, one)
		}
		return 1
	}
	for _, state := range one.states {
		g.within[state] = true
		if part := g.ends[state]; part != nil {
			delete(g.ends, state)
			g.keepVerdicts(part, true)
			g.size -= part.size()
			part.Conversation, part.gone = Conversation{}, true
			repeated++
		}
	}
	g.ends[last], g.held, g.size = one, append(g.held, one), g.size+one.size()
	return repeated
}

// size returns the approximate number of bytes that a conversation occupies.
func (c *gathered) size() int {
	n := 0
	for _, m := range c.Messages {
		n += len(m.Text) + 64
	}
	return n
}

// full reports whether no more conversations should be kept in memory.
func (g *gathering) full() bool { return g.size > maxGathered }

// take returns the conversations and removes them. Each conversation is given by its longest
// record, with the verdicts of all its records.
func (g *gathering) take() []*gathered {
	var out []*gathered
	for _, one := range g.held {
		if one.gone {
			continue
		}
		one.answers(func(m *Message, state string, _ bool) { m.Verdict = m.Verdict.and(g.verdicts[state]) })
		out = append(out, one)
	}
	*g = gathering{}
	return out
}

// keepVerdicts keeps the verdicts on the answers of a record that is part of another one.
// The verdict on the whole of a shorter record is a verdict on its last answer.
func (g *gathering) keepVerdicts(one *gathered, shorter bool) {
	one.answers(func(m *Message, state string, last bool) {
		v := m.Verdict
		if shorter && last {
			v = v.and(one.Verdict)
		}
		if v.Given {
			g.verdicts[state] = g.verdicts[state].and(v)
		}
	})
}

// answers calls the function do for each answer. The arguments are the answer, its state,
// and whether it is the last answer.
func (c *gathered) answers(do func(m *Message, state string, last bool)) {
	at := 0
	for i := range c.Messages {
		m := &c.Messages[i]
		if !m.counts() {
			continue
		}
		if m.Role == Assistant {
			do(m, c.states[at], at == len(c.states)-1)
		}
		at++
	}
}

// merge makes one conversation from two records with the same texts. The result does not
// depend on which record comes first.
func (g *gathering) merge(same, other *gathered) {
	verdict := same.Verdict.and(other.Verdict)
	first, second := same.Conversation, other.Conversation
	if cmp.Or(len(second.Messages)-len(first.Messages), strings.Compare(first.Digest, second.Digest), strings.Compare(first.File, second.File),
		cmp.Compare(first.Line, second.Line), strings.Compare(first.ID, second.ID)) > 0 {
		g.keepVerdicts(same, false)
		first, second = second, first
	}
	first.ID, first.Domain, first.Verdict = orElse(first.ID, second.ID), orElse(first.Domain, second.Domain), verdict
	same.Conversation = first
}

// and returns the combination of two verdicts. If only one verdict is given, that is the
// result. If they disagree, the result is the refusal. Otherwise it is the verdict whose
// wording comes first in alphabetical order.
func (v Verdict) and(other Verdict) Verdict {
	switch {
	case !other.Given:
		return v
	case !v.Given:
		return other
	case v.Approved != other.Approved:
		if v.Approved {
			return other
		}
		return v
	}
	if cmp.Or(strings.Compare(v.How, other.How), strings.Compare(v.By, other.By)) > 0 {
		return other
	}
	return v
}
