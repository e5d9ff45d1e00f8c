package model

// ObjectSchema is the JSON schema of an object that must have each of its members and no
// others. Servers that apply a schema write the members in the order of Properties.
type ObjectSchema struct {
	Type       string   `json:"type"`
	Properties any      `json:"properties"`
	Required   []string `json:"required"`
	Additional bool     `json:"additionalProperties"`
}

// NewObjectSchema returns the schema of an object with these members, all required.
func NewObjectSchema(properties any, required ...string) ObjectSchema {
	return ObjectSchema{Type: "object", Properties: properties, Required: required}
}
