package turn

import (
	"encoding/json"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/safety"
	"evolve/runtime/tool"
)

// restrict returns a change request for a call that only a person may make: a call with an
// effect beyond reading, or a call to a foreign tool that is declared to read but seems to
// do something else.
func restrict(spec tool.Spec, args json.RawMessage) *agent.ChangeRequest {
	switch spec.Effect {
	case tool.Remember, tool.Share, tool.Draft: // the operator allows these by name
		return nil
	}
	cause := "the tool's effect is " + strings.ReplaceAll(string(spec.Effect), "_", " ")
	if spec.Effect == tool.Read {
		if spec.Origin == "local" || spec.Origin == "authored" {
			return nil
		}
		// The name that the operator gave the server must not count as part of the tool's
		// name.
		name := strings.TrimPrefix(spec.Name, strings.TrimPrefix(spec.Origin, "mcp:")+"__")
		why, disguised := safety.DisguisedWrite(name, spec.Description, args)
		if !disguised {
			return nil
		}
		cause = "the tool is declared as read-only, but " + why
	}
	q := safety.Request(spec.Name, string(spec.Effect), args, reasonOf(spec, args, cause))
	return &q
}

// reasonOf returns the agent's own reason for a call, which is the call's argument named
// reason. A foreign tool may use the argument for something else, so for such a tool the
// cause of the request precedes the reason. If there is no reason, reasonOf returns only
// the cause.
func reasonOf(spec tool.Spec, args json.RawMessage, cause string) string {
	var given struct {
		Reason string `json:"reason"`
	}
	if json.Unmarshal(args, &given) != nil || strings.TrimSpace(given.Reason) == "" {
		return cause
	}
	if spec.Origin == "local" {
		return given.Reason
	}
	return cause + "; the agent's reason: " + given.Reason
}

// changeRequest returns a change request from the runtime's own tools, which specify the
// kind and target themselves.
func changeRequest(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest {
	q := safety.NewRequest(kind, target, "pipeline_config", reason, args)
	return &q
}
