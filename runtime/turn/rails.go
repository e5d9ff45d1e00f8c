package turn

import (
	"slices"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/safety"
)

// nudge is the self-evaluation question.
const nudge = "before this answer counts: was the letter of what was asked for met, was its spirit, or should this be a referral? " +
	"Answer again, the same if it stands. If no tool of yours can do the task, refer, with evidence (wrong_tool_boundary). " +
	"If your tools can do it and what they gave is of too little use for an answer, write unknown alone (low_utility)."

// doubtBelow is the confidence below which the utility of an answer is in doubt.
const doubtBelow = .5

// problems returns the problems that the checks of a response find, regardless of the
// config.
func (r *run) problems(req *model.Request, reply model.Reply) []safety.Problem {
	if reply.Referral != nil || reply.Unsure || final(reply) {
		return nil
	}
	var earlier, found []string
	for _, m := range r.turns {
		if m.Role == "assistant" {
			earlier = append(earlier, m.Content)
		}
	}
	for _, s := range req.Steps {
		if s.Result.Outcome == agent.OK {
			found = append(found, s.Result.Output)
		}
	}
	for _, h := range req.Memories {
		found = append(found, h.Memory.Text)
	}
	problems := safety.Check(safety.Response{Answer: reply.Answer, Question: req.Goal, Earlier: earlier, Findings: found})
	if reply.Stop == model.StopLength {
		problems = append(problems, safety.Problem{Kind: "length", Text: "it was cut off at the route's max_tokens"})
	}
	for _, p := range problems {
		r.event(agent.Event{Kind: agent.EventCheck, Name: p.Kind, Text: p.Text})
	}
	return problems
}

// reconsider sends a language model's answer back once for a problem that the checks found,
// and once with the self-evaluation question if tools were used and the utility is in
// doubt.
func (r *run) reconsider(req *model.Request, reply model.Reply, problems []safety.Problem) bool {
	if !r.agent.language || req.Remaining < 2 || reply.Referral != nil || final(reply) {
		return false
	}
	advice := ""
	switch {
	case len(problems) > 0 && !r.checked:
		r.checked = true
		texts := make([]string, len(problems))
		for i, p := range problems {
			texts[i] = p.Text
		}
		advice = "that answer does not pass: " + strings.Join(texts, "; ") + ". Answer again without these problems."
	case r.doubtful(req, reply) && !r.nudged:
		r.nudged = true
		advice = nudge
		r.event(agent.Event{Kind: agent.EventNudge, Text: "asked whether the answer meets the letter and the spirit of the task, is of low utility, or should be a referral"})
	default:
		return false
	}
	req.Drafts = append(req.Drafts, written(reply))
	req.Advice = append(slices.Clone(req.Advice), advice)
	return true
}

// doubtful reports whether the utility of an answer that follows tool calls is in doubt
// because the model is unsure or more than half of the calls failed.
func (r *run) doubtful(req *model.Request, reply model.Reply) bool {
	if len(req.Steps) == 0 {
		return false
	}
	failed := 0
	for _, s := range req.Steps {
		if s.Result.Outcome != agent.OK {
			failed++
		}
	}
	return reply.Unsure || reply.Confidence > 0 && reply.Confidence < doubtBelow || 2*failed > len(req.Steps)
}
