package tool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/policy"
	"evolve/runtime/telemetry"
	foreign "evolve/runtime/text"
)

// Limits on one call, in bytes.
const (
	MaxArguments = 16 << 10
	MaxOutput    = 64 << 10
	maxRefusal   = 300
)

// Guard applies the policies to a call. *policy.Engine implements it.
type Guard interface {
	Do(ctx context.Context, c policy.Call, run func(ctx context.Context, attempt int) (policy.Spent, error)) (policy.Applied, error)
}

// Options apply to all calls of a registry.
type Options struct {
	// Agent is the agent on whose behalf tools are called.
	Agent string
	// Scrub is applied to every output; nil leaves outputs as they are.
	Scrub func(string) string
	// Guard enforces the policies; nil means none.
	Guard Guard
	// Restrict returns a change request for a call that only a person may make, and nil for
	// any other call. A call with an effect beyond the level is denied even without
	// Restrict; the request only records what the agent wanted to do.
	Restrict func(spec Spec, args json.RawMessage) *agent.ChangeRequest
	// Allowed lists the local tools with the effects Remember, Share and Draft that the
	// operator lets the agent call. All other tools with these effects are denied.
	Allowed []string
}

// Registry holds the tools of an agent and is the only way to call any of them.
type Registry struct {
	options Options
	order   []string
	entries map[string]entry
}

type entry struct {
	tool   Tool
	spec   Spec
	schema *jsonschema.Schema
	draft  bool // written during one turn; see WithDraft
}

// NewRegistry checks the declarations and compiles their schemas.
func NewRegistry(o Options, tools ...Tool) (*Registry, error) {
	if o.Scrub == nil {
		o.Scrub = func(s string) string { return s }
	}
	r := &Registry{options: o, order: []string{}, entries: map[string]entry{}}
	for _, t := range tools {
		spec := t.Spec()
		if spec.Name == "" {
			return nil, errors.New("a tool has no name")
		}
		if _, ok := r.entries[spec.Name]; ok {
			return nil, fmt.Errorf("tool %q is registered twice", spec.Name)
		}
		schema, err := compile(spec)
		if err != nil {
			return nil, err
		}
		r.order = append(r.order, spec.Name)
		r.entries[spec.Name] = entry{tool: t, spec: spec, schema: schema}
	}
	return r, nil
}

// WithDraft returns a registry for the rest of one turn that includes a tool written during
// the turn; r is unchanged. The draft must only read. It may replace an earlier draft or,
// as a new version, a tool that an agent wrote, but cannot take the name of any other tool.
// The policies do not apply to the draft, because a breaker or a rate shared by turns would
// let one evaluation affect another.
func (r *Registry) WithDraft(t Tool) (*Registry, error) {
	spec := t.Spec()
	old, known := r.entries[spec.Name]
	switch {
	case known && !old.draft && old.spec.Origin != "authored":
		return nil, fmt.Errorf("%q is the name of another tool", spec.Name)
	case spec.Effect != Read:
		return nil, fmt.Errorf("draft %q has the effect %s, but only read is allowed", spec.Name, spec.Effect)
	}
	schema, err := compile(spec)
	if err != nil {
		return nil, err
	}
	next := &Registry{options: r.options, order: r.order, entries: maps.Clone(r.entries)}
	if !known {
		next.order = append(slices.Clip(r.order), spec.Name)
	}
	next.entries[spec.Name] = entry{tool: t, spec: spec, schema: schema, draft: true}
	return next, nil
}

func compile(spec Spec) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(spec.Schema))
	if err != nil {
		return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	schema, err := CompileSchema(spec.Name, doc)
	if err != nil {
		return nil, fmt.Errorf("schema of tool %q: %w", spec.Name, err)
	}
	return schema, nil
}

// CompileSchema compiles a decoded JSON schema, which may not refer to anything outside
// itself. Errors refer to the schema as name.
func CompileSchema(name string, doc any) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	url := "tool:" + name
	if err := c.AddResource(url, doc); err != nil {
		return nil, err
	}
	return c.Compile(url)
}

// noLoader prevents a foreign schema from referring to files or addresses.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("a schema cannot refer to other documents")
}

// Names returns the tools in the order of registration.
func (r *Registry) Names() []string { return r.order }

