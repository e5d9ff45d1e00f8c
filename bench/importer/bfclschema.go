package importer

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// anyCall returns the schema of an answer with one or more calls to the functions of a
// question.
func anyCall(r row) (map[string]any, error) {
	raw, _ := r.find("function")
	var functions []struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &functions) != nil || len(functions) == 0 {
		return nil, errors.New("has functions without names")
	}
	names := make([]string, len(functions))
	for i, f := range functions {
		names[i] = f.Name
	}
	call := map[string]any{"type": "object", "minProperties": 1, "maxProperties": 1, "propertyNames": map[string]any{"enum": names}}
	return map[string]any{"type": "array", "minItems": 1, "items": call}, nil
}

// callsSchema returns the schema of an answer that consists of exactly the given calls,
// in any order. It also returns one such answer.
func callsSchema(calls []map[string]map[string][]json.RawMessage) (schema map[string]any, answer string, err error) {
	var all []any
	var example []map[string]any
	for _, call := range calls {
		if len(call) != 1 {
			return nil, "", errors.New("has a possible answer with a call that does not name exactly one function")
		}
		for name, args := range call {
			for _, parameter := range slices.Sorted(maps.Keys(args)) {
				if len(args[parameter]) == 0 {
					return nil, "", fmt.Errorf("has no possible value for the parameter %s", show(parameter))
				}
			}
			values, first := argsSchema(args)
			all = append(all, map[string]any{"contains": object([]string{name}, map[string]any{name: values})})
			example = append(example, map[string]any{name: first})
		}
	}
	raw, err := json.Marshal(example)
	if err != nil {
		return nil, "", err
	}
	return map[string]any{"type": "array", "minItems": len(calls), "maxItems": len(calls), "allOf": all}, string(raw), nil
}

// argsSchema returns the schema of a call's arguments and the first possible value of
// each required argument. Each argument has a list of possible values. An argument with
// the possible value "" may be omitted.
func argsSchema(args map[string][]json.RawMessage) (schema, first map[string]any) {
	var required []string
	properties := map[string]any{}
	first = map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		optional := slices.ContainsFunc(args[name], func(v json.RawMessage) bool { return string(v) == `""` })
		var choices, values []any
		for _, v := range args[name] {
			choice, value := valueSchema(v)
			choices, values = append(choices, choice), append(values, value)
		}
		properties[name] = map[string]any{"anyOf": choices}
		if !optional && len(values) > 0 {
			required = append(required, name)
			first[name] = values[0]
		}
	}
	return object(required, properties), first
}

// valueSchema returns the schema of one possible value, and the value. If the value is an
// object, its members in turn have lists of possible values.
func valueSchema(v json.RawMessage) (schema map[string]any, value any) {
	var text *string
	if json.Unmarshal(v, &text) == nil && text != nil {
		return map[string]any{"type": "string", "pattern": `(?i)^\s*` + regexp.QuoteMeta(strings.TrimSpace(*text)) + `\s*$`}, v
	}
	var inner map[string][]json.RawMessage
	if json.Unmarshal(v, &inner) == nil && inner != nil {
		return argsSchema(inner)
	}
	var list []json.RawMessage
	if json.Unmarshal(v, &list) == nil && list != nil {
		items, values := make([]any, len(list)), make([]any, len(list))
		for i, item := range list {
			items[i], values[i] = valueSchema(item)
		}
		schema := map[string]any{"type": "array", "minItems": len(list), "maxItems": len(list)}
		if len(items) > 0 {
			schema["prefixItems"] = items
		}
		return schema, values
	}
	return map[string]any{"const": v}, v
}

func object(required []string, properties map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
