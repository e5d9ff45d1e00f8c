package reflection

import (
	"encoding/json"

	"evolve/runtime/agent"
	"evolve/runtime/model"
)

// schema returns the JSON schema of an answer. It has no bounds on lengths and numbers,
// because many servers do not accept them; [Material.accept] checks these bounds.
func (m Material) schema() json.RawMessage {
	text := map[string]any{"type": "string"}
	raw, err := json.Marshal(model.NewObjectSchema(
		answerMembers{map[string]any{"type": "string", "enum": []string{m.Component}}, m.valueSchema(text), text},
		"component", "value", "rationale",
	))
	if err != nil { // values of these types can always be encoded
		return nil
	}
	return raw
}

// answerMembers are the members of an answer. The rationale is last, so an answer that is
// cut off in the rationale still contains the value. See [model.ObjectSchema].
type answerMembers struct {
	Component any `json:"component"`
	Value     any `json:"value"`
	Rationale any `json:"rationale"`
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
		return map[string]any{"type": "array", "items": model.NewObjectSchema(struct {
			Task   any `json:"task"`
			Answer any `json:"answer"`
		}{text, text}, "task", "answer")}
	}
	return text
}

// Bounds, in tokens, on an answer. A token is about three characters of text.
const (
	aroundTokens = 150 // what surrounds the value: braces, names and the rationale
	otherTokens  = 100 // a value that is not a text
	mostTokens   = 2000
)

// maxTokens returns the maximum number of tokens in an answer.
func (m Material) maxTokens() int {
	p, _ := m.Space.Lookup(m.Component)
	if p.Kind != agent.Text {
		return aroundTokens + otherTokens
	}
	return min(mostTokens, aroundTokens+m.maxChars(p)/3)
}
