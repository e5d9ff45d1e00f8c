package tool

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// operation matches a value that may name an operation of a tool that is not local.
var operation = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,39}$`)

// methodNames returns the names of parameters that select an operation of a tool. If a
// schema has several of them, the first in this list applies.
func methodNames() []string { return []string{"method", "action", "operation", "command"} }

// Method returns the operation that a call with these arguments selects: the value of the
// parameter method, action, operation or command if the schema lists its values. Servers
// often list no values. For their tools, and for tools that an agent wrote, a word of at
// most forty letters, digits, dots, dashes and underscores in one of the first three
// parameters also counts. Method returns "" for a tool with one operation, and for a value
// that the schema does not list.
func (s Spec) Method(args json.RawMessage) string {
	if s.Origin == "local" && !bytes.Contains(s.Schema, []byte(`"enum"`)) { // a quick check, because the choice of tools weighs thousands of calls
		return ""
	}
	name, listed := s.chooser()
	if name == "" {
		return ""
	}
	var given map[string]json.RawMessage
	var method string
	if json.Unmarshal(args, &given) != nil || json.Unmarshal(given[name], &method) != nil {
		return ""
	}
	open := len(listed) == 0
	if open && !operation.MatchString(method) || !open && !slices.Contains(listed, any(method)) {
		return ""
	}
	return method
}

// Methods returns the operations that the schema lists. It returns none for a server's
// tool, because there the wording of the values is chosen by the server.
func (s Spec) Methods() []string {
	if strings.HasPrefix(s.Origin, "mcp:") {
		return nil
	}
	_, listed := s.chooser()
	var methods []string
	for _, m := range listed {
		if name, ok := m.(string); ok {
			methods = append(methods, name)
		}
	}
	return methods
}

// chooser returns the parameter that selects an operation, or "" if there is none, and
// the values that the schema lists; the list is empty if every word is allowed.
func (s Spec) chooser() (name string, listed []any) {
	var schema struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if json.Unmarshal(s.Schema, &schema) != nil {
		return "", nil
	}
	for _, name := range methodNames() {
		var param struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		}
		if json.Unmarshal(schema.Properties[name], &param) != nil {
			continue
		}
		if len(param.Enum) > 0 || s.Origin != "" && s.Origin != "local" && name != "command" && param.Type == "string" {
			return name, param.Enum
		}
	}
	return "", nil
}
