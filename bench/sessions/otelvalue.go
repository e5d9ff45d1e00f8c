package sessions

import (
	"encoding/json"
	"strconv"
)

// attributes decodes a list of OTLP attributes.
func attributes(list []json.RawMessage) map[string]any {
	out := map[string]any{}
	for _, raw := range list {
		var kv struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		}
		if json.Unmarshal(raw, &kv) == nil && kv.Key != "" {
			out[kv.Key] = anyValue(kv.Value, 0)
		}
	}
	return out
}

// maxNested limits the nesting of lists and objects inside a value.
const maxNested = 50

// anyValue decodes an OTLP AnyValue. It returns nil for any other value.
func anyValue(raw json.RawMessage, depth int) any {
	var v struct {
		String *string      `json:"stringValue"`
		Bool   *bool        `json:"boolValue"`
		Int    *json.Number `json:"intValue"`
		Double *float64     `json:"doubleValue"`
		Array  *struct {
			Values []json.RawMessage `json:"values"`
		} `json:"arrayValue"`
		KVList *struct {
			Values []json.RawMessage `json:"values"`
		} `json:"kvlistValue"`
	}
	if depth > maxNested || json.Unmarshal(raw, &v) != nil {
		return nil
	}
	switch {
	case v.String != nil:
		return *v.String
	case v.Bool != nil:
		return *v.Bool
	case v.Int != nil:
		return *v.Int
	case v.Double != nil:
		return *v.Double
	case v.Array != nil:
		out := make([]any, len(v.Array.Values))
		for i, item := range v.Array.Values {
			out[i] = anyValue(item, depth+1)
		}
		return out
	case v.KVList != nil:
		out := map[string]any{}
		for _, item := range v.KVList.Values {
			var kv struct {
				Key   string          `json:"key"`
				Value json.RawMessage `json:"value"`
			}
			if json.Unmarshal(item, &kv) == nil {
				out[kv.Key] = anyValue(kv.Value, depth+1)
			}
		}
		return out
	}
	return nil
}

// textOf returns a value as text, or "" for lists and objects.
func textOf(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

// jsonOf returns a value as JSON. A text that is itself JSON is returned as it is.
func jsonOf(v any) json.RawMessage {
	if s, ok := v.(string); ok && json.Valid([]byte(s)) {
		return json.RawMessage(s)
	}
	return mustMarshal(v)
}

// mustMarshal encodes values that were decoded from JSON, so the encoding cannot fail.
func mustMarshal(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return raw
}
