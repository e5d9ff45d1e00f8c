package provider

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
)

// maxName is the maximum length of a tool's name that all providers accept, in bytes.
const maxName = 64

var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// names translates between the tools' names and names that the providers' pattern allows.
type names struct {
	to, from map[string]string
}

// wire returns a tool's name in the form that the provider accepts.
func (n *names) wire(name string) string {
	if w, ok := n.to[name]; ok {
		return w
	}
	if n.to == nil {
		n.to, n.from = map[string]string{}, map[string]string{}
	}
	base := unfit.ReplaceAllString(name, "_")
	if base == "" {
		base = "unnamed"
	}
	w := base[:min(len(base), maxName)]
	for i := 2; ; i++ {
		if _, taken := n.from[w]; !taken {
			break
		}
		suffix := fmt.Sprintf("_%d", i)
		w = base[:min(len(base), maxName-len(suffix))] + suffix
	}
	n.to[name], n.from[w] = w, name
	return w
}

// real returns the tool's real name for a name that a provider used. A name that was never
// offered is returned unchanged.
func (n *names) real(wire string) string {
	if name, ok := n.from[wire]; ok {
		return name
	}
	return wire
}

// callID returns the id of the i-th call in a conversation. The ids from providers are not
// needed: they are untrusted text, and sometimes missing or duplicated. All providers
// accept an id of nine letters and digits.
func callID(i int) string { return fmt.Sprintf("call%05d", i) }

// object returns text as a JSON object: unchanged if it is one, otherwise as an object that
// contains the text. Providers accept only objects as the arguments of a call.
func object(text string) json.RawMessage {
	trimmed := bytes.TrimSpace([]byte(text))
	if len(trimmed) == 0 {
		return json.RawMessage("{}")
	}
	if trimmed[0] == '{' {
		var out bytes.Buffer
		if json.Compact(&out, trimmed) == nil {
			return out.Bytes()
		}
	}
	return encode(struct {
		Malformed string `json:"malformed_arguments"`
	}{text})
}

// schema returns the schema of an object: the text itself if it is such a schema, otherwise
// a schema that accepts any object.
func schema(text json.RawMessage) json.RawMessage {
	var form struct {
		Type any `json:"type"`
	}
	var out bytes.Buffer
	if json.Unmarshal(text, &form) != nil || form.Type != "object" || json.Compact(&out, text) != nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return out.Bytes()
}
