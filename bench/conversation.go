package bench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/model"
	"evolve/runtime/session"
	"evolve/runtime/telemetry"
	"evolve/runtime/text"
)

// The roles of a conversation.
const (
	userRole      = "user"
	assistantRole = "assistant"
)

// Exchange is one turn of a conversation: the user's message and the agent's answer.
type Exchange struct {
	// Earlier are the messages before User, as the agent got them.
	Earlier []agent.Message
	User    string
	Result  agent.Result
	// Latency is the wall time of the turn, without waits for shared limits.
	Latency time.Duration
}

// Conversation runs tasks with an agent: a task with one request as one turn, and a
// scripted task turn by turn.
type Conversation struct {
	Agent agent.Agent
	// Name is the name of the agent in traces.
	Name string
	Now  func() time.Time
	// Scrub removes credentials from the answers that are passed back to the agent, and
	// from the transcript. If it is nil, they stay as they are.
	Scrub func(string) string
	// User is the model that plays simulated users; it is nil if no task has a simulated
	// user.
	User model.Model
}

// Run runs a task; req is the request of its first turn. Each turn of a script is a
// separate request, whose id is the id of req followed by the number of the turn. Each turn
// begins with the messages so far and, for an agent that keeps a session, with the session
// as the previous turn left it. The limits on time, money, tokens and output in req apply
// to all turns together. A turn without an answer ends the conversation with the turn's
// outcome. After the script the simulated user continues, if there is one; if the simulated
// user fails, the result is missing data. res is the result of the last exchange, except
// that its usage and transcript cover all turns. exchanges is empty unless the task is a
// conversation, and used is the usage of the simulated user.
func (c Conversation) Run(ctx context.Context, t *Task, req agent.Request) (res agent.Result, exchanges []Exchange, used agent.Usage) {
	if len(t.Turns) == 0 && t.User == nil {
		return c.invoke(ctx, req), nil, used
	}
	run := newConversing(c, req)
	for i, u := range t.Turns {
		if !run.turn(ctx, i, u.User, t.User == nil && i == len(t.Turns)-1) {
			return run.whole, run.exchanges, run.used
		}
	}
	if t.User != nil {
		for i := len(t.Turns); i < t.User.Turns() && run.ask(ctx, i, t.User); {
			i++
		}
	}
	return run.whole, run.exchanges, run.used
}

// invoke runs one turn of the agent.
func (c Conversation) invoke(ctx context.Context, req agent.Request) agent.Result {
	ctx, span := telemetry.Start(ctx, telemetry.OperationTurn)
	if !span.On() {
		return c.Agent.Run(ctx, req)
	}
	defer span.End()
	span.Text(telemetry.Operation, telemetry.OperationTurn)
	span.Text(telemetry.AgentName, c.Name)
	res := c.Agent.Run(ctx, req)
	span.Usage(res.Usage.InputTokens, res.Usage.OutputTokens, res.Usage.CachedTokens, res.Usage.CostUSD)
	span.Float(telemetry.Waited, res.Waited.Seconds())
	span.Text(telemetry.Outcome, string(res.Outcome))
	if res.Outcome != agent.OK {
		span.Fail(string(res.Outcome))
	}
	return res
}

// ask runs turn i with a message from a simulated user, and reports whether the
// conversation continues.
func (c *conversing) ask(ctx context.Context, i int, u *SimulatedUser) bool {
	start := c.Now()
	message, done, used, err := u.next(ctx, c.User, c.said, i == 0, c.req.Seed)
	c.whole.Waited += max(c.Now().Sub(start), 0) // the user's time does not count as the agent's
	c.used = c.used.Plus(used)
	switch {
	case err != nil:
		c.whole.Answer, c.whole.Outcome, c.whole.Error = nil, agent.Infrastructure, text.Clip(c.Scrub("the simulated user: "+err.Error()), 512)
		var by *RefusedError
		if errors.As(err, &by) {
			c.whole.Outcome, c.whole.Refused = by.Refusal.Outcome(), &by.Refusal
		}
		if ctx.Err() != nil {
			c.whole.Outcome = agent.Cancelled
		}
		c.event(agent.Event{Kind: agent.EventUser, Name: strconv.Itoa(i + 1), Outcome: c.whole.Outcome, Text: c.whole.Error})
		return false
	case done && i == 0:
		c.whole.Outcome, c.whole.Error = agent.Infrastructure, EndedAtOnce
		return false
	case done:
		return false
	}
	return c.turn(ctx, i, message, false)
}

// conversing is a running conversation.
type conversing struct {
	Conversation
	req agent.Request
	// standing are the messages of the task that are neither the user's nor the agent's;
	// they precede the others in every turn.
	standing, said []agent.Message
	whole          agent.Result
	exchanges      []Exchange
	spent          time.Duration
	output         int64
	used           agent.Usage // of the simulated user
}

