package turn

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/safety"
)

const (
	// recallTimeout limits the duration of one search of the memory.
	recallTimeout = 5 * time.Second
	// maxRepeats is the number of replies in which the same call with the same arguments is
	// carried out. After the last of these replies the model gets a note; one more reply
	// with that call ends the work on the goal.
	maxRepeats = 2
	// maxCalls limits the number of tool calls in one reply.
	maxCalls = 8
	// maxRequests limits the number of change requests in a turn; further calls are denied
	// without a request.
	maxRequests = 20
	// maxSaid limits the text that accompanies calls in the transcript, in bytes.
	maxSaid = 200
)

// ending is the result of the loop for one goal.
type ending struct {
	outcome agent.Outcome
	reply   model.Reply
	why     string
	before  float64 // confidence from recall alone
	steps   int
	looped  bool // the loop detector ended the goal
	// formless is the number of answers that were sent back because of their form.
	formless int
}

// work runs the bounded loop on one goal: first recall, then model and tools in
// alternation, with at most limit model calls.
func (r *run) work(ctx context.Context, goal string, findings []model.Finding, limit int) ending {
	hits := r.recall(ctx, goal, false)
	req := r.request(goal, findings, hits)
	r.loop = safety.NewLoop(maxRepeats)
	e := ending{}
	if len(hits) > 0 {
		e.before = hits[0].Score
		ids := make([]string, len(hits))
		for i, h := range hits {
			ids[i] = fmt.Sprintf("%s %.3f", h.Memory.ID, h.Score)
		}
		r.event(agent.Event{Kind: agent.EventRecall, Text: strings.Join(ids, ", ")})
	}
	for e.steps < limit {
		req.Remaining = limit - e.steps
		reply, ok := r.ask(ctx, req, &e)
		if !ok {
			return e
		}
		if len(reply.Calls) > 0 {
			if req.Remaining == 1 {
				e.outcome, e.why = agent.BudgetExceeded, "the model requested tool calls in its last iteration instead of answering"
				return e
			}
			if !r.act(ctx, req, reply.Calls, &e) {
				return e
			}
			req.Said = append(req.Said, reply.Said)
			continue
		}
		if r.sendBack(req, reply, &e) {
			req.Rejected = append(req.Rejected, written(reply))
			continue
		}
		problems := r.problems(req, reply)
		if r.reconsider(req, reply, problems) {
			continue
		}
		r.conclude(reply, problems, &e)
		return e
	}
	e.outcome, e.why = agent.BudgetExceeded, "iteration limit reached without an answer"
	return e
}

// synthesize has the model combine the findings, and has it answer once more if the checks
// find a problem, as far as the operator's limit allows.
func (r *run) synthesize(ctx context.Context, findings []model.Finding) ending {
	req := r.request(r.goal, findings, nil)
	req.Synthesis = true
	var e ending
	for {
		req.Remaining = min(2, r.limits.MaxIterations-r.steps)
		reply, ok := r.ask(ctx, req, &e)
		if !ok {
			return e
		}
		if len(reply.Calls) > 0 {
			e.outcome, e.why = agent.ContractViolation, "a synthesis must not call tools"
			return e
		}
		if problems := r.problems(req, reply); !r.reconsider(req, reply, problems) {
			r.conclude(reply, problems, &e)
			return e
		}
	}
}

// conclude ends a goal with a reply. A reply with an unresolved problem has low utility.
func (r *run) conclude(reply model.Reply, problems []safety.Problem, e *ending) {
	r.finalize(reply, e)
	if len(problems) > 0 && e.outcome == agent.OK {
		e.outcome, e.why = agent.LowUtility, "the answer fails a check: "+problems[0].Text
	}
}

func (r *run) request(goal string, findings []model.Finding, hits []memory.Hit) *model.Request {
	return &model.Request{
		System: r.system, Strategy: r.strategy, Demonstrations: r.settings.demonstrations, Form: r.settings.form,
		Domain: r.domain, Turns: r.turns, Goal: goal,
		Memories: hits, Findings: findings, Files: r.files,
		Notes: r.notes, Working: r.working, Summary: r.session.Summary, Shared: r.board, Advice: r.advice,
		Choice:     r.settings.choice,
		Usefulness: r.usefulness,
		Weigh:      r.weigh,
		Prior:      r.prior,
		Instead:    r.instead,
		Known:      r.known,
		Sampling:   model.Sampling{Route: r.route, Temperature: r.settings.temperature, Seed: r.req.Seed},
	}
}

