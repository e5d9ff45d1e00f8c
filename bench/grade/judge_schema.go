package grade

import "encoding/json"

// schema returns the JSON schema of a verdict. It does not give the id, which a judge has to
// repeat, nor the ends of the scale, which many servers do not take.
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
		grade = object{"object", grades, names, false}
	}
	return json.RawMessage(compact(object{"object", verdictMembers{typed{"string"}, typed{"string"}, grade}, []string{"id", "reason", "grade"}, false}))
}

// typed is the schema of a scalar.
type typed struct {
	Type string `json:"type"`
}

// object is the schema of an object with all of its members.
type object struct {
	Type       string   `json:"type"`
	Properties any      `json:"properties"`
	Required   []string `json:"required"`
	More       bool     `json:"additionalProperties"`
}

// verdictMembers has the members of a verdict in the order in which servers that apply a
// schema have them written: the reason before the grade.
type verdictMembers struct {
	ID     any `json:"id"`
	Reason any `json:"reason"`
	Grade  any `json:"grade"`
}
