package turn

import (
	"encoding/json"
	"strings"

	"evolve/runtime/agent"
	"evolve/runtime/safety"
	"evolve/runtime/tool"
)

// restrict returns a change request for a call that only a person may make: one with an
// effect beyond reading, or one of a foreign tool that is declared to read but asks for
// something else.
func restrict(spec tool.Spec, args json.RawMessage) *agent.ChangeRequest {
	switch spec.Effect {
	case tool.Remember, tool.Share, tool.Draft: // the operator allows them by name
		return nil
	}
	cause := "its effect is " + strings.ReplaceAll(string(spec.Effect), "_", " ")
	if spec.Effect == tool.Read {
		if spec.Origin == "local" || spec.Origin == "authored" {
			return nil
		}
		// The operator's name of the server must not count as a part of the tool's
		// name.
		name := strings.TrimPrefix(spec.Name, strings.TrimPrefix(spec.Origin, "mcp:")+"__")
		why, disguised := safety.DisguisedWrite(name, spec.Description, args)
		if !disguised {
			return nil
		}
		cause = "declared to read, but " + why
	}
	q := safety.Request(spec.Name, string(spec.Effect), args, reasonOf(spec, args, cause))
	return &q
}

// reasonOf returns the agent's own reason for a call; for a foreign tool, whose argument
// of that name may be something else, the reason follows the cause of the request;
// without a reason it is the cause alone.
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

// changeRequest returns a change request of the runtime's own tools, which name the kind
// and target themselves.
func changeRequest(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest {
	q := safety.NewRequest(kind, target, "pipeline_config", reason, args)
	return &q
}