// ask makes one model call. It returns false if the loop has ended.
func (r *run) ask(ctx context.Context, req *model.Request, e *ending) (model.Reply, bool) {
	if ctx.Err() != nil {
		e.outcome = agent.Cancelled // finish distinguishes a deadline from a cancellation
		return model.Reply{}, false
	}
	r.expire()
	req.Tools, req.Inactive, req.Unlisted = r.specs()
	reply, err := r.agent.model.Next(ctx, req)
	e.steps++
	r.steps++
	r.usage.Iterations++
	limited := false
	for i := range reply.Applied {
		limited = r.recordPolicy(reply.Provider, &reply.Applied[i])
	}
	if err != nil {
		var late *policy.RateLimitedError
		if errors.As(err, &late) && !limited {
			r.event(agent.Event{Kind: agent.EventLimited, Name: reply.Provider, Outcome: agent.RateLimited, Text: late.Error()})
		}
		e.outcome, e.why = r.unreached(reply.Provider, err)
		r.event(agent.Event{Kind: agent.EventModel, Name: reply.Model, Outcome: e.outcome, Text: e.why})
		return reply, false
	}
	r.inert(reply)
	r.usage.InputTokens += reply.Usage.InputTokens
	r.usage.OutputTokens += reply.Usage.OutputTokens
	r.usage.CachedTokens += reply.Usage.CachedTokens
	r.usage.CostUSD += reply.Usage.CostUSD
	r.event(agent.Event{Kind: agent.EventModel, Name: reply.Model, Text: describe(reply, r.stated(reply))})
	if most := r.limits.MaxTokens; most > 0 && r.usage.InputTokens+r.usage.OutputTokens > most {
		e.outcome, e.why = agent.BudgetExceeded, "token limit reached"
		return reply, false
	}
	if most := r.limits.MaxCostUSD; most > 0 && r.usage.CostUSD > most {
		e.outcome, e.why = agent.BudgetExceeded, "cost limit reached"
		return reply, false
	}
	return reply, true
}

// unreached returns the outcome for a model that did not answer. While variants are
// compared, a provider's limit must not affect a score. Earlier calls determine which
// evaluation reaches the limit, so an evaluation that reaches it counts as missing.
func (r *run) unreached(provider string, err error) (agent.Outcome, string) {
	var known *model.Error
	if errors.As(err, &known) {
		r.refusing = known.Refusing
	}
	if refused := policy.Refused(policy.Provider, provider, err); refused != nil && !r.req.Live {
		r.refuse(*refused)
		return refused.Outcome(), r.refused.Policy
	}
	if known != nil {
		return known.Outcome, known.Error()
	}
	return agent.Infrastructure, "the model could not be reached"
}

// refuse records the limit that ends the turn. It is called only in evaluations.
func (r *run) refuse(by agent.Refusal) {
	by.Policy = memory.Cut(r.agent.scrub(strings.Join(strings.Fields(by.Policy), " ")), maxEventText)
	r.refused = &by
}

// stated reports whether the confidence of a reply was stated by the model. If a language
// model stated none, its reply has the default confidence; the heuristic always states one.
func (r *run) stated(reply model.Reply) bool { return !r.agent.language || reply.Stated }

// describe returns the text of the event that records a reply.
func describe(reply model.Reply, stated bool) string {
	notes := strings.Join(reply.Notes, "; ")
	switch reply.Stop {
	case model.StopLength:
		notes = strings.TrimPrefix(notes+"; cut off at max_tokens", "; ")
	case model.StopRefusal:
		notes = strings.TrimPrefix(notes+"; refuses", "; ")
	}
	switch {
	case len(reply.Calls) > 0:
		names := make([]string, len(reply.Calls))
		for i, c := range reply.Calls {
			names[i] = c.Tool
		}
		if reply.Said != "" { // a language model's own reason
			notes = strings.TrimPrefix(notes+"; writes "+strconv.Quote(memory.Cut(reply.Said, maxSaid)), "; ")
		}
		return strings.TrimPrefix(notes+"; calls "+strings.Join(names, ", "), "; ")
	case reply.Referral != nil:
		return strings.TrimPrefix(notes+"; refers", "; ")
	}
	if reply.Said != "" {
		notes += "; the whole reply: " + memory.Cut(reply.Said, maxEventText/2)
	}
	with := "without a stated confidence"
	if stated {
		with = fmt.Sprintf("with confidence %.3f", reply.Confidence)
	}
	return strings.TrimPrefix(fmt.Sprintf("%s; answers %s: %s", notes, with, reply.Answer), "; ")
}

// written returns an answer in the form in which the model wrote it.
func written(reply model.Reply) string { return cmp.Or(reply.Said, reply.Answer) }

