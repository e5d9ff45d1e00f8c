package tool

import (
	"bytes"
	"encoding/json"
	"slices"
)

// methodNames are the parameters that choose among the operations of a tool, the first
// that a schema has.
func methodNames() []string { return []string{"method", "action", "operation", "command"} }

// Method returns the operation that a call with these arguments asks for: the value of the
// parameter method, action, operation or command, where the schema lists its values. It
// returns "" for a tool with one operation, and for a value that the schema does not list.
func (s Spec) Method(args json.RawMessage) string {
	if !bytes.Contains(s.Schema, []byte(`"enum"`)) { // most tools: the choice weighs thousands of calls
		return ""
	}
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(s.Schema, &schema) != nil {
		return ""
	}
	for _, name := range methodNames() {
		var param struct {
			Enum []any `json:"enum"`
		}
		if json.Unmarshal(schema.Properties[name], &param) != nil || len(param.Enum) == 0 {
			continue
		}
		var given map[string]json.RawMessage
		var method string
		if json.Unmarshal(args, &given) != nil || json.Unmarshal(given[name], &method) != nil || !slices.Contains(param.Enum, any(method)) {
			return ""
		}
		return method
	}
	return ""
}