// Withheld returns the reason why calls to a tool are denied for now, or "": either the
// operator has not allowed the tool, or it is a [Withholder]. A tool with any other effect
// on the outside is not withheld: a call to it leaves a change request instead.
func (r *Registry) Withheld(name string) string {
	e := r.entries[name]
	if w, ok := e.tool.(Withholder); ok {
		return w.Withheld()
	}
	return r.unallowed(e.spec)
}

// unallowed returns the reason why a tool is denied, or "" if the tool is not denied. A
// tool is denied if its text outlasts the turn and the operator has not allowed it by
// name.
func (r *Registry) unallowed(spec Spec) string {
	what := spec.Effect.further()
	if what == "" || spec.Origin == "local" && slices.Contains(r.options.Allowed, spec.Name) {
		return ""
	}
	return fmt.Sprintf("tool %q %s, which the operator has not allowed; to allow it, set \"allow: [%s]\" in agent.yaml", spec.Name, what, spec.Name)
}

// Spec returns the declaration of a tool.
func (r *Registry) Spec(name string) (Spec, bool) {
	e, ok := r.entries[name]
	return e.spec, ok
}

// Invocation is one call that an agent requests.
type Invocation struct {
	Name      string
	Arguments json.RawMessage
	// ID and Seed make the waiting times between attempts reproducible.
	ID   string
	Seed int64
	// Level is the autonomy of the agent in a live turn. It is 0 in an evaluation, which
	// the levels of autonomy do not limit.
	Level autonomy.Level
	// LevelNow returns the level at the moment of a live turn's call, because a person may
	// have lowered it since the turn began. It is called only for calls that the lowest
	// level does not allow. Nil means that Level applies.
	LevelNow func(context.Context) autonomy.Level
}

// Call runs one tool and always ends in exactly one outcome. An unknown tool is denied.
// Arguments that violate the schema are a contract violation. A call with an effect that is
// not allowed is denied and leaves a change request. A call that needs a higher level of
// autonomy is denied. A panic is an execution failure, and a missed deadline is a timeout.
// A call that reaches a limit of the policies has the outcome for that kind of limit.
func (r *Registry) Call(ctx context.Context, env *Env, in Invocation) (Result, error) {
	e, ok := r.entries[in.Name]
	if !ok {
		return Failed(agent.Denied, "there is no tool %q", foreign.Clip(in.Name, 80)), nil
	}
	if len(in.Arguments) > MaxArguments {
		return Failed(agent.ContractViolation, "arguments have %d bytes, but at most %d are allowed", len(in.Arguments), MaxArguments), nil
	}
	if fault := e.check(in.Arguments); fault != "" {
		return Failed(agent.ContractViolation, "%s", fault), nil
	}
	level := in.Level
	if level > 0 && in.LevelNow != nil && r.beyond(e.spec, in.Arguments, level) == "" && r.beyond(e.spec, in.Arguments, autonomy.Lowest) != "" {
		level = min(level, in.LevelNow(ctx))
	}
	if why := r.beyond(e.spec, in.Arguments, level); why != "" {
		return Failed(agent.Denied, "%s", why), nil
	}
	if refused, ok := r.restricted(e.spec, in.Arguments); ok {
		return refused, nil
	}
	if env.hangs(e.spec.process()) {
		return Failed(agent.Timeout, "an earlier call to %s has not ended; the other tools can be called", e.spec.process()), nil
	}
	inner, span := telemetry.Start(ctx, telemetry.OperationTool)
	res, err := r.guarded(inner, env, e, in)
	describe(span, e.spec, res, err)
	if err != nil {
		return Result{}, fmt.Errorf("call tool %s: %w", in.Name, err)
	}
	res = r.settle(res)
	if res.Outcome == agent.OK && ctx.Err() != nil {
		return ended(ctx), nil
	}
	return res, nil
}

// describe adds the result of a call to its span and ends the span.
func describe(s telemetry.Span, of Spec, res Result, err error) {
	if !s.On() {
		return
	}
	defer s.End()
	s.Name(telemetry.OperationTool + " " + of.Name)
	s.Text(telemetry.Operation, telemetry.OperationTool)
	s.Text(telemetry.ToolName, of.Name)
	s.Text(telemetry.Origin, of.Origin)
	if a := res.Applied; a != nil {
		s.Int(telemetry.Attempts, int64(a.Attempts))
		s.Float(telemetry.Waited, a.Waited.Seconds())
	}
	s.Text(telemetry.Outcome, string(res.Outcome))
	switch {
	case err != nil:
		s.Fail(string(agent.Execution))
	case res.Outcome != agent.OK:
		s.Fail(string(res.Outcome))
	}
}