// act makes the calls in a reply. It returns false if the loop has ended.
func (r *run) act(ctx context.Context, req *model.Request, calls []model.Call, e *ending) bool {
	if len(calls) > maxCalls {
		e.outcome, e.why = agent.ContractViolation, fmt.Sprintf("%d calls in one reply, but at most %d are allowed", len(calls), maxCalls)
		return false
	}
	made := make([]safety.Made, len(calls))
	for i, c := range calls {
		made[i] = safety.Made{Tool: c.Tool, Arguments: c.Arguments}
	}
	if why := r.loop.Reply(made); why != "" {
		return r.stopLoop(e, why)
	}
	for i, c := range calls {
		result, err := r.call(ctx, c, req.Remaining-1)
		if err != nil {
			e.outcome, e.why = agent.Infrastructure, err.Error()
			return false
		}
		if result.Refused != nil && !r.req.Live {
			// Without this tool, the evaluation would measure a different agent, and
			// earlier calls determine which evaluation reaches the limit.
			r.refuse(*result.Refused)
			e.outcome, e.why = result.Refused.Outcome(), r.refused.Policy
			return false
		}
		req.Steps = append(req.Steps, model.Step{Call: c, Result: result, Round: len(req.Said)})
		made[i].Outcome, made[i].Detail = result.Outcome, result.Output
	}
	if why := r.loop.Results(made); why != "" {
		return r.stopLoop(e, why)
	}
	r.warnOfLoop(req, made)
	return true
}

// warnOfLoop warns the model that it is repeating a call, before the next repetition ends
// the goal.
func (r *run) warnOfLoop(req *model.Request, made []safety.Made) {
	name := r.loop.Last(made)
	if name == "" {
		return
	}
	r.event(agent.Event{Kind: agent.EventCheck, Name: "loop", Text: memory.Cut(name, 80) + " was called again with the same arguments; the model gets a note"})
	req.Advice = append(slices.Clone(req.Advice), "you called "+strconv.Quote(memory.Cut(name, 80))+
		" again with the same arguments, and its result is above. The same call once more ends the work on this goal: use the result, call with other arguments, or answer.")
}

// stopLoop ends a goal whose calls repeat without progress. Its outcome is execution,
// because there is no answer that could be of low utility.
func (r *run) stopLoop(e *ending, why string) bool {
	e.outcome, e.why, e.looped = agent.Execution, why, true
	r.event(agent.Event{Kind: agent.EventCheck, Name: "loop", Outcome: agent.Execution, Text: why})
	return false
}

// sendBack reports whether an answer is sent back, which happens only while iterations are
// left. An answer without the requested form is sent back as often as the config allows; an
// answer without the form that the question calls for is sent back once, which is the
// self-check. The same answer is never sent back twice.
func (r *run) sendBack(req *model.Request, reply model.Reply, e *ending) bool {
	if reply.Referral != nil || reply.Unsure || final(reply) || req.Remaining < 2 || slices.Contains(req.Rejected, written(reply)) {
		return false
	}
	switch {
	case reply.Formless && e.formless < r.settings.retries:
		e.formless++
		r.event(agent.Event{Kind: agent.EventCheck, Name: "answer.form", Text: "sent back: the answer does not have the form " + string(r.settings.form)})
		return true
	case reply.Formless || !r.settings.selfCheck || hasShape(reply.Answer, reply.Expects):
		return false
	}
	r.event(agent.Event{Kind: agent.EventCheck, Name: "self_check", Text: "sent back: no " + cmp.Or(string(reply.Expects), "answer")})
	return true
}

// final reports whether asking a model again would give the same reply at further cost,
// because it refused or was cut off before it wrote anything.
func final(reply model.Reply) bool {
	return reply.Stop == model.StopRefusal || reply.Stop == model.StopLength && strings.TrimSpace(reply.Answer) == ""
}

// finalize sets the outcome of a reply that ends the loop.
func (r *run) finalize(reply model.Reply, e *ending) {
	e.reply = reply
	switch {
	case reply.Referral != nil:
		b, err := reply.Referral.Normalize()
		if err != nil { // a referral must not be an excuse
			e.outcome, e.why = agent.ContractViolation, err.Error()
			return
		}
		e.outcome, e.why = agent.WrongToolBoundary, b.Shape
		r.event(agent.Event{Kind: agent.EventCheck, Name: agent.Referral, Outcome: agent.WrongToolBoundary, Data: encode(b)})
	case reply.Unsure:
		e.outcome, e.why = agent.LowUtility, "no answer was found"
	case strings.TrimSpace(reply.Answer) == "":
		e.outcome, e.why = agent.ContractViolation, "the answer is empty"
		switch reply.Stop {
		case model.StopLength:
			e.outcome, e.why = agent.BudgetExceeded, "the model reached its route's max_tokens before it wrote anything"
		case model.StopRefusal:
			e.why = "the model refused and gave no reason"
		}
	case reply.Formless:
		e.outcome, e.why = agent.LowUtility, "the answer does not have the form "+string(r.settings.form)
	default:
		e.outcome = agent.OK
	}
}
