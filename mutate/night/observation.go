package night

import (
	"strings"

	"evolve/bench"
	"evolve/mutate"
	"evolve/runtime/agent"
	"evolve/runtime/memory"
)

// maxReason is the maximum length, in bytes, of the reasons for a failure that are passed
// to the search.
const maxReason = 500

// observation returns the result of an evaluation for the search. Its time is the latency
// of the answer, in the form that guards compare. The time is unknown if the agent
// crashed or if a process was started. In ordered mode the observation contains nothing
// that is measured with a clock, because the same seed must give the same search.
func observation(t mutate.Trial, e bench.Evaluation, ordered bool) mutate.Observation {
	o := mutate.Observation{
		Trial: t, Scored: e.Scored, Score: e.Score, CostUSD: e.Usage.CostUSD,
		Outcome: e.Outcome, Reason: memory.Cut(strings.Join(e.Reasons(), "; "), maxReason), Calls: calls(e.Transcript),
	}
	if e.Pass {
		o.Answer = e.Answer
	}
	if !ordered {
		o.Seconds = e.AnswerSeconds()
	}
	return o
}

// calls returns the tool calls in a transcript, which may be nil. A referral is not a
// failure of the tool.
func calls(t *agent.Transcript) []mutate.Call {
	if t == nil {
		return nil
	}
	var out []mutate.Call
	for _, e := range t.Events {
		if e.Kind == agent.EventTool {
			failed := e.Outcome != "" && e.Outcome != agent.OK && e.Outcome != agent.WrongToolBoundary
			out = append(out, mutate.Call{Tool: e.Name, Failed: failed})
		}
	}
	return out
}