// check validates arguments against the schema and returns a description of the fault, or
// "" if they are valid.
func (e entry) check(args json.RawMessage) string {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(args))
	if err != nil {
		return "arguments are not JSON"
	}
	if name, twice := repeated(args); twice {
		return foreign.Clip(fmt.Sprintf("arguments have the member %q twice", name), 300)
	}
	if err := e.schema.Validate(v); err != nil {
		return violation(err)
	}
	return ""
}

// Beyond returns the reason why a level of autonomy allows no calls to a tool, or "" if
// it allows them. At level 0, which is the level of evaluations, all calls are allowed.
func (r *Registry) Beyond(name string, level autonomy.Level) string {
	return r.beyond(r.entries[name].spec, nil, level)
}

// beyond returns the reason why this level of autonomy does not allow a call that a
// higher level allows, if that level is already switched on. For any other call, it
// returns "". Calls that need a level that is not switched on, or that no level allows,
// are handled by restricted.
func (r *Registry) beyond(spec Spec, args json.RawMessage, level autonomy.Level) string {
	if level == 0 {
		return ""
	}
	method := spec.Method(args)
	if spec.Name == "pipeline_config" && asksPeople(args) { // the call only leaves a request: for a higher level, or for an unsafe change, which is counted
		return ""
	}
	needs, ok := level.Allows(spec.Name, method, string(spec.Effect))
	if ok || needs == 0 || needs > autonomy.SwitchedOn {
		return ""
	}
	who := cmp.Or(r.options.Agent, "AGENT")
	return fmt.Sprintf("%s needs autonomy level %d, and the agent has level %d: a person can ask for the higher level with `evolve autonomy request %s --level %d`",
		strings.TrimSpace(spec.Name+" "+method), needs, level.InForce(), who, needs)
}

// restricted returns a refusal and true for a call that is not allowed. Two kinds of
// tools are allowed: tools with the effect read, and tools whose text outlasts the turn
// and that the operator has allowed by name. No agent, model or config can change that.
func (r *Registry) restricted(spec Spec, args json.RawMessage) (Result, bool) {
	var request *agent.ChangeRequest
	if r.options.Restrict != nil {
		request = r.options.Restrict(spec, args)
	}
	if request == nil {
		if why := r.unallowed(spec); why != "" {
			return Failed(agent.Denied, "%s", why), true
		}
		if spec.Effect == Read || spec.Effect.further() != "" {
			return Result{}, false
		}
	}
	res := Failed(agent.Denied, "tool %q has the effect %s, but only read is allowed", spec.Name, spec.Effect)
	if request != nil {
		request.Reason, request.Target = r.options.Scrub(request.Reason), r.options.Scrub(request.Target)
		request.Arguments = scrubbed(r.options.Scrub, request.Arguments)
		res = Failed(agent.Denied, "not done: this requires a person; change request %s was created", request.ID)
		res.Request = request
	}
	return res, true
}

// scrubbed removes credentials from JSON, which remains valid JSON.
func scrubbed(scrub func(string) string, raw json.RawMessage) json.RawMessage {
	text := scrub(string(raw))
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null")
	}
	return quoted
}

// guarded calls the tool under the policies.
func (r *Registry) guarded(ctx context.Context, env *Env, e entry, in Invocation) (Result, error) {
	if r.options.Guard == nil || e.draft {
		return call(ctx, env, e.tool, in.Arguments)
	}
	type ending struct {
		res Result
		err error
	}
	var last atomic.Pointer[ending] // atomic, because the policies may stop waiting for a tool that does not end
	var running atomic.Int32
	var abandoned atomic.Bool
	own := env.fork()
	applied, err := r.options.Guard.Do(ctx, policy.Call{
		Kind: policy.Tool, Name: e.spec.Name, Origin: e.spec.Origin, Agent: r.options.Agent, ID: in.ID, Seed: in.Seed,
		Repeatable: e.spec.Effect == Read,
	}, func(ctx context.Context, _ int) (policy.Spent, error) {
		running.Add(1)
		res, err := call(ctx, own, e.tool, in.Arguments)
		if err == nil && res.Outcome == agent.OK && ctx.Err() != nil { // too late
			res = ended(ctx)
		}
		last.Store(&ending{res, err})
		if running.Add(-1); abandoned.Load() {
			_ = own.Close()
		}
		switch {
		case err != nil:
			return policy.Spent{}, err
		case res.Fault != nil:
			return policy.Spent{}, res.Fault
		case res.Outcome == agent.Execution || res.Outcome == agent.Timeout:
			return policy.Spent{}, &policy.Failure{Outcome: res.Outcome, Err: errors.New(res.Output)}
		}
		return policy.Spent{}, nil
	})
	if running.Load() > 0 {
		env.abandon(e.spec.process(), &running)
		if abandoned.Store(true); running.Load() == 0 { // it ended meanwhile
			_ = own.Close()
		}
	} else {
		env.adopt(own)
	}
	end := last.Load()
	var limit interface {
		error
		Outcome() agent.Outcome
	}
	var res Result
	switch {
	case end != nil && end.err != nil:
		return Result{}, end.err
	case errors.As(err, &limit):
		res = Failed(limit.Outcome(), "%s", limit)
	case end != nil:
		res = end.res
	case err != nil && ctx.Err() != nil:
		res = ended(ctx)
	case err != nil:
		return Result{}, err
	}
	res.Applied, res.Refused = &applied, policy.Refused(policy.Tool, e.spec.Name, err)
	return res, nil
}

