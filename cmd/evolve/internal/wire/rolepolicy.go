package wire

import (
	"context"
	"errors"
	"time"

	"evolve/cmd/evolve/internal/workspace"
	"evolve/mutate/night"
	"evolve/runtime/agent"
	"evolve/runtime/policy"
)

// rolePolicy applies the policies of an agent's role (its concurrency, its rate, and the
// budget of a run) to the tasks of an operator's own program or service. The role's
// deadline bounds each task, and is passed to the agent.
type rolePolicy struct {
	inner    agent.Agent
	id       string
	guard    *policy.Engine
	deadline time.Duration
	now      func() time.Time
}

// within applies the policies of a role to an operator's own agent, if the agent has a
// role. A worker does not apply them, because the coordinator applies them to all workers
// together.
func (f *AgentFactory) within(a *workspace.Agent, opened night.Opened) night.Opened {
	if f.workers == nil && f.Frozen == nil {
		opened.Agent = f.withRolePolicy(a, opened.Agent)
	}
	return opened
}

// withRolePolicy applies the policies of a role to an agent, if the agent has a role.
func (f *AgentFactory) withRolePolicy(a *workspace.Agent, inner agent.Agent) agent.Agent {
	role, ok := f.workspace.Settings.Policies.Roles[a.ID]
	if !ok {
		return inner
	}
	return rolePolicy{inner: inner, id: a.ID, guard: f.Guard, deadline: role.Deadline, now: f.host.Now}
}

// Run implements [agent.Agent].
func (p rolePolicy) Run(ctx context.Context, req agent.Request) agent.Result {
	if limit := req.Limits.Timeout; p.deadline > 0 && (limit <= 0 || p.deadline < limit) {
		req.Limits.Timeout = p.deadline
	}
	var waits policy.Waits
	call := policy.Call{Kind: policy.Agent, Name: p.id, Agent: p.id, ID: req.ID, Seed: req.Seed}
	res, _, err := policy.Run(policy.WithWaits(ctx, &waits), p.guard, call, func(ctx context.Context, _ int) (agent.Result, policy.Spent, error) {
		r := p.inner.Run(ctx, req)
		return r, policy.Spent{Tokens: r.Usage.InputTokens + r.Usage.OutputTokens, USD: r.Usage.CostUSD}, nil
	})
	switch refused := policy.Refused(policy.Agent, p.id, err); {
	case err == nil:
	case ctx.Err() != nil:
		res = agent.Result{Outcome: agent.Cancelled, Error: context.Cause(ctx).Error()}
	case refused != nil:
		res = agent.Result{Outcome: refused.Outcome(), Error: refused.Policy, Refused: refused}
	case errors.As(err, new(*policy.TimeoutError)):
		res = agent.Result{Outcome: agent.Timeout, Error: err.Error()}
	default:
		res = agent.Result{Outcome: agent.Infrastructure, Error: err.Error()}
	}
	res.Waited += waits.Total(p.now())
	return res
}
