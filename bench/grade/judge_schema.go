package grade

import (
	"encoding/json"

	"evolve/runtime/model"
)

// schema returns the JSON schema of a verdict. It fixes neither the id, which the judge
// must copy from the request, nor the ends of the scale, because many servers do not accept
// bounds.
func (j *Judge) schema() json.RawMessage {
	grade := any(typed{"boolean"})
	switch {
	case j.def.Pairwise != "":
		grade = struct {
			Type string   `json:"type"`
			Enum []string `json:"enum"`
		}{"string", []string{"first", "second", "same"}}
	case j.def.Hi > 0:
		grade = typed{"integer"}
	}
	if len(j.def.Criteria) > 0 {
		grades, names := map[string]any{}, []string{}
		for _, c := range j.def.Criteria {
			grades[c.Name] = grade
			names = append(names, c.Name)
		}
		grade = model.NewObjectSchema(grades, names...)
	}
	return json.RawMessage(compact(model.NewObjectSchema(verdictMembers{typed{"string"}, typed{"string"}, grade}, "id", "reason", "grade")))
}

// typed is the schema of a scalar.
type typed struct {
	Type string `json:"type"`
}

// verdictMembers are the members of a verdict, with the reason before the grade: see
// [model.ObjectSchema].
type verdictMembers struct {
	ID     any `json:"id"`
	Reason any `json:"reason"`
	Grade  any `json:"grade"`
}