// process returns the name under which hung calls to the tool are counted: the tool's own
// name or, for a server's tool, the name of the server, which all its tools share.
func (s Spec) process() string {
	if strings.HasPrefix(s.Origin, "mcp:") {
		return s.Origin
	}
	return s.Name
}

// call calls a tool and recovers if the tool panics.
func call(ctx context.Context, env *Env, t Tool, args json.RawMessage) (res Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = Failed(agent.Execution, "the tool crashed"), nil
		}
	}()
	if ctx.Err() != nil {
		return ended(ctx), nil
	}
	return t.Call(ctx, env, args)
}

// settle ensures that a result has exactly one valid outcome, a valid referral if it refers
// the task elsewhere, and a scrubbed output of limited length.
func (r *Registry) settle(res Result) Result {
	applied, request, refused := res.Applied, res.Request, res.Refused
	switch {
	case res.Outcome == agent.WrongToolBoundary && res.Boundary == nil:
		res = Failed(agent.ContractViolation, "referral has no evidence")
	case res.Outcome == agent.WrongToolBoundary:
		res = Refer(*res.Boundary)
	case !res.Outcome.Valid():
		res = Failed(agent.ContractViolation, "the tool ended with an unknown outcome")
	default:
		res.Boundary = nil
	}
	res.Applied, res.Request, res.Refused, res.Fault = applied, request, refused, nil
	scrub := r.options.Scrub
	if refused != nil {
		refused.Policy = foreign.Clip(scrub(refused.Policy), maxRefusal)
	}
	res.Output = bounded(res.Output, scrub)
	if b := res.Boundary; b != nil {
		b.Evidence, b.Shape = scrub(b.Evidence), scrub(b.Shape)
		for _, words := range [][]string{b.Axes, b.Split} {
			for i := range words {
				words[i] = scrub(words[i])
			}
		}
	}
	if q := res.Request; q != nil {
		q.Reason, q.Target, q.Arguments = scrub(q.Reason), scrub(q.Target), scrubbed(scrub, q.Arguments)
	}
	return res
}

// margin is a number of bytes that exceeds the length of any credential. After an output
// was cut and scrubbed, the last margin bytes are cut off too, because a credential that
// the first cut split would not be recognised.
const margin = 4 << 10

// bounded returns text without credentials, limited to MaxOutput bytes followed by a notice
// if it was cut.
func bounded(text string, scrub func(string) string) string {
	cut := len(text) > MaxOutput+margin
	text = scrub(strings.ToValidUTF8(foreign.Clip(text, MaxOutput+margin), "�"))
	if cut {
		text = foreign.Clip(text, len(text)-margin)
	}
	if cut || len(text) > MaxOutput {
		return foreign.Clip(text, MaxOutput) + "\n… (cut)"
	}
	return text
}

// ended returns the result for a call whose context is done.
func ended(ctx context.Context) Result { return Failed(outcomeOf(ctx), "ended: %v", ctx.Err()) }

// outcomeOf returns the outcome for a context that is done. A turn that runs out of time
// cancels its context with the cause [context.DeadlineExceeded].
func outcomeOf(ctx context.Context) agent.Outcome {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return agent.Timeout
	}
	return agent.Cancelled
}

// violation returns a one-line description of the deepest cause of a schema error.
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
	return foreign.Clip("arguments do not fit the schema: "+last, 300)
}
