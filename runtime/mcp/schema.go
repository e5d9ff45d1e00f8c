package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	foreign "evolve/runtime/text"
	"evolve/runtime/tool"
)

// Limits on the schema of one tool's arguments.
const (
	maxSchema      = 32 << 10 // bytes
	maxSchemaDepth = 32       // levels of JSON
	// maxSchemaWork is the maximum number of objects in a schema, each counted once for
	// every path to it. This number is the cost of validating one value.
	maxSchemaWork = 4000
	maxAnnotation = 500 // characters of a description in the schema
)

// accept validates the schema of a tool's arguments and returns it cleaned. An accepted
// schema compiles, is limited in size, depth and cost of validation, and has no external or
// recursive references. Its descriptions are shortened and contain no invisible characters.
func accept(schema any) (json.RawMessage, error) {
	given, err := json.Marshal(schema)
	if err != nil {
		return nil, errors.New("cannot be written as JSON")
	}
	if len(given) > maxSchema {
		return nil, fmt.Errorf("has %d bytes; the maximum is %d", len(given), maxSchema)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(given))
	if err != nil {
		return nil, errors.New("is not JSON")
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("is not an object")
	}
	if err := header(root); err != nil {
		return nil, err
	}
	w := weigher{root: root, weights: map[string]int{}}
	if _, err := w.weigh(root, 0); err != nil {
		return nil, err
	}
	annotate(root)
	if _, err := tool.CompileSchema("arguments", root); err != nil {
		return nil, fmt.Errorf("is not a JSON schema: %w", err)
	}
	out, err := json.Marshal(root)
	if err != nil {
		return nil, errors.New("cannot be written as JSON")
	}
	return out, nil
}

// header handles the keys that only the top level of a schema may have: the draft; an id,
// which is removed; and the type, which must be object.
func header(root map[string]any) error {
	if draft, ok := root["$schema"]; ok {
		name, _ := draft.(string)
		name = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(name, "https://"), "http://"), "#")
		switch name {
		case "json-schema.org/draft-07/schema", "json-schema.org/draft/2019-09/schema", "json-schema.org/draft/2020-12/schema":
		default:
			return errors.New("uses an unknown draft of JSON Schema")
		}
	}
	delete(root, "$id")
	switch kind, ok := root["type"]; {
	case !ok:
		root["type"] = "object"
	case kind != "object":
		return errors.New("does not describe an object")
	}
	return nil
}

// weigher measures the cost of validating a value against a schema.
type weigher struct {
	root map[string]any
	// weights holds the weight of each reference that was followed; -1 means that it is
	// still being computed.
	weights map[string]int
}

func (w *weigher) weigh(node any, depth int) (int, error) {
	if depth > maxSchemaDepth {
		return 0, fmt.Errorf("is nested deeper than %d levels", maxSchemaDepth)
	}
	weight := 1
	add := func(node any) error {
		n, err := w.weigh(node, depth+1)
		if weight += n; err == nil && weight > maxSchemaWork {
			err = errors.New("would take too long to check")
		}
		return err
	}
	switch node := node.(type) {
	case map[string]any:
		for _, key := range []string{"$id", "$schema", "$dynamicRef", "$recursiveRef"} {
			// At the top level, header has already handled $schema and $id.
			if _, ok := node[key].(string); ok && (depth > 0 || key[1] != 's') {
				return 0, fmt.Errorf("uses %s", key)
			}
		}
		if ref, ok := node["$ref"].(string); ok {
			n, err := w.refer(ref, depth)
			if err != nil {
				return 0, err
			}
			weight += n
		}
		// The keys are sorted so that the same schema always gives the same error.
		for _, key := range slices.Sorted(maps.Keys(node)) {
			if err := add(node[key]); err != nil {
				return 0, err
			}
		}
	case []any:
		for _, value := range node {
			if err := add(value); err != nil {
				return 0, err
			}
		}
	default:
		return 0, nil
	}
	return weight, nil
}

// refer returns the weight of the target of a reference.
func (w *weigher) refer(ref string, depth int) (int, error) {
	switch n, ok := w.weights[ref]; {
	case n < 0:
		return 0, errors.New("refers to itself")
	case ok:
		return n, nil
	}
	target, err := w.find(ref)
	if err != nil {
		return 0, err
	}
	w.weights[ref] = -1
	n, err := w.weigh(target, depth+1)
	w.weights[ref] = n
	return n, err
}

// find resolves a JSON pointer inside the schema.
func (w *weigher) find(ref string) (any, error) {
	pointer, ok := strings.CutPrefix(ref, "#/")
	if !ok || strings.Contains(ref, "%") {
		return nil, errors.New("has a $ref that is not a plain JSON pointer such as #/$defs/name")
	}
	var node any = w.root
	for step := range strings.SplitSeq(pointer, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		switch at := node.(type) {
		case map[string]any:
			node = at[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(at) {
				return nil, errors.New("refers to a location that does not exist")
			}
			node = at[i]
		default:
			return nil, errors.New("refers to a location that does not exist")
		}
	}
	return node, nil
}

// annotate cleans the texts in a schema that do not affect validation.
func annotate(node any) {
	switch node := node.(type) {
	case map[string]any:
		for key, value := range node {
			if text, ok := value.(string); ok && (key == "description" || key == "title" || key == "$comment") {
				node[key] = describeTool(text, maxAnnotation)
				continue
			}
			annotate(value)
		}
	case []any:
		for _, value := range node {
			annotate(value)
		}
	}
}

// describeTool returns a description in the form that a model sees: cut to a maximum
// length (most, in characters), and without invisible characters.
func describeTool(s string, most int) string {
	return foreign.Clip(strings.TrimSpace(visible(strings.ToValidUTF8(s, "\uFFFD"))), most, foreign.Runes, foreign.Mark)
}
