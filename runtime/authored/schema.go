package authored

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"evolve/runtime/tool"
)

func compileSchema(schema json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return nil, errors.New("schema is not JSON")
	}
	if m, ok := doc.(map[string]any); !ok || m["type"] != "object" {
		return nil, errors.New(`schema does not describe an object: it needs "type": "object"`)
	}
	s, err := tool.CompileSchema("arguments", doc)
	if err != nil {
		return nil, fmt.Errorf("schema: %s", head(err.Error(), maxWantError))
	}
	return s, nil
}

func checkSchema(schema json.RawMessage) error {
	if len(schema) > maxSchema {
		return fmt.Errorf("schema has %d bytes, but at most %d are allowed", len(schema), maxSchema)
	}
	_, err := compileSchema(schema)
	return err
}
