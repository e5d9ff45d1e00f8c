package wire

import (
	"cmp"

	"evolve/runtime/agent"
	"evolve/runtime/experience"
	"evolve/runtime/turn"
)

// Learned returns what a live turn that ended now shows of the agent and its tools. The
// calls of an operator's own agent are those that its transcript reports. The texts of the
// result are without credentials.
func (f *AgentFactory) Learned(t Turn, res TurnResult) *experience.Turn {
	scrub := f.Sandbox.Scrubber.String
	message := scrub(t.Task.Goal)
	return &experience.Turn{
		Session: t.Session, Domain: domainOf(t, res.Transcript), Message: message, Signal: experience.Classify(message, t.Earlier.Messages),
		Outcome: res.Outcome, Confidence: res.Confidence, Calls: experience.CallsOf(res.Transcript.Events), Time: f.host.Now(),
	}
}

// domainOf returns the domain of a turn: the one that its transcript records, or that it would
// have.
func domainOf(t Turn, transcript agent.Transcript) string {
	return cmp.Or(recordedDomain(transcript), t.Task.Domain, turn.Classify(t.Agent.Domains, t.Task.Goal))
}
