package tool

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Repair corrects arguments that violate a tool's schema only in form: a code fence around
// them, JSON inside a string, a number in quotation marks, one value instead of a list, or
// a null for an absent value. It returns arguments that fit the schema and a description of
// the corrections, or false if the arguments cannot be corrected in this way. It never
// guesses a meaning.
func (r *Registry) Repair(name string, args json.RawMessage) (json.RawMessage, string, bool) {
	e, ok := r.entries[name]
	if !ok || len(args) > MaxArguments || e.check(args) == "" {
		return nil, "", false
	}
	mended, what := unwrap(args)
	var form schemaForm
	if err := json.Unmarshal(e.spec.Schema, &form); err != nil {
		return nil, "", false
	}
	mended, more := form.fit(mended)
	what = append(what, more...)
	if len(what) == 0 || len(mended) > MaxArguments || e.check(mended) != "" {
		return nil, "", false
	}
	return mended, strings.Join(what, ", "), true
}

// unwrap extracts JSON from the text that models put around it, and returns a description
// of each correction.
func unwrap(args json.RawMessage) (json.RawMessage, []string) {
	var what []string
	if text := bytes.TrimSpace(args); len(text) == 0 {
		return json.RawMessage(`{}`), []string{"empty arguments"}
	} else if !json.Valid(text) {
		from, to := bytes.IndexByte(text, '{'), bytes.LastIndexByte(text, '}')
		if from < 0 || to < from || !json.Valid(text[from:to+1]) {
			return args, nil
		}
		args, what = text[from:to+1], []string{"text around the JSON"}
	}
	var inner string
	if json.Unmarshal(args, &inner) == nil && strings.HasPrefix(strings.TrimSpace(inner), "{") && json.Valid([]byte(inner)) {
		args, what = json.RawMessage(inner), append(what, "JSON in a string")
	}
	return args, what
}

// schemaForm is the part of an object's schema that Repair uses.
type schemaForm struct {
	Required   []string `json:"required"`
	Properties map[string]struct {
		Type any `json:"type"`
	} `json:"properties"`
}

// types returns the types that a property may have.
func (s schemaForm) types(name string) []string {
	switch t := s.Properties[name].Type.(type) {
	case string:
		return []string{t}
	case []any:
		var out []string
		for _, v := range t {
			if text, ok := v.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// fit converts the top-level properties to the types in the schema, and returns a
// description of each correction.
func (s schemaForm) fit(args json.RawMessage) (json.RawMessage, []string) {
	var what []string
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil || given == nil {
		if len(s.Required) != 1 || !json.Valid(args) || string(args) == "null" {
			return args, nil
		}
		given, what = map[string]json.RawMessage{s.Required[0]: args}, []string{"a bare value"}
	}
	names := make([]string, 0, len(given))
	for name := range given {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		raw, types := bytes.TrimSpace(given[name]), s.types(name)
		if string(raw) == "null" && !slices.Contains(types, "null") && !slices.Contains(s.Required, name) {
			delete(given, name)
			what = append(what, name+" was null")
		} else if mended, ok := coerce(raw, types); ok {
			given[name] = mended
			what = append(what, name+" had a different type")
		}
	}
	if len(what) == 0 {
		return args, nil
	}
	out, err := json.Marshal(given)
	if err != nil {
		return args, nil
	}
	return out, what
}

// coerce converts a value to one of the types without changing its meaning.
func coerce(raw json.RawMessage, types []string) (json.RawMessage, bool) {
	has := func(t string) bool { return slices.Contains(types, t) }
	if len(raw) == 0 || len(types) == 0 {
		return nil, false
	}
	switch {
	case raw[0] == '"' && !has("string"):
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		text = strings.TrimSpace(text)
		if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) && (has("number") || has("integer")) {
			return json.RawMessage(text), true
		}
		if (text == "true" || text == "false") && has("boolean") {
			return json.RawMessage(text), true
		}
		if strings.HasPrefix(text, "[") && has("array") || strings.HasPrefix(text, "{") && has("object") {
			return json.RawMessage(text), json.Valid([]byte(text))
		}
		if has("array") {
			return slices.Concat(json.RawMessage("["), raw, json.RawMessage("]")), true
		}
	case (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9') && has("string") && !has("number") && !has("integer"):
		return slices.Concat(json.RawMessage(`"`), raw, json.RawMessage(`"`)), true
	}
	return nil, false
}
