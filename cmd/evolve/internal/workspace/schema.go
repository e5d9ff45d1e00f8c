package workspace

import (
	"encoding/json"
	"fmt"

	"evolve/runtime/policy"
)

// SettingsSchema returns the JSON schema of evolve.yaml, for editors. Like Load, it refuses
// unknown keys and wrong types.
func SettingsSchema() []byte {
	s := settingsKeys(newSettingsFile()).schema()
	s["$defs"] = schema{layerRef: layerKeys(newLayer(new(policy.Settings))).object.schema()}
	return document("Settings of an evolve workspace (evolve.yaml)", s)
}

// AgentSchema returns the JSON schema of agent.yaml, for use by editors. Like Load, it
// rejects unknown keys and wrong types, and also a program's parameter declaration in which
// keys are missing.
func AgentSchema() []byte {
	s := agentKeys(newAgentFile()).schema()
	complete := []any{}
	for _, kind := range kinds {
		needed := []any{}
		for _, k := range paramMembers(newDraft())[kind].keys {
			if k.required {
				needed = append(needed, k.name)
			}
		}
		complete = append(complete, schema{
			"if":   schema{"properties": schema{"type": schema{"const": kind}}},
			"then": schema{"required": needed},
		})
	}
	program := schema{"properties": schema{"adapter": schema{"properties": schema{"kind": schema{"const": KindCommand}}}}}
	s["allOf"] = []any{schema{
		"if": program,
		"then": schema{"properties": schema{"space": schema{"additionalProperties": schema{
			"type": "object", "required": []any{"type"}, "allOf": complete,
		}}}},
	}}
	return document("An agent of an evolve workspace (agent.yaml)", s)
}

func document(title string, s schema) []byte {
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = title
	out, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("a schema cannot be written: %v", err)) // cannot happen: a schema contains only texts, numbers and lists
	}
	return append(out, '\n')
}
