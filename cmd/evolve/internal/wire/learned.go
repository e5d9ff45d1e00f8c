package wire

import (
	"cmp"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/turn"
)

// Learned returns the experience from a live turn that ended now, on the agent and its
// tools. The calls of an operator's own agent are those that its transcript reports. The
// texts of the result are without credentials.
func (f *AgentFactory) Learned(t Turn, res TurnResult) *experience.Turn {
	scrub := f.Sandbox.Scrubber.String
	message := scrub(t.Task.Goal)
	signal, _ := f.signalOf(t)
	return &experience.Turn{
		Session: t.Session, Domain: domainOf(t, res.Transcript), Message: message, Signal: signal,
		Outcome: res.Outcome, Confidence: res.Confidence, Calls: experience.CallsOf(res.Transcript.Events), Time: f.host.Now(),
	}
}

// signalOf returns the meaning of a live turn's message for the turn before it, and reports
// whether there is one.
func (f *AgentFactory) signalOf(t Turn) (experience.Signal, bool) {
	s := experience.Classify(f.Sandbox.Scrubber.String(t.Task.Goal), t.Earlier.Messages)
	return s, s != experience.None
}

// signal returns the event with which the transcript of a live turn in a conversation begins,
// so that a person can see and dispute the interpretation of the message.
func (f *AgentFactory) signal(t Turn, observe func(agent.Event)) []agent.Event {
	s, there := f.signalOf(t)
	if t.Suite != nil || !there {
		return nil
	}
	e := agent.Event{Kind: agent.EventSignal, Name: string(s)}
	if s == experience.Corrects {
		e.Text = "the turn before it counts as corrected"
	}
	if observe != nil {
		observe(e)
	}
	return []agent.Event{e}
}

// domainOf returns the domain of a turn: the one that its transcript records, or that the
// message has.
func domainOf(t Turn, transcript agent.Transcript) string {
	return cmp.Or(recordedDomain(transcript), t.Task.Domain, turn.Classify(t.Agent.Domains, t.Task.Goal))
}
