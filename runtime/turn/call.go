package turn

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"evolve/runtime/agent"
	"evolve/runtime/memory"
	"evolve/runtime/model"
	"evolve/runtime/policy"
	"evolve/runtime/safety"
	"evolve/runtime/session"
	"evolve/runtime/tool"
)

// call is the only way from the loop to a tool. It repairs the form of arguments; any other
// failure goes back to the model as the call's outcome.
func (r *run) call(ctx context.Context, c model.Call, remaining int) (tool.Result, error) {
	r.progress(remaining, r.turns)
	began := r.agent.clock()
	result, err := r.attempt(ctx, &c)
	if err != nil {
		return result, err
	}
	took := r.agent.clock().Sub(began)
	r.refresh()
	r.usage.ToolCalls++
	if r.agent.language {
		r.env.Steps = append(r.env.Steps, tool.Step{Tool: c.Tool, Arguments: c.Arguments, Outcome: result.Outcome, Output: result.Output})
	}
	r.countDraft(c.Tool, result.Outcome)
	r.made = append(r.made, session.Call{Tool: r.agent.scrub(c.Tool), Outcome: result.Outcome})
	limited := false
	if result.Applied != nil {
		limited = r.recordPolicy(c.Tool, result.Applied)
	}
	if result.Outcome == agent.RateLimited && !limited {
		r.event(agent.Event{Kind: agent.EventLimited, Name: memory.Cut(c.Tool, 80), Outcome: result.Outcome, Text: result.Output})
	}
	event := agent.Event{
		Kind: agent.EventTool, Name: memory.Cut(c.Tool, 80), Outcome: result.Outcome, Text: result.Output,
		MS: int64(max(0, took+time.Millisecond-1) / time.Millisecond),
	}
	if spec, ok := r.registry.Spec(c.Tool); ok {
		event.Method = spec.Method(c.Arguments)
		if spec.Origin != "local" {
			event.Origin = spec.Origin
		}
	} else {
		event.Origin = agent.Unregistered
	}
	switch {
	case result.Boundary != nil:
		event.Data = encode(result.Boundary)
	case len(c.Arguments) <= maxEventText:
		event.Data = r.scrubbed(c.Arguments) // the arguments may be something other than JSON
	}
	r.event(event)
	r.markInstructions(c.Tool, result.Output)
	if result.Request != nil {
		r.addRequest(*result.Request)
	}
	return result, nil
}

// attempt calls an active tool. It calls the tool a second time if only the form of the
// arguments was wrong and could be repaired.
func (r *run) attempt(ctx context.Context, c *model.Call) (tool.Result, error) {
	at, ok := r.active[c.Tool]
	if why := r.barred[c.Tool]; why != "" {
		return tool.Failed(agent.Denied, "%s", why), nil
	}
	if !ok {
		if why := r.withheld(c.Tool); why != "" {
			return tool.Failed(agent.Denied, "%s", why), nil
		}
		if spec, known := r.registry.Spec(c.Tool); known && spec.Category == tool.Available {
			return tool.Failed(agent.Denied, "the tool is not active; enable_tool activates it"), nil
		}
		return tool.Failed(agent.Denied, "the tool is not active"), nil
	}
	if at >= 0 {
		r.active[c.Tool] = r.steps
	}
	in := tool.Invocation{
		Name: c.Tool, Arguments: c.Arguments, ID: r.req.ID + "/" + strconv.Itoa(r.usage.ToolCalls), Seed: r.req.Seed,
		Level: r.level, LevelNow: r.agent.levelNow,
	}
	result, err := r.registry.Call(ctx, r.env, in)
	if err != nil || result.Outcome != agent.ContractViolation {
		return result, err
	}
	mended, what, ok := r.registry.Repair(c.Tool, c.Arguments)
	if !ok {
		return result, nil
	}
	in.Arguments = mended
	again, err := r.registry.Call(ctx, r.env, in)
	if err != nil {
		return again, err
	}
	r.event(agent.Event{Kind: agent.EventRepair, Name: memory.Cut(c.Tool, 80), Outcome: again.Outcome, Text: what})
	c.Arguments = mended
	return again, nil
}

// recordPolicy records the policies under which a tool or provider was called, and the
// limits that delayed or refused the call. The policies are recorded in full only if they
// differ from the policies of its last call in this turn. It reports whether one of these
// limits refused the call.
func (r *run) recordPolicy(name string, applied *policy.Applied) (limited bool) {
	name = memory.Cut(cmp.Or(applied.Name, name), 80)
	key := string(applied.Kind) + " " + name
	same := *applied
	same.Attempts = 0
	event := agent.Event{Kind: agent.EventPolicy, Name: name, Text: "as before"}
	switch text := string(encode(same)); {
	case r.applied[key] != text:
		r.applied[key] = text
		event.Text, event.Data = "", encode(applied)
	case applied.Attempts > 1:
		event.Data = encode(policy.Applied{Kind: same.Kind, Name: same.Name, Version: same.Version, Attempts: applied.Attempts})
	}
	r.event(event)
	for _, l := range applied.Limited {
		limited = limited || l.Outcome != ""
		r.event(agent.Event{Kind: agent.EventLimited, Name: name, Outcome: l.Outcome, Text: l.Text})
	}
	return limited
}

// addRequest stores a change request for a person, unless the same request is already
// stored.
func (r *run) addRequest(q agent.ChangeRequest) {
	known := slices.ContainsFunc(r.requests, func(have agent.ChangeRequest) bool { return have.ID == q.ID })
	if known || len(r.requests) >= maxRequests {
		return
	}
	r.requests = append(r.requests, q)
	r.event(agent.Event{Kind: agent.EventRequest, Name: q.Type, Outcome: agent.Denied, Text: q.Reason, Data: encode(q)})
}

// markInstructions records that the output of a foreign tool, or of a file that a language
// model reads, contains text that looks like instructions to the model. No protection
// relies on this: what a call may do does not depend on the preceding text.
func (r *run) markInstructions(name, output string) {
	if spec, ok := r.registry.Spec(name); !ok || spec.Origin == "local" && !r.agent.language {
		return
	}
	if marks := safety.Marks(output); len(marks) > 0 {
		r.event(agent.Event{Kind: agent.EventCheck, Name: "instruction in a result", Text: strings.Join(marks, "; ")})
	}
}
