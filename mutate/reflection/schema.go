package reflection

import (
	"encoding/json"

	"evolve/runtime/agent"
)

// schema returns the JSON schema of an answer. It has no bounds of lengths and numbers,
// which many servers do not take; [Material.accept] checks them.
func (m Material) schema() json.RawMessage {
	text := map[string]any{"type": "string"}
	raw, err := json.Marshal(object{
		"object",
		answerMembers{map[string]any{"type": "string", "enum": []string{m.Component}}, m.valueSchema(text), text},
		[]string{"component", "value", "rationale"},
		false,
	})
	if err != nil { // values of these types always encode
		return nil
	}
	return raw
}

// answerMembers has the members of an answer in the order in which servers that apply a
// schema have them written: an answer that is cut off in the rationale has its value.
type answerMembers struct {
	Component any `json:"component"`
	Value     any `json:"value"`
	Rationale any `json:"rationale"`
}

// object is the schema of an object with all of its members.
type object struct {
	Type       string   `json:"type"`
	Properties any      `json:"properties"`
	Required   []string `json:"required"`
	More       bool     `json:"additionalProperties"`
}

func (m Material) valueSchema(text any) any {
	p, _ := m.Space.Lookup(m.Component)
	switch p.Kind {
	case agent.Float:
		return map[string]any{"type": "number"}
	case agent.Int:
		return map[string]any{"type": "integer"}
	case agent.Bool:
		return map[string]any{"type": "boolean"}
	case agent.Choice:
		return map[string]any{"enum": p.Values}
	case agent.Subset:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string", "enum": p.Of}}
	}
	if m.demonstrates() {
		return map[string]any{"type": "array", "items": object{
			"object", struct {
				Task   any `json:"task"`
				Answer any `json:"answer"`
			}{text, text}, []string{"task", "answer"}, false,
		}}
	}
	return text
}

// Bounds of an answer in tokens, of which one has about three characters of text.
const (
	aroundTokens = 150 // of the value: braces, names and the rationale
	otherTokens  = 100 // of a value that is no text
	mostTokens   = 2000
)

// maxTokens returns the bound of an answer.
func (m Material) maxTokens() int {
	p, _ := m.Space.Lookup(m.Component)
	if p.Kind != agent.Text {
		return aroundTokens + otherTokens
	}
	return min(mostTokens, aroundTokens+m.maxChars(p)/3)
}
