package authored

import (
	"context"
	"encoding/json"
	"fmt"

	"evolve/runtime/agent"
	"evolve/runtime/tool"
)

// Options connect tools in use to the records of their health. The functions must be safe
// for concurrent use and may be nil.
type Options struct {
	// Quarantined is called before each call to a tool and reports whether the tool is
	// quarantined and why; see [Health.Quarantined].
	Quarantined func(d Definition) (cause string, ok bool)
	// Failed is called after each call that counts towards quarantine. cause is the cause
	// in the tool itself; see [Health.After].
	Failed func(d Definition, cause string, outcome agent.Outcome)
}

// Tools returns approved definitions as tools with the origin "authored" and the effect
// "read". The tools can then be selected or activated. While as many calls are running as
// the pool has children, further calls wait.
func (p *Pool) Tools(defs []Definition, o Options) []tool.Tool {
	tools := make([]tool.Tool, len(defs))
	for i, d := range defs {
		tools[i] = authored{d, p, o}
	}
	return tools
}

// authored is the tool that runs an approved definition.
type authored struct {
	def     Definition
	pool    *Pool
	options Options
}

func (a authored) Spec() tool.Spec { return a.def.Spec() }

// Spec returns the declaration of the tool.
func (d Definition) Spec() tool.Spec {
	return tool.Spec{
		Name: d.Name, Description: d.Description, Schema: d.Schema,
		Effect: tool.Read, Origin: "authored", Category: tool.Available, Domains: d.Domains,
	}
}

// Withheld returns the cause of the tool's quarantine. It implements [tool.Withholder].
func (a authored) Withheld() string {
	if a.options.Quarantined == nil {
		return ""
	}
	cause, ok := a.options.Quarantined(a.def)
	if !ok {
		return ""
	}
	if cause != causePerson {
		cause = fmt.Sprintf("%d failures with the same cause (%s)", quarantineAfter, cause)
	}
	return fmt.Sprintf("tool %s is in quarantine after %s, until a person releases it", a.def.Name, cause)
}

// Call runs the tool. Its output is the JSON form of what run returned.
func (a authored) Call(ctx context.Context, _ *tool.Env, args json.RawMessage) (tool.Result, error) {
	if why := a.Withheld(); why != "" {
		return tool.Failed(agent.Denied, "%s", why), nil
	}
	r := a.pool.run(ctx, a.def, args)
	res := answer(r)
	if res.Outcome == agent.ContractViolation && r.outcome == agent.OK {
		r.cause = causeReferral
	}
	if f := a.options.Failed; f != nil && r.cause != "" {
		f(a.def, r.cause, res.Outcome)
	}
	return res, nil
}

// answer converts the result of a call into the form that is returned to the agent.
func answer(r result) tool.Result {
	if r.outcome != agent.OK {
		return tool.Failed(r.outcome, "%s", r.Text)
	}
	if b, ok := referral(r.Value); ok {
		return tool.Refer(b)
	}
	return tool.OK(string(r.Value))
}

// referral decodes {"refer": {…}}, a value with only this key, as a referral. [tool.Refer]
// detects missing fields.
func referral(v json.RawMessage) (tool.Boundary, bool) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(v, &fields) != nil || len(fields) != 1 || fields["refer"] == nil {
		return tool.Boundary{}, false
	}
	var b tool.Boundary
	if json.Unmarshal(fields["refer"], &b) != nil {
		return tool.Boundary{}, true
	}
	return b, true
}