func newConversing(c Conversation, req agent.Request) *conversing {
	if c.Scrub == nil {
		c.Scrub = func(s string) string { return s }
	}
	run := &conversing{Conversation: c, req: req}
	for _, m := range req.Task.Messages {
		if m.Role == userRole || m.Role == assistantRole {
			run.said = append(run.said, m)
		} else {
			run.standing = append(run.standing, m)
		}
	}
	return run
}

// turn runs turn i, counted from 0, and reports whether the conversation continues.
func (c *conversing) turn(ctx context.Context, i int, user string, last bool) bool {
	number := strconv.Itoa(i + 1)
	req := c.req
	req.ID += "." + number
	req.Task.Goal, req.Task.Messages = user, slices.Concat(c.standing, c.said)
	if i == 0 {
		req.Task.Messages = c.req.Task.Messages // the first turn keeps the task's order
	}
	req.Session, req.Continues = c.whole.Session, true
	c.event(agent.Event{Kind: agent.EventUser, Name: number, Text: text.Clip(c.Scrub(user), answerKept)})
	var res agent.Result
	if req.Limits, res.Outcome, res.Error = c.left(i); res.Outcome == "" {
		shown := false
		if c.req.Observe != nil {
			req.Observe = func(e agent.Event) { shown = true; c.req.Observe(e) }
		}
		start := c.Now()
		res = c.invoke(ctx, req)
		took := max(c.Now().Sub(start)-res.Waited, 0)
		if c.req.Observe != nil && !shown { // the steps of an operator's own agent arrive with its answer
			for _, e := range res.Transcript.Events {
				c.req.Observe(e)
			}
		}
		c.spent += took
		c.exchanges = append(c.exchanges, Exchange{Earlier: req.Task.Messages, User: user, Result: res, Latency: took})
	}
	if !last && res.Outcome == agent.OK && res.Answer == nil {
		res.Outcome, res.Error = agent.ContractViolation, fmt.Sprintf("turn %s of the conversation has no answer", number)
	}
	c.add(number, res)
	if res.Answer == nil || !res.Outcome.Gradable() {
		return false
	}
	answer := c.Scrub(*res.Answer)
	c.said = session.Continue(c.said, user, &answer)
	if kept := res.Session.Messages; len(kept) > 0 {
		c.said = kept
	}
	return true
}

// add adds the result of a turn to that of the conversation.
func (c *conversing) add(number string, res agent.Result) {
	whole := res
	whole.Usage = c.whole.Usage.Plus(res.Usage)
	whole.Waited = c.whole.Waited + res.Waited
	whole.Started = c.whole.Started || res.Started
	whole.Requests = slices.Concat(c.whole.Requests, res.Requests)
	whole.Transcript = c.whole.Transcript
	if res.Transcript.Policy != "" {
		whole.Transcript.Policy = res.Transcript.Policy
	}
	whole.Transcript.Events = append(whole.Transcript.Events, res.Transcript.Events...)
	whole.Transcript.Dropped += res.Transcript.Dropped
	c.whole = whole
	ended := agent.Event{Kind: agent.EventAnswer, Name: number, Outcome: res.Outcome, Text: res.Error}
	if res.Answer != nil {
		ended.Text = text.Clip(c.Scrub(*res.Answer), answerKept)
		c.output += int64(len(*res.Answer))
	}
	c.event(ended)
	c.output += int64(len(res.Artifacts))
	for _, e := range res.Transcript.Events {
		if e.Kind == agent.EventForeign {
			c.output += int64(len(e.Data))
		}
	}
}

// event adds an event of the conversation itself to the transcript.
func (c *conversing) event(e agent.Event) {
	c.whole.Transcript.Events = append(c.whole.Transcript.Events, e)
	if c.req.Observe != nil {
		c.req.Observe(e)
	}
}

// left returns what remains of the limits after the turns so far. If the conversation has
// reached a limit, left returns the conversation's outcome and the reason instead. The
// limit on iterations applies to each turn separately.
func (c *conversing) left(turn int) (agent.Limits, agent.Outcome, string) {
	l, used := c.req.Limits, c.whole.Usage
	over := func(outcome agent.Outcome, what string) (agent.Limits, agent.Outcome, string) {
		return l, outcome, fmt.Sprintf("the conversation reached its limit on %s after %s", what, text.Count(turn, "turn"))
	}
	if l.Timeout > 0 {
		if l.Timeout -= c.spent; l.Timeout <= 0 {
			return over(agent.Timeout, "time")
		}
	}
	if l.MaxCostUSD > 0 {
		if l.MaxCostUSD -= used.CostUSD; l.MaxCostUSD <= 0 {
			return over(agent.BudgetExceeded, "money")
		}
	}
	if l.MaxTokens > 0 {
		if l.MaxTokens -= used.InputTokens + used.OutputTokens; l.MaxTokens <= 0 {
			return over(agent.BudgetExceeded, "tokens")
		}
	}
	if l.MaxOutputBytes > 0 {
		if l.MaxOutputBytes -= c.output; l.MaxOutputBytes <= 0 {
			return over(agent.BudgetExceeded, "output")
		}
	}
	return l, "", ""
}
