package wire

import (
	"cmp"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/turn"
)

// Learned returns the experience with the agent and its tools from a live turn that has
// just ended. The calls of an operator's own agent are those that its transcript reports.
// The texts in the result contain no credentials.
func (f *AgentFactory) Learned(t Turn, res TurnResult) *experience.Turn {
	scrub := f.Sandbox.Scrubber.String
	message := scrub(t.Task.Goal)
	signal, _ := f.signalOf(t)
	return &experience.Turn{
		Session: t.Session, Domain: domainOf(t, res.Transcript), Message: message, Signal: signal,
		Outcome: res.Outcome, Confidence: res.Confidence, Calls: experience.CallsOf(res.Transcript.Events), Time: f.host.Now(),
	}
}

// signalOf returns what the message of a live turn implies about the previous turn. It
// returns false if the message implies nothing.
func (f *AgentFactory) signalOf(t Turn) (experience.Signal, bool) {
	s := experience.Classify(f.Sandbox.Scrubber.String(t.Task.Goal), t.Earlier.Messages)
	return s, s != experience.None
}

// signal returns the event at the start of the transcript of a live turn in a conversation.
// The event shows how the message was interpreted, so that a person can dispute that.
func (f *AgentFactory) signal(t Turn, observe func(agent.Event)) []agent.Event {
	s, there := f.signalOf(t)
	if t.Suite != nil || !there {
		return nil
	}
	e := agent.Event{Kind: agent.EventSignal, Name: string(s)}
	if s == experience.Corrects {
		e.Text = "this message was taken as a correction of the previous turn"
	}
	if observe != nil {
		observe(e)
	}
	return []agent.Event{e}
}

// domainOf returns the domain of a turn: the domain that its transcript records, or else
// the domain of its message.
func domainOf(t Turn, transcript agent.Transcript) string {
	return cmp.Or(recordedDomain(transcript), t.Task.Domain, turn.Classify(t.Agent.Domains, t.Task.Goal))
}
