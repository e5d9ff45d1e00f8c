package tool

import (
	"cmp"
	"context"
	"encoding/json"

	"evolve/runtime/agent"
	"evolve/runtime/autonomy"
	"evolve/runtime/safety"
	"evolve/runtime/text"
)

type pipelineConfigArgs struct {
	Action string          `json:"action"`
	Param  string          `json:"param"`
	Value  json.RawMessage `json:"value"`
	Reason string          `json:"reason"`
}

// Parameter describes one parameter in a result of pipeline_config.
type Parameter struct {
	Name        string   `json:"name"`
	Value       any      `json:"value,omitempty"` // omitted while the parameter is inactive
	Default     any      `json:"default"`
	Kind        string   `json:"kind"`
	Min         *float64 `json:"min,omitempty"`
	Max         *float64 `json:"max,omitempty"`
	Values      []any    `json:"values,omitempty"`
	Of          []string `json:"of,omitempty"`
	Description string   `json:"description,omitempty"`
}

func pipelineConfig() Tool {
	return define("pipeline_config",
		"Read the agent's own config: one parameter with its range, or all values. Setting one is never done by the agent: it leaves a change request for a person.",
		`{"type":"object","required":["action"],"additionalProperties":false,"properties":{"action":{"enum":["get","set"]},"param":{"type":"string","maxLength":200},"value":{},"reason":{"type":"string","maxLength":2000}}}`,
		Available, nil,
		func(_ context.Context, env *Env, a pipelineConfigArgs) Result {
			if a.Action == "set" {
				return env.wish(a)
			}
			if a.Param == "" {
				return asJSON(env.Config)
			}
			p, ok := env.Space.Lookup(a.Param)
			if !ok {
				return Failed(agent.Execution, "there is no parameter %q", text.Clip(a.Param, 80))
			}
			out := Parameter{
				Name: p.Name, Value: env.Config[p.Name], Default: p.Default, Kind: string(p.Kind), Values: p.Values, Of: p.Of,
				Description: p.Description,
			}
			if p.Numeric() {
				out.Min, out.Max = &p.Min, &p.Max
			}
			return asJSON(out)
		})
}

// wish turns a desired change to the config into a change request. It does the same for a
// change to something that only people may change, such as graders and policies. Any other
// change that no config allows is refused without a request.
func (e *Env) wish(a pipelineConfigArgs) Result {
	if a.Param == autonomy.Parameter {
		return e.wishLevel(a)
	}
	p, ok := e.Space.Lookup(a.Param)
	if kind := safety.Classify(a.Param); !ok && autonomy.Unsafe(kind) {
		return e.wishFor(kind, a, "the agent asks for a different value of "+a.Param)
	}
	if !ok {
		return Failed(agent.ContractViolation, "there is no parameter %q", text.Clip(a.Param, 80))
	}
	var given agent.Config
	raw, err := json.Marshal(map[string]json.RawMessage{p.Name: a.Value})
	if err != nil || len(a.Value) == 0 || json.Unmarshal(raw, &given) != nil {
		return Failed(agent.ContractViolation, "the value for the parameter %s is missing or invalid", p.Name)
	}
	if _, err := p.Coerce(given[p.Name]); err != nil {
		return Failed(agent.ContractViolation, "%s", text.Clip(agent.Problem{Param: p.Name, Text: err.Error()}.String(), maxEvidence))
	}
	return e.wishFor("config", a, "the agent asks for a different value of "+p.Name)
}

// wishFor leaves a change request of the given kind. The request contains the agent's own
// reason or, if the agent gave none, the given reason.
func (e *Env) wishFor(kind string, a pipelineConfigArgs, reason string) Result {
	args, err := json.Marshal(a)
	if err != nil {
		return Failed(agent.ContractViolation, "the arguments are not JSON")
	}
	return e.ask(kind, a.Param, cmp.Or(a.Reason, reason), args)
}

// wishLevel turns a request for a level of autonomy into a change request.
func (e *Env) wishLevel(a pipelineConfigArgs) Result {
	var level autonomy.Level
	if json.Unmarshal(a.Value, &level) != nil || !level.Valid() {
		return Failed(agent.ContractViolation, "a level of autonomy is a whole number from %d to %d", autonomy.Lowest, autonomy.Highest)
	}
	return e.wishFor(autonomy.RequestType, a, "the agent asks for a different level of autonomy")
}

// asksPeople reports whether a call to pipeline_config requests a level of autonomy, or a
// change to something that only people may change.
func asksPeople(args json.RawMessage) bool {
	var a pipelineConfigArgs
	return json.Unmarshal(args, &a) == nil && a.Action == "set" && (a.Param == autonomy.Parameter || autonomy.Unsafe(safety.Classify(a.Param)))
}

// ask denies an action that only a person may take, and creates a change request for it.
func (e *Env) ask(kind, target, reason string, args json.RawMessage) Result {
	res := Failed(agent.Denied, "only a person may do this")
	if e.Request == nil {
		return res
	}
	if q := e.Request(kind, target, text.Clip(reason, 4*maxReason), args); q != nil {
		res = Failed(agent.Denied, "not done: this requires a person; change request %s was created", q.ID)
		res.Request = q
	}
	return res
}
