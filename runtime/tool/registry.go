package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"evolve/runtime/agent"
)

// Bounds on one call, in bytes.
const (
	MaxArguments = 16 << 10
	MaxOutput    = 64 << 10
)

// Registry holds the tools of an agent and is the only way to call one.
type Registry struct {
	order   []string
	tools   map[string]Tool
	specs   map[string]Spec
	schemas map[string]*jsonschema.Schema
	scrub   func(string) string
}

// NewRegistry checks the declarations and compiles their schemas. Every output
// passes through scrub before anybody sees it; nil leaves it as it is.
func NewRegistry(scrub func(string) string, tools ...Tool) (*Registry, error) {
	if scrub == nil {
		scrub = func(s string) string { return s }
	}
	r := &Registry{
		tools: map[string]Tool{}, specs: map[string]Spec{}, schemas: map[string]*jsonschema.Schema{}, scrub: scrub,
	}
	for _, t := range tools {
		spec := t.Spec()
		if spec.Name == "" {
			return nil, errors.New("a tool has no name")
		}
		if r.tools[spec.Name] != nil {
			return nil, fmt.Errorf("tool %q is registered twice", spec.Name)
		}
		schema, err := compile(spec)
		if err != nil {
			return nil, err
		}
		r.order = append(r.order, spec.Name)
		r.tools[spec.Name], r.specs[spec.Name], r.schemas[spec.Name] = t, spec, schema
	}
	return r, nil
}

func compile(spec Spec) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
	if err != nil {
		return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	c := jsonschema.NewCompiler()
	url := "tool:" + spec.Name
	if err := c.AddResource(url, doc); err != nil {
		return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	schema, err := c.Compile(url)
	if err != nil {
		return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	return schema, nil
}

// Names lists the tools in the order of registration.
func (r *Registry) Names() []string { return r.order }

// Spec returns the declaration of a tool.
func (r *Registry) Spec(name string) (Spec, bool) {
	s, ok := r.specs[name]
	return s, ok
}

// Call runs one tool and always ends in exactly one outcome: an unknown tool is
// denied, arguments against the schema are a contract violation, a panic is an
// execution failure, a passed deadline a timeout. Only effect read may run.
// Policies (deadlines, retries, breakers, rates) have their place here, around
// the one line that calls the tool.
func (r *Registry) Call(ctx context.Context, env *Env, name string, args json.RawMessage) (Result, error) {
	t, ok := r.tools[name]
	if !ok {
		return Failed(agent.Denied, "there is no tool %q", clip(name, 80)), nil
	}
	if e := r.specs[name].Effect; e != Read {
		return Failed(agent.Denied, "tool %q has the effect %s, and only read is allowed", name, e), nil
	}
	if len(args) > MaxArguments {
		return Failed(agent.ContractViolation, "arguments of %d bytes, at most %d are allowed", len(args), MaxArguments), nil
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return Failed(agent.ContractViolation, "arguments are no JSON"), nil
	}
	if err := r.schemas[name].Validate(v); err != nil {
		return Failed(agent.ContractViolation, "%s", violation(err)), nil
	}
	res, err := call(ctx, env, t, args)
	if err != nil {
		return Result{}, fmt.Errorf("call tool %s: %w", name, err)
	}
	res = r.settle(res)
	if res.Outcome == agent.OK && ctx.Err() != nil {
		return Failed(outcomeOf(ctx.Err()), "ended: %v", ctx.Err()), nil
	}
	return res, nil
}

// call keeps a tool's panic from ending the process.
func call(ctx context.Context, env *Env, t Tool, args json.RawMessage) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = Failed(agent.Execution, "the tool crashed"), nil
		}
	}()
	if ctx.Err() != nil {
		return Failed(outcomeOf(ctx.Err()), "ended: %v", ctx.Err()), nil
	}
	return t.Call(ctx, env, args)
}

// settle makes sure of exactly one valid outcome, a referral that is one, and a
// bounded, scrubbed output.
func (r *Registry) settle(res Result) Result {
	switch {
	case res.Outcome == agent.WrongToolBoundary && res.Boundary == nil:
		res = Failed(agent.ContractViolation, "referral has no evidence")
	case res.Outcome == agent.WrongToolBoundary:
		res = Refer(*res.Boundary)
	case !res.Outcome.Valid():
		res = Failed(agent.ContractViolation, "the tool ended in no known outcome")
	default:
		res.Boundary = nil
	}
	if len(res.Output) > MaxOutput {
		res.Output = clip(res.Output, MaxOutput) + "\n… (cut)"
	}
	res.Output = r.scrub(strings.ToValidUTF8(res.Output, "�"))
	if b := res.Boundary; b != nil {
		b.Evidence, b.Shape = r.scrub(b.Evidence), r.scrub(b.Shape)
	}
	return res
}

func outcomeOf(err error) agent.Outcome {
	if errors.Is(err, context.DeadlineExceeded) {
		return agent.Timeout
	}
	return agent.Cancelled
}

// violation puts the deepest cause of a schema error into one line.
func violation(err error) string {
	var v *jsonschema.ValidationError
	if !errors.As(err, &v) {
		return "arguments do not fit the schema"
	}
	for len(v.Causes) > 0 {
		v = v.Causes[0]
	}
	lines := strings.Split(strings.TrimSpace(v.Error()), "\n")
	last := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(lines[len(lines)-1]), "-"))
	return clip("arguments do not fit the schema: "+last, 300)
}
