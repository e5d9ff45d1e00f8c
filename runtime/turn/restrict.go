package turn

import (
	"encoding/json"

	"evolve/runtime/agent"
)

func changeRequest(kind, target, reason string, args json.RawMessage) *agent.ChangeRequest {
	return nil
}
